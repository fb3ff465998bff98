//! What the daemon has to say of itself: its state, its channels, its configuration. Each becomes a fact
//! of the monitor, and with that an incident like any other.

use super::setup::Setup;
use super::turn::{Daemon, STORE_PATIENCE};
use crate::clock;
use crate::serve::status::ChannelDoc;
use crate::store::{Warning, WarningKind};
use raidmond_core::diagnose::{ConditionKind, MonitorFact};
use raidmond_core::incident::Input;

const STATE_LOST: &str = "state";
const CONFIG: &str = "config";
/// A number follows.
const SET_ASIDE: &str = "store ";

impl Daemon {
    /// At the start of a life, before anything is heard.
    pub async fn begin(&mut self, warnings: &[Warning], unreadable: Option<String>) {
        let (memory_only, set_aside): (Vec<_>, Vec<_>) =
            warnings.iter().partition(|w| w.kind == WarningKind::MemoryOnly);
        if let Some(warning) = memory_only.first() {
            self.state_lost(warning.said.clone());
        }
        self.look_at_boot().await;
        drop(self.take(Input::Tick).await);
        self.forget_old_news().await;
        self.tell_nobody_told().await;
        self.retire_channels().await;
        let said = set_aside.iter().map(|w| w.said.clone()).chain(unreadable);
        for (n, said) in said.enumerate() {
            let fact = fact(ConditionKind::StateSetAside, "state", said, None);
            drop(self.take(monitor(&format!("{SET_ASIDE}{n}"), Some(fact))).await);
        }
    }

    /// Whether the machine came up anew: a check that ran then may be gone.
    pub async fn look_at_boot(&mut self) {
        let id = self.boot_id();
        if !id.is_empty() && id != self.engine.state().memory.boot_id {
            drop(self.take(Input::Boot(id)).await);
        }
    }

    /// What an earlier life or configuration knew of itself and nothing will ever take back.
    async fn forget_old_news(&mut self) {
        let is_old = |key: &&String| match key.strip_prefix("channel ") {
            Some(name) => !self.is_channel(name),
            None => *key == CONFIG || (*key == STATE_LOST && self.lost.is_none()) || key.starts_with(SET_ASIDE),
        };
        let old: Vec<String> = self.engine.state().memory.monitor.keys().filter(is_old).cloned().collect();
        for key in old {
            drop(self.take(monitor(&key, None)).await);
        }
    }

    fn is_channel(&self, name: &str) -> bool {
        let broken = self.setup.broken.iter().any(|(broken, _)| broken == name);
        broken || self.setup.channels.iter().any(|c| c.name() == name)
    }

    /// Nobody waits any more for what a channel that is gone was to carry.
    async fn retire_channels(&mut self) {
        let names = self.setup.channels.iter().map(|c| c.name().to_owned()).collect();
        match self.store.retire_channels(names, clock::now()).await {
            Ok(given_up) if given_up.is_empty() => {}
            Ok(given_up) => tracing::warn!("{} messages were for channels that are gone", given_up.len()),
            Err(error) => tracing::debug!("{error}"),
        }
    }

    pub(super) fn state_lost(&mut self, said: String) {
        if self.lost.is_none() {
            let words = format!("raidmond cannot save its state: {said}");
            let remedy = "look at the disk that holds the state directory; messages are sent from memory meanwhile";
            let fact = fact(ConditionKind::StateLost, STATE_LOST, words, Some(remedy));
            self.follow.push_back(monitor(STATE_LOST, Some(fact)));
        }
        self.lost = Some(said);
    }

    pub(super) fn state_saved(&mut self) {
        if self.lost.take().is_some() {
            self.follow.push_back(monitor(STATE_LOST, None));
        }
    }

    /// Storage may be back without anything new to save.
    pub async fn try_storage_again(&mut self) {
        if self.lost.is_none() {
            return;
        }
        let merged = tokio::time::timeout(STORE_PATIENCE, self.store.merge(clock::now())).await;
        if matches!(merged, Ok(Ok(_))) && self.store.lost().await.is_none() {
            self.state_saved();
            drop(self.take(Input::Tick).await);
        }
    }

    /// A channel that fails is an incident on the others.
    pub async fn look_at_channels(&mut self) {
        let Ok(mut health) = self.store.health(clock::now()).await else { return };
        health.retain(|h| self.setup.channels.iter().any(|c| c.name() == h.channel));
        self.around.channels = health
            .iter()
            .map(|h| ChannelDoc {
                name: h.channel.clone(),
                failing_since: h.failing_since,
                said: h.last_error.clone(),
                waiting: h.backlog as u64,
                oldest: h.oldest,
                accepted: self.tries.get(&h.channel).map_or(0, |t| t.0),
                failures: self.tries.get(&h.channel).map_or(0, |t| t.1),
            })
            .collect();
        let mut failing: Vec<(String, Option<String>)> = health
            .into_iter()
            .map(|h| (h.channel, h.failing_since.map(|_| h.last_error.unwrap_or_else(|| "no answer".to_owned()))))
            .collect();
        for (name, why) in &self.setup.broken {
            failing.retain(|(n, _)| n != name);
            failing.push((name.clone(), Some(why.clone())));
        }
        for (name, why) in failing {
            let key = format!("channel {name}");
            let known = self.engine.state().memory.monitor.contains_key(&key);
            let fact = why.map(|w| {
                fact(ConditionKind::ChannelFailing, &key, format!("messages do not get through {name}: {w}"), None)
            });
            if fact.is_some() != known {
                drop(self.take(Input::Monitor { key, fact }).await);
            }
        }
        self.publish();
    }

    /// A new configuration is in force.
    pub async fn adopt_setup(&mut self, setup: Setup) {
        self.engine.settings = setup.settings.clone();
        self.around.nobody_told = setup.nobody_told.clone();
        self.around.cautions = setup.cautions.clone();
        self.around.host = setup.settings.host_name.clone();
        self.scanners.reload(&setup.logs);
        self.polls.reload(&setup);
        self.setup = setup;
        self.forget_old_news().await;
        self.tell_nobody_told().await;
        self.retire_channels().await;
        self.look_at_channels().await;
    }

    /// A warning for whoever looks: nobody else hears it.
    async fn tell_nobody_told(&mut self) {
        let said = self.setup.nobody_told.as_ref().map(|why| format!("nobody will be told: {why}"));
        let fact = said.map(|said| fact(ConditionKind::NobodyTold, "channels", said, Some("raidmond setup")));
        drop(self.take(monitor("nobody told", fact)).await);
    }

    pub async fn refuse_setup(&mut self, why: String) {
        tracing::error!("the new configuration is not used: {why}");
        let words = format!("the new configuration has mistakes, the old one stays in force: {why}");
        let fact = fact(ConditionKind::ConfigRefused, CONFIG, words, Some("raidmond config check"));
        drop(self.take(monitor(CONFIG, Some(fact))).await);
    }
}

fn monitor(key: &str, fact: Option<MonitorFact>) -> Input {
    Input::Monitor { key: key.to_owned(), fact }
}

pub fn fact(kind: ConditionKind, name: &str, said: String, remedy: Option<&str>) -> MonitorFact {
    MonitorFact { kind, name: name.to_owned(), said, remedy: remedy.map(str::to_owned), since: clock::now() }
}
