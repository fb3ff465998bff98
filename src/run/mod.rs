//! The only place that starts processes, and where adapters' questions meet the machine.
//!
//! [`Runner::ask`] answers a [`Query`], which can only read; [`Runner::act`] runs a command that changes
//! something. They are two calls so that no question can become a change by mistake. Both always return an
//! [`Answer`]: a tool that is missing, refused, hanging or flooding is an answer too.
//!
//! - Nothing here may block the daemon, whatever hangs: files are read and processes started in threads
//!   that can be left behind (a stat or an exec on a dead disk never returns).
//! - A command gets its deadline, then TERM, then after a grace KILL, each to its process group. One that
//!   survives that (it sleeps in the kernel) is left alone and keeps its lock (`lock`).
//! - After some failures in a row a lock's commands are not tried (`breaker`) for a while.
//!
//! All paths are taken under a root directory, so that the simulated host is asked like a real one. Not
//! done here: deciding what to ask, caching, understanding answers.

mod breaker;
mod capture;
mod command;
mod find;
mod lock;
mod read;
mod workdir;
mod write;

pub use breaker::BreakerState;

use breaker::Breaker;
use command::Start;
use find::Finder;
use raidmond_adapters::Write;
use raidmond_core::survey::{Answer, Asked, Deadline, Outcome, Query};
use read::Reads;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What a command may take.
#[derive(Debug, Clone)]
pub struct Limits {
    pub quick: Duration,
    pub normal: Duration,
    pub long: Duration,
    /// Between TERM and KILL.
    pub grace: Duration,
    /// Bytes kept of stdout, and of stderr; a command that says more is stopped.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        let output = 8 * 1024 * 1024;
        Self { quick: seconds(10), normal: seconds(60), long: seconds(180), grace: seconds(5), output }
    }
}

impl Limits {
    /// In proportion to what a usual question may take.
    pub fn for_usual(normal: Duration) -> Self {
        Self { quick: (normal / 6).max(Duration::from_secs(1)), normal, long: normal * 3, ..Self::default() }
    }

    fn of(&self, deadline: Deadline) -> Duration {
        match deadline {
            Deadline::Quick => self.quick,
            Deadline::Normal => self.normal,
            Deadline::Long => self.long,
        }
    }
}

pub struct Runner {
    root: PathBuf,
    finder: Finder,
    state_dir: PathBuf,
    limits: Limits,
    reads: Reads,
    breakers: Mutex<HashMap<String, Breaker>>,
}

impl Runner {
    /// `tool_dirs` are searched before the usual ones, `lock_dir` (created when missing) holds the locks and
    /// the commands' working directories; best on a tmpfs.
    pub fn new(root: impl Into<PathBuf>, tool_dirs: Vec<PathBuf>, lock_dir: impl Into<PathBuf>) -> Self {
        let (root, state_dir) = (root.into(), lock_dir.into());
        workdir::sweep(&state_dir);
        Self {
            finder: Finder::new(root.clone(), tool_dirs),
            root,
            state_dir,
            limits: Limits::default(),
            reads: Reads::default(),
            breakers: Mutex::default(),
        }
    }

    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// `lock` names the tool and controller: of each there is at most one child at a time.
    pub async fn ask(&self, query: &Query, lock: &str) -> Answer {
        let limit = self.limits.of(query.deadline);
        let begun = Instant::now();
        let mut answer = match &query.asked {
            Asked::Cmd(argv) => self.ask_command(argv, lock, limit).await,
            Asked::File(_) | Asked::Dir(_) => {
                self.reads.read(&self.root, &query.asked, limit, self.limits.output).await
            }
            // Logs are watched, mail is only inspected.
            Asked::Log(_) | Asked::Mail(_) => Answer::not_captured(query.asked.clone()),
        };
        answer.outcome.took_seconds = Some(begun.elapsed().as_secs_f64());
        answer
    }

    /// Run a command that changes something; `false`: it was not started, so nothing was changed. It is
    /// tried even where questions are not, and waits for a question under way.
    pub async fn act(&self, argv: &[String], lock: &str, deadline: Deadline) -> (Answer, bool) {
        let begun = Instant::now();
        let limit = self.limits.of(deadline);
        let start = Start { patience: limit / 2, ..self.start(argv, lock) };
        let mut ran = start.run(limit, &self.limits).await;
        ran.answer.outcome.took_seconds = Some(begun.elapsed().as_secs_f64());
        (ran.answer, ran.tried)
    }

    /// Write words to files of the kernel; `false`: nothing was written. In a thread, because a write to a
    /// busy array may wait for its disks.
    pub async fn write(&self, writes: &[Write], lock: &str) -> (Answer, bool) {
        let asked = Asked::File(writes.last().map_or(String::new(), |w| w.path.clone()));
        if writes.is_empty() || !writes.iter().all(write::is_allowed) {
            let outcome = Outcome { denied: true, ..Outcome::default() };
            let stderr = b"raidmond does not write that\n".to_vec();
            return (Answer { asked, stdout: Vec::new(), stderr, outcome }, false);
        }
        let start = self.start(&[], lock);
        let (root, writes) = (self.root.clone(), writes.to_vec());
        let work = move || match start.hold() {
            Ok(_held) => (write::all(&root, &writes), true),
            Err(answer) => (*answer, false),
        };
        let (send, receive) = tokio::sync::oneshot::channel();
        // Whoever waited may have given up.
        let thread = std::thread::Builder::new().name("write to the kernel".to_owned());
        if thread.spawn(move || drop(send.send(work()))).is_err() {
            return (no_answer(asked, "no thread to write it\n".to_owned()), false);
        }
        match tokio::time::timeout(self.limits.quick, receive).await {
            Ok(Ok(written)) => written,
            _ => (no_answer(asked, "not written in time\n".to_owned()), true),
        }
    }

    /// Where a tool is, as the machine watched sees it; `None` when absent or not executable. Looks at the
    /// disk and may block.
    pub fn find_tool(&self, name: &str) -> Option<PathBuf> {
        self.finder.find(name).ok()
    }

    pub fn breaker(&self, lock: &str) -> BreakerState {
        self.with_breaker(lock, |breaker| breaker.state(Instant::now()))
    }

    /// Tools that were left alone are asked again when their turn comes.
    pub fn forgive(&self) {
        self.breakers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    async fn ask_command(&self, argv: &[String], lock: &str, limit: Duration) -> Answer {
        if let BreakerState::Open { failures, retry_in } = self.breaker(lock) {
            let seconds = retry_in.as_secs();
            let text = format!("not asked: {failures} failures in a row, next try in {seconds} s\n");
            return no_answer(Asked::Cmd(argv.to_vec()), text);
        }
        let ran = self.start(argv, lock).run(limit, &self.limits).await;
        let failed = ran.answer.outcome.timed_out || ran.answer.outcome.signal.is_some();
        if ran.tried {
            self.with_breaker(lock, |breaker| breaker.record(!failed, Instant::now()));
        }
        ran.answer
    }

    fn start(&self, argv: &[String], lock: &str) -> Start {
        Start {
            finder: self.finder.clone(),
            argv: argv.to_vec(),
            lock: self.state_dir.join(lock::file_name(lock)),
            state_dir: self.state_dir.clone(),
            patience: command::PATIENCE,
        }
    }

    fn with_breaker<T>(&self, lock: &str, with: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        with(breakers.entry(lock.to_owned()).or_default())
    }
}

/// The tool said nothing in time, or was not asked because it would not.
fn no_answer(asked: Asked, why: String) -> Answer {
    let outcome = Outcome { timed_out: true, ..Outcome::default() };
    Answer { asked, stdout: Vec::new(), stderr: why.into_bytes(), outcome }
}
