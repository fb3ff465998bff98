//! The daemon: one loop that owns the engine, and the sources and channels around it.
//!
//! Sources (polls, logs, the control socket, the clock) send what they heard to one inbox; the loop
//! turns each into an engine input, commits what follows, then acts. Nothing here judges health.

mod inbox;
mod itself;
mod life;
mod logs;
mod orders;
mod poller;
mod publish;
mod setup;
mod turn;

pub use inbox::Heard;
pub use setup::{LogSource, NOBODY, Setup};

use crate::cli::Problem;
use crate::cli::problem::io_words;
use crate::history::Recording;
use crate::serve::http::Http;
use crate::serve::socket;
use crate::serve::web::Looking;
use crate::store::Store;
use crate::{clock, watch};
use raidmond_core::incident::{Engine, State, load};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use turn::Daemon;

/// Where everything is.
#[derive(Debug, Clone)]
pub struct Places {
    /// What the machine is read under: `/`, or a simulated host.
    pub root: PathBuf,
    pub state_dir: PathBuf,
    /// Locks and working directories of tools; best on a tmpfs.
    pub run_dir: PathBuf,
    pub socket: PathBuf,
}

/// Gives the configuration anew on SIGHUP; an error keeps the old one.
pub type Reload = Box<dyn Fn() -> Result<Setup, String>>;

/// Longest time one delivery attempt may take.
const ATTEMPT_LIMIT: Duration = Duration::from_secs(60);

/// Runs until SIGTERM or SIGINT.
pub async fn run(places: Places, setup: Setup, reload: Reload) -> Result<(), Problem> {
    let local = tokio::task::LocalSet::new();
    local.run_until(start(places, setup, reload)).await
}

async fn start(places: Places, setup: Setup, reload: Reload) -> Result<(), Problem> {
    let now = clock::now();
    let listener = socket::bind(&places.socket).map_err(|e| no_socket(&places.socket, &e))?;
    let (store, warnings) = Store::open(&places.state_dir, now);
    let (state, unreadable) = load_state(&store).await;
    let (inbox, heard) = mpsc::channel(64);
    let (reports, delivered) = mpsc::unbounded_channel();
    let (publisher, status) = publish::start(places.state_dir.clone());

    let polls = poller::start(&places, &setup, &state.cursors, inbox.clone());
    let (go, held_back) = oneshot::channel();
    logs::start(&places, &setup, &state, held_back, inbox.clone());
    hints(&places, polls.clone());
    let pump = life::Pumping::start(&setup, &store, reports);
    let wishes = inbox::wishes(inbox.clone(), Heard::Wish);
    let checks = inbox::wishes(inbox.clone(), Heard::Check);
    let looking = Looking { status: status.clone(), state_dir: places.state_dir.clone() };
    let aside = life::Aside {
        recording: Recording::start(places.state_dir.clone(), setup.history.clone(), status.clone()),
        http: Http::start(setup.http.clone(), looking.clone()),
    };
    let desk = socket::Desk { looking, wishes, checks, trusted_uid: rustix::process::getuid().as_raw() };
    tokio::task::spawn_local(socket::serve(listener, desk));
    tokio::task::spawn_local(inbox::deliveries(delivered, inbox.clone()));

    let engine = Engine::new(setup.settings.clone(), state);
    let mut daemon = Daemon::new(engine, store, setup, polls, inbox, publisher, go);
    daemon.begin(&warnings, unreadable).await;
    let ended = life::run(&mut daemon, heard, reload, pump, aside).await;
    if std::fs::remove_file(&places.socket).is_err() {
        tracing::debug!("the control socket was gone already");
    }
    ended
}

/// The kernel says at once that an md array changed.
fn hints(places: &Places, polls: poller::Polls) {
    let (send, mut changed) = mpsc::channel(1);
    watch::md(&places.root, send);
    tokio::task::spawn_local(async move {
        while changed.recv().await.is_some() {
            polls.nudge_family("md");
        }
    });
}

fn no_socket(path: &Path, error: &std::io::Error) -> Problem {
    let cannot = || format!("cannot open the control socket {}: {}", path.display(), io_words(error));
    let (what, help) = match (socket::too_long(path), error.kind()) {
        (Some(what), _) => (what, "use --socket with a shorter path"),
        (None, ErrorKind::AddrInUse) => (cannot(), "stop the other one (systemctl stop raidmond), or use --socket"),
        (None, ErrorKind::PermissionDenied) => (cannot(), "run it as root, or use --socket in a directory of yours"),
        (None, _) => (cannot(), "use --socket with a path in a directory that can be written"),
    };
    Problem { what, help: Some(help.to_owned()), code: 1 }
}

/// Saved state, or a fresh one with the reason.
async fn load_state(store: &Store) -> (State, Option<String>) {
    let mut documents = Vec::new();
    for collection in ["state", "incident", "cursor"] {
        match store.documents(collection).await {
            Ok(rows) => documents.extend(rows.into_iter().map(|(key, json)| (collection, key, json))),
            Err(lost) => return (fresh(), Some(lost.to_string())),
        }
    }
    let (mut state, problem) = match load(documents.iter().map(|(c, k, j)| (*c, k.as_str(), j.as_str()))) {
        Ok(state) => (state, None),
        Err(error) => (fresh(), Some(error.to_string())),
    };
    if state.instance.is_empty() {
        state.instance = instance();
    }
    (state, problem)
}

fn fresh() -> State {
    State { instance: instance(), ..State::default() }
}

/// A word that no other database has: keeps message ids apart.
fn instance() -> String {
    let random = ring::rand::SystemRandom::new();
    let mut bytes = [0_u8; 4];
    match ring::rand::SecureRandom::fill(&random, &mut bytes) {
        Ok(()) => bytes.iter().map(|b| format!("{b:02x}")).collect(),
        Err(_) => format!("{:x}", clock::now().as_nanosecond()),
    }
}

/// Events of watched logs, as they come from [`watch`].
pub(crate) type WatchEvent = watch::Event;
