//! The outer loop: inbox, timers, signals, watchdog; and the end.

use super::inbox::Heard;
use super::turn::Daemon;
use super::{ATTEMPT_LIMIT, Reload, Setup};
use crate::cli::Problem;
use crate::cli::problem::io_words;
use crate::clock;
use crate::history::Recording;
use crate::notify::pump::{Clock, Pump, Report};
use crate::serve::http::Http;
use crate::store::{Retention, Store};
use jiff::{SignedDuration, Timestamp};
use raidmond_core::incident::Input;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// Ready after this long, whatever has not answered yet.
const READY_AFTER: Duration = Duration::from_secs(30);
/// Longest time between two looks at the clock, the channels and the storage.
const HOUSEKEEPING: Duration = Duration::from_secs(30);

/// How long attempts under way are waited for when the channels are replaced or the daemon ends.
const LAST_WORDS: Duration = Duration::from_millis(1500);

/// The running delivery loop.
pub struct Pumping {
    pub store: Store,
    reports: mpsc::UnboundedSender<Report>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Pumping {
    pub fn start(setup: &Setup, store: &Store, reports: mpsc::UnboundedSender<Report>) -> Self {
        let stop = watch::Sender::new(false);
        let pump = pump(setup, store, &reports, &stop);
        Self { store: store.clone(), reports, stop, task: tokio::task::spawn_local(pump.run()) }
    }

    /// New channels, or a store that had to be replaced. What is being sent is not cut off at once: it
    /// would go out twice.
    fn restart(&mut self, daemon: &Daemon) {
        let stop = watch::Sender::new(false);
        let new = pump(&daemon.setup, &daemon.store, &self.reports, &stop);
        let old_stop = std::mem::replace(&mut self.stop, stop);
        let old = std::mem::replace(&mut self.task, tokio::task::spawn_local(async {}));
        self.store = daemon.store.clone();
        self.task = tokio::task::spawn_local(async move {
            end(&old_stop, old).await;
            new.run().await;
        });
    }

    async fn end(self) {
        end(&self.stop, self.task).await;
    }
}

async fn end(stop: &watch::Sender<bool>, mut task: JoinHandle<()>) {
    stop.send_replace(true);
    if tokio::time::timeout(LAST_WORDS, &mut task).await.is_err() {
        task.abort();
    }
}

fn pump(setup: &Setup, store: &Store, reports: &mpsc::UnboundedSender<Report>, stop: &watch::Sender<bool>) -> Pump {
    let clock: Clock = Arc::new(clock::now);
    let (channels, reports) = (setup.channels.clone(), reports.clone());
    Pump { store: store.clone(), stop: stop.subscribe(), channels, clock, attempt_limit: ATTEMPT_LIMIT, reports }
}

/// What runs beside the loop and never holds it up.
pub struct Aside {
    pub recording: Recording,
    pub http: Http,
}

struct Signals {
    hangup: Signal,
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

pub async fn run(
    daemon: &mut Daemon,
    mut inbox: mpsc::Receiver<Heard>,
    reload: Reload,
    mut pump: Pumping,
    mut aside: Aside,
) -> Result<(), Problem> {
    let mut signals =
        Signals::new().map_err(|e| Problem::failed(format!("cannot listen for signals: {}", io_words(&e))))?;
    let started = Instant::now();
    let mut service = Service::default();
    let mut housekeeping = Instant::now();
    loop {
        let wake = next_wake(daemon, housekeeping, started, &service);
        tokio::select! {
            heard = inbox.recv() => match heard {
                Some(heard) => daemon.hear(heard).await,
                None => return Ok(()),
            },
            () = sleep_until(wake) => drop(daemon.take(Input::Tick).await),
            _ = signals.hangup.recv() => reload_config(daemon, &reload, &mut pump, &mut aside).await,
            _ = signals.terminate.recv() => return stop(daemon, pump, aside).await,
            _ = signals.interrupt.recv() => return stop(daemon, pump, aside).await,
        }
        if daemon.store_was_replaced(&pump.store) {
            pump.restart(daemon);
        }
        if daemon.first_round_done || started.elapsed() >= READY_AFTER {
            service.ready();
        }
        service.status(daemon);
        if Instant::now() >= housekeeping {
            housekeeping = Instant::now() + HOUSEKEEPING;
            keep_house(daemon, &mut service).await;
        }
    }
}

fn next_wake(daemon: &Daemon, housekeeping: Instant, started: Instant, service: &Service) -> Instant {
    let due = daemon.engine.next_wake().map(|at| {
        let wait = at.duration_since(clock::now()).max(SignedDuration::from_millis(200));
        Instant::now() + Duration::try_from(wait).unwrap_or(HOUSEKEEPING)
    });
    let ready = (!service.is_ready).then_some(started + READY_AFTER);
    due.into_iter().chain(ready).chain([housekeeping]).min().unwrap_or(housekeeping)
}

async fn keep_house(daemon: &mut Daemon, service: &mut Service) {
    daemon.try_storage_again().await;
    daemon.look_at_boot().await;
    daemon.look_at_channels().await;
    service.watchdog();
    let now = clock::now();
    if let Some(deadman) = daemon.setup.deadman.clone()
        && service.deadman_due(now, daemon.setup.deadman_every)
    {
        match daemon.alive() {
            Ok(()) => {
                let text = format!("{} {}", daemon.around.host, daemon.engine.state().verdict());
                tokio::task::spawn_local(async move {
                    if let Err(error) = deadman.ping(&text).await {
                        tracing::warn!("the dead-man URL did not take the ping: {}", error.said);
                    }
                });
            }
            Err(why) => tracing::warn!("no dead-man ping: {why}"),
        }
    }
    if service.prune_due(now) {
        let days = |n: i64| SignedDuration::from_hours(24 * n);
        let keep = Retention { receipts: days(90), history: days(400), audit: days(400) };
        if let Err(error) = daemon.store.prune(keep, now).await {
            tracing::debug!("{error}");
        }
    }
}

async fn reload_config(daemon: &mut Daemon, reload: &Reload, pump: &mut Pumping, aside: &mut Aside) {
    tracing::info!("reading the configuration again");
    match reload() {
        Ok(setup) => {
            aside.recording.reload(setup.history.clone());
            aside.http.reload(setup.http.clone());
            daemon.adopt_setup(setup).await;
            pump.restart(daemon);
        }
        Err(why) => daemon.refuse_setup(why).await,
    }
}

async fn stop(daemon: &mut Daemon, pump: Pumping, aside: Aside) -> Result<(), Problem> {
    tracing::info!("stopping");
    daemon.publish();
    // Not being run by systemd is no fault.
    drop(sd_notify::notify(&[sd_notify::NotifyState::Stopping]));
    pump.end().await;
    aside.recording.end().await;
    Ok(())
}

/// What the service manager is told.
#[derive(Default)]
struct Service {
    is_ready: bool,
    said: String,
    last_ping: Option<Timestamp>,
    last_prune: Option<Timestamp>,
}

impl Service {
    fn ready(&mut self) {
        if !self.is_ready {
            self.is_ready = true;
            drop(sd_notify::notify(&[sd_notify::NotifyState::Ready]));
        }
    }

    fn status(&mut self, daemon: &Daemon) {
        let state = daemon.engine.state();
        let top = state.conditions.first().filter(|c| c.severity.is_fault()).map(|c| c.headline.clone());
        let nobody = daemon.around.nobody_told.as_ref().map(|_| "NOBODY WILL BE TOLD. ").unwrap_or_default();
        let said = format!("{nobody}{}: {}", state.verdict(), top.unwrap_or_else(|| "nothing wrong".to_owned()));
        if said != self.said {
            drop(sd_notify::notify(&[sd_notify::NotifyState::Status(&said)]));
            self.said = said;
        }
    }

    /// Reached only when the loop goes round.
    fn watchdog(&self) {
        drop(sd_notify::notify(&[sd_notify::NotifyState::Watchdog]));
    }

    fn deadman_due(&mut self, now: Timestamp, every: Duration) -> bool {
        let every = SignedDuration::try_from(every).unwrap_or(SignedDuration::from_mins(5));
        let due = self.last_ping.is_none_or(|at| now.duration_since(at) >= every);
        if due {
            self.last_ping = Some(now);
        }
        due
    }

    fn prune_due(&mut self, now: Timestamp) -> bool {
        let due = self.last_prune.is_none_or(|at| now.duration_since(at) >= SignedDuration::from_hours(24));
        if due {
            self.last_prune = Some(now);
        }
        due
    }
}

impl Daemon {
    /// Whether raidmond really does its work: every watched controller was polled or is known to be
    /// unreadable, and messages move.
    fn alive(&self) -> Result<(), String> {
        self.sources_ok()?;
        let stuck = self.around.channels.iter().find(|c| {
            c.failing_since.is_some_and(|at| clock::now().duration_since(at) > SignedDuration::from_hours(1))
        });
        match stuck {
            Some(channel) => Err(format!("messages do not get through {}", channel.name)),
            None => Ok(()),
        }
    }

    fn store_was_replaced(&self, running: &Store) -> bool {
        !self.store.is_same(running)
    }
}
