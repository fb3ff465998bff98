//! One turn of the loop: input, engine, commit, adopt, act.

use super::inbox::Heard;
use super::logs::Scanners;
use super::orders::Orders;
use super::poller::Polls;
use super::publish::Publisher;
use super::setup::Setup;
use crate::notify::pump::Report;
use crate::serve::checks;
use crate::serve::socket::Said;
use crate::serve::status::Surroundings;
use crate::store::{StateLost, Store, WarningKind};
use crate::{clock, watch};
use jiff::Timestamp;
use raidmond_core::changes::Changes;
use raidmond_core::incident::{Effect, Engine, Input, OperatorError};
use raidmond_core::outbox::Attempt;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A store that answers no sooner is as good as lost: the failing disk may be the one below it.
pub(super) const STORE_PATIENCE: Duration = Duration::from_secs(10);

pub struct Daemon {
    pub engine: Engine,
    pub store: Store,
    pub setup: Setup,
    pub around: Surroundings,
    pub(super) polls: Polls,
    /// For what is carried out beside the loop.
    pub(super) inbox: mpsc::Sender<Heard>,
    pub(super) orders: Orders,
    publisher: Publisher,
    pub(super) scanners: Scanners,
    /// Lets the logs speak.
    go: Option<oneshot::Sender<()>>,
    /// Why the state cannot be saved now.
    pub(super) lost: Option<String>,
    /// Inputs that follow from a turn itself.
    pub(super) follow: VecDeque<Input>,
    /// Deliveries of this life, accepted and failed, by channel.
    pub(super) tries: BTreeMap<String, (u64, u64)>,
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
        inbox: mpsc::Sender<Heard>,
        publisher: Publisher,
        go: oneshot::Sender<()>,
    ) -> Self {
        let around = Surroundings {
            host: setup.settings.host_name.clone(),
            nobody_told: setup.nobody_told.clone(),
            cautions: setup.cautions.clone(),
            drill: setup.settings.drill,
            ..Surroundings::default()
        };
        let scanners = Scanners::new(&setup.logs, engine.state().cursors.keys());
        Self {
            engine,
            store,
            setup,
            around,
            polls,
            inbox,
            orders: Orders::default(),
            publisher,
            scanners,
            go: Some(go),
            lost: None,
            follow: VecDeque::new(),
            tries: BTreeMap::new(),
            rewrite: false,
            first_round_done: false,
        }
    }

    pub async fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Reading { key, reading, begun } => {
                self.polls.heard(&key, &reading);
                self.settled(&key, &reading, begun);
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
                drop(self.take(Input::Schedules(inventory.schedules.clone())).await);
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
            Heard::Check(request) => self.check_wished(request),
            Heard::Done(done) => {
                let input = self.done(&done);
                drop(self.take(input).await);
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
            let whole = self.engine.whole();
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

    fn act(&mut self, effect: Effect) {
        match effect {
            Effect::Poll { space, at, after } => {
                self.polls.nudge(space, &at, Duration::try_from(after).unwrap_or_default());
            }
            Effect::Check(order) => self.by_schedule(&order),
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
        let tries = self.tries.entry(name.clone()).or_default();
        match &report.attempt {
            Attempt::Accepted { .. } => tries.0 += 1,
            Attempt::Failed { .. } => tries.1 += 1,
        }
        if let Some(thread) = &report.delivery.notice.thread {
            self.around.deliveries.retain(|(id, d)| *id != thread.incident || !d.starts_with(&format!("{name} ")));
            self.around.deliveries.push((thread.incident, words));
            let surplus = self.around.deliveries.len().saturating_sub(200);
            self.around.deliveries.drain(..surplus);
        }
        self.look_at_channels().await;
    }

    pub fn publish(&mut self) {
        self.around.sources = self.scanners.sources(&self.polls);
        self.around.asking = self.polls.asking();
        self.around.checks = checks::documents(&self.engine.settings, self.engine.state(), clock::now());
        self.publisher.publish(self.engine.state(), &self.around);
    }

    pub(super) fn boot_id(&self) -> String {
        watch::boot_id(self.polls.root())
    }

    pub fn sources_ok(&self) -> Result<(), String> {
        self.polls.alive()
    }
}
