//! One turn of the loop: input, engine, commit, adopt, act.

use super::inbox::Heard;
use super::logs::Scanners;
use super::poller::Polls;
use super::publish::Publisher;
use super::setup::Setup;
use crate::clock;
use crate::notify::pump::Report;
use crate::serve::socket::Said;
use crate::serve::status::{ChannelDoc, Surroundings};
use crate::store::{StateLost, Store, WarningKind};
use jiff::Timestamp;
use raidmond_core::changes::Changes;
use raidmond_core::diagnose::{ConditionKind, MonitorFact};
use raidmond_core::incident::{Effect, Engine, Input, OperatorError};
use raidmond_core::outbox::Attempt;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::oneshot;

/// A store that answers no sooner is as good as lost: the failing disk may be the one below it.
const STORE_PATIENCE: Duration = Duration::from_secs(10);
const STATE_LOST: &str = "state";

pub struct Daemon {
    pub engine: Engine,
    pub store: Store,
    pub setup: Setup,
    pub around: Surroundings,
    polls: Polls,
    publisher: Publisher,
    scanners: Scanners,
    /// Lets the logs speak.
    go: Option<oneshot::Sender<()>>,
    /// Why the state cannot be saved now.
    lost: Option<String>,
    /// Inputs that follow from a turn itself.
    follow: VecDeque<Input>,
    /// The database lost what it held.
    rewrite: bool,
    pub first_round_done: bool,
}

impl Daemon {
    pub fn new(
        engine: Engine,
        store: Store,
        setup: Setup,
        polls: Polls,
        publisher: Publisher,
        go: oneshot::Sender<()>,
    ) -> Self {
        let around = Surroundings {
            host: setup.settings.host_name.clone(),
            nobody_told: setup.nobody_told.clone(),
            drill: setup.settings.drill,
            ..Surroundings::default()
        };
        let scanners = Scanners::new(&setup.logs);
        Self {
            engine,
            store,
            setup,
            around,
            polls,
            publisher,
            scanners,
            go: Some(go),
            lost: None,
            follow: VecDeque::new(),
            rewrite: false,
            first_round_done: false,
        }
    }

    pub async fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Reading { key, reading } => {
                self.polls.heard(&key, &reading);
                drop(self.take(Input::Reading { key, reading }).await);
            }
            Heard::Log(event) => {
                for input in self.scanners.inputs(*event, clock::now()) {
                    drop(self.take(input).await);
                }
            }
            Heard::Devices(inventory) => {
                let (blocks, scsi_hosts) = (inventory.blocks.clone(), inventory.scsi_hosts.clone());
                drop(self.take(Input::Devices { blocks, scsi_hosts }).await);
            }
            Heard::Monitor { key, fact } => drop(self.take(Input::Monitor { key, fact }).await),
            Heard::Wish(request) => {
                let answer = self.take(Input::Operator { by: request.by, what: request.wish.into() }).await;
                let said = match answer {
                    Ok(said) => Said { ok: true, said },
                    Err(error) => Said { ok: false, said: error.to_string() },
                };
                // Whoever asked may be gone.
                drop(request.answer.send(said));
            }
            Heard::Delivered(report) => self.delivered(*report).await,
            Heard::FirstRoundDone => {
                self.first_round_done = true;
                // Whoever waits may have given up waiting.
                self.go.take().map(|go| go.send(()));
            }
        }
    }

    /// One input and what follows from it.
    pub async fn take(&mut self, input: Input) -> Result<String, OperatorError> {
        let answer = self.one(input).await;
        while let Some(next) = self.follow.pop_front() {
            drop(self.one(next).await);
        }
        self.publish();
        answer
    }

    async fn one(&mut self, input: Input) -> Result<String, OperatorError> {
        let now = clock::now();
        let turn = self.engine.handle(now, input);
        if !turn.changes.is_empty() {
            self.commit(turn.changes.clone(), now).await;
        }
        let (effects, answer) = (turn.effects.clone(), turn.answer.clone());
        self.engine.adopt(turn);
        if std::mem::take(&mut self.rewrite) {
            let whole = self.engine.whole(now);
            drop(tokio::time::timeout(STORE_PATIENCE, self.store.commit(whole, now)).await);
        }
        effects.into_iter().for_each(|effect| self.act(effect));
        answer
    }

    /// Durable before visible, but visible at any price.
    async fn commit(&mut self, changes: Changes, now: Timestamp) {
        let saved = tokio::time::timeout(STORE_PATIENCE, self.store.commit(changes.clone(), now)).await;
        match saved {
            Ok(Ok(warnings)) => {
                if warnings.iter().any(|w| w.kind == WarningKind::StartedFresh) {
                    // The database was replaced under us: everything has to be written again.
                    self.rewrite = true;
                }
                self.state_saved();
            }
            Ok(Err(lost)) => self.hold(changes, now, &lost).await,
            Err(_) => self.abandon_store(changes, now).await,
        }
    }

    async fn hold(&mut self, changes: Changes, now: Timestamp, lost: &StateLost) {
        if let Err(error) = self.store.hold(changes, now).await {
            tracing::error!("{error}");
        }
        self.state_lost(lost.said.clone());
    }

    /// The store hangs: go on in memory, with the same message ids.
    async fn abandon_store(&mut self, changes: Changes, now: Timestamp) {
        tracing::error!("the state store does not answer; raidmond goes on in memory");
        let (store, _) = Store::open(std::path::Path::new("/dev/null/raidmond"), now);
        self.store = store;
        if let Err(error) = self.store.hold(changes, now).await {
            tracing::error!("{error}");
        }
        self.publisher.stop_files();
        self.state_lost("the disk that holds the state does not answer".to_owned());
    }

    fn state_lost(&mut self, said: String) {
        if self.lost.is_none() {
            let words = format!("raidmond cannot save its state: {said}");
            let remedy = "look at the disk that holds the state directory; messages are sent from memory meanwhile";
            let fact = fact(ConditionKind::StateLost, STATE_LOST, words, Some(remedy));
            self.follow.push_back(Input::Monitor { key: STATE_LOST.to_owned(), fact: Some(fact) });
        }
        self.lost = Some(said);
    }

    fn state_saved(&mut self) {
        if self.lost.take().is_some() {
            self.follow.push_back(Input::Monitor { key: STATE_LOST.to_owned(), fact: None });
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

    fn act(&mut self, effect: Effect) {
        match effect {
            Effect::Poll { space, at, after } => {
                self.polls.nudge(space, &at, Duration::try_from(after).unwrap_or_default());
            }
            Effect::Deliver => self.store.wake(),
        }
    }

    async fn delivered(&mut self, report: Report) {
        let name = &report.delivery.channel;
        let local =
            clock::now().to_zoned_datetime(self.setup.settings.time_zone.clone()).strftime("%H:%M:%S").to_string();
        let words = match &report.attempt {
            Attempt::Accepted { receipt, .. } => format!("{name} accepted {local}: {receipt}"),
            Attempt::Failed { said, .. } => format!("{name} failed {local}: {said}"),
        };
        tracing::info!("{words}");
        if let Some(thread) = &report.delivery.notice.thread {
            self.around.deliveries.retain(|(id, d)| *id != thread.incident || !d.starts_with(&format!("{name} ")));
            self.around.deliveries.push((thread.incident, words));
            let surplus = self.around.deliveries.len().saturating_sub(200);
            self.around.deliveries.drain(..surplus);
        }
        self.look_at_channels().await;
    }

    /// A channel that fails is an incident on the others.
    pub async fn look_at_channels(&mut self) {
        let Ok(health) = self.store.health(clock::now()).await else { return };
        self.around.channels = health
            .iter()
            .map(|h| ChannelDoc {
                name: h.channel.clone(),
                failing_since: h.failing_since,
                said: h.last_error.clone(),
                waiting: h.backlog as u64,
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

    pub fn publish(&mut self) {
        self.around.sources = self.scanners.sources(&self.polls);
        self.publisher.publish(self.engine.state(), &self.around);
    }

    pub fn sources_ok(&self) -> Result<(), String> {
        self.polls.alive()
    }

    /// A new configuration is in force.
    pub async fn adopt_setup(&mut self, setup: Setup) {
        self.engine.settings = setup.settings.clone();
        self.around.nobody_told = setup.nobody_told.clone();
        self.around.host = setup.settings.host_name.clone();
        self.scanners.reload(&setup.logs);
        self.polls.reload(&setup);
        self.setup = setup;
        drop(self.take(Input::Monitor { key: "config".to_owned(), fact: None }).await);
        self.tell_nobody_told().await;
        self.look_at_channels().await;
    }

    /// A warning for whoever looks: nobody else hears it.
    pub async fn tell_nobody_told(&mut self) {
        let said = self.setup.nobody_told.as_ref().map(|why| format!("nobody will be told: {why}"));
        let fact = said.map(|said| fact(ConditionKind::NobodyTold, "channels", said, Some("raidmond setup")));
        drop(self.take(Input::Monitor { key: "nobody told".to_owned(), fact }).await);
    }

    pub async fn refuse_setup(&mut self, why: String) {
        tracing::error!("the new configuration is not used: {why}");
        let words = format!("the new configuration has mistakes, the old one stays in force: {why}");
        let fact = fact(ConditionKind::ConfigRefused, "config", words, Some("raidmond config check"));
        drop(self.take(Input::Monitor { key: "config".to_owned(), fact: Some(fact) }).await);
    }
}

pub fn fact(kind: ConditionKind, name: &str, said: String, remedy: Option<&str>) -> MonitorFact {
    MonitorFact { kind, name: name.to_owned(), said, remedy: remedy.map(str::to_owned), since: clock::now() }
}
