//! The life of one child.

use super::capture::Capture;
use super::find::Finder;
use super::lock::{self, Held};
use super::workdir::WorkDir;
use super::{Limits, no_answer};
use raidmond_core::survey::{Answer, Asked, Outcome};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Error, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

/// How long a lock held by somebody else is waited for: the child before us may be just ending.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// How long output is waited for after the child ended; a grandchild may hold the pipe for ever.
const LINGER: Duration = Duration::from_millis(500);

/// How long a killed child may take to go.
const REAP: Duration = Duration::from_secs(2);

/// All the environment a tool gets.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("LC_ALL", "C"),
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
];

pub(super) struct Start {
    pub finder: Finder,
    pub argv: Vec<String>,
    pub lock: PathBuf,
    pub state_dir: PathBuf,
    /// How long the lock is waited for.
    pub patience: Duration,
}

pub(super) struct Ran {
    pub answer: Answer,
    /// `false`: it could not run, or the one before it still does; that says nothing new about the tool.
    pub tried: bool,
}

enum Failure {
    Held(Held),
    /// No such tool, or not allowed.
    Tool(Error),
    /// The tool is there and cannot be run.
    Exec(Error),
    Surroundings(Error),
}

impl Start {
    pub(super) async fn run(self, limit: Duration, limits: &Limits) -> Ran {
        let asked = Asked::Cmd(self.argv.clone());
        let deadline = Instant::now() + limit;
        let answer = match timeout_at(deadline, self.spawn()).await {
            Ok(Some(Ok((child, work)))) => attend(asked, child, work, deadline, limits).await,
            Ok(Some(Err(failure))) => return Ran { answer: failure.answer(asked), tried: false },
            Ok(None) => Failure::Surroundings(Error::other("no thread to start it")).answer(asked),
            Err(_) => no_answer(asked, "could not be started in time\n".to_owned()),
        };
        Ran { answer, tried: true }
    }

    /// In a thread, because finding and executing a file on a dead disk may never return. A child that
    /// comes after nobody waits any more is dropped and so killed.
    async fn spawn(self) -> Option<Result<(Child, WorkDir), Failure>> {
        let (send, receive) = oneshot::channel();
        let runtime = tokio::runtime::Handle::current();
        let start = move || {
            let _inside = runtime.enter();
            send.send(self.spawn_here()).ok();
        };
        std::thread::Builder::new().name("start a command".to_owned()).spawn(start).ok()?;
        receive.await.ok()
    }

    fn spawn_here(self) -> Result<(Child, WorkDir), Failure> {
        let name = self.argv.first().map(String::as_str).unwrap_or_default();
        let tool = self.finder.find(name).map_err(Failure::Tool)?;
        let work = WorkDir::new(&self.state_dir).map_err(Failure::Surroundings)?;
        let lock = self.take_lock().map_err(Failure::Held)?;
        let mut command = Command::new(tool);
        command.args(self.argv.iter().skip(1)).env_clear().envs(ENVIRONMENT).current_dir(&work.0);
        command.stdin(Stdio::from(lock)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.process_group(0).kill_on_drop(true).spawn().map_err(Failure::Exec)?;
        Ok((child, work))
    }

    /// The lock alone, for what needs no child.
    pub(super) fn hold(&self) -> Result<std::os::fd::OwnedFd, Box<Answer>> {
        let asked = || Asked::Cmd(Vec::new());
        // It holds the locks, too.
        let _work = WorkDir::new(&self.state_dir).map_err(|e| Box::new(Failure::Surroundings(e).answer(asked())))?;
        self.take_lock().map_err(|held| Box::new(Failure::Held(held).answer(asked())))
    }

    fn take_lock(&self) -> Result<std::os::fd::OwnedFd, Held> {
        let until = std::time::Instant::now() + self.patience;
        loop {
            match lock::take(&self.lock) {
                Err(Held::Since(_)) if std::time::Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                other => return other,
            }
        }
    }
}

impl Failure {
    fn answer(self, asked: Asked) -> Answer {
        let (outcome, text) = match self {
            Failure::Held(Held::Since(since)) => {
                let since = since.map_or_else(|| "an unknown time".to_owned(), |since| since.to_string());
                return no_answer(asked, format!("still running since {since}\n"));
            }
            Failure::Tool(error) if error.kind() == ErrorKind::PermissionDenied => (denied(), error),
            Failure::Exec(error) if error.kind() == ErrorKind::PermissionDenied => (denied(), error),
            Failure::Tool(error) => (Outcome { absent: true, ..Outcome::default() }, error),
            // As a shell says it; the file is there, its interpreter or loader is not.
            Failure::Exec(error) if error.kind() == ErrorKind::NotFound => (exit(127), error),
            Failure::Exec(error) => (exit(126), error),
            Failure::Held(Held::Broken(error)) => (exit(125), error.into()),
            Failure::Surroundings(error) => (exit(125), error),
        };
        Answer { asked, stdout: Vec::new(), stderr: format!("cannot be run: {text}\n").into_bytes(), outcome }
    }
}

fn denied() -> Outcome {
    Outcome { denied: true, ..Outcome::default() }
}

fn exit(exit: i32) -> Outcome {
    Outcome { exit, ..Outcome::default() }
}

async fn attend(asked: Asked, mut child: Child, work: WorkDir, deadline: Instant, limits: &Limits) -> Answer {
    let flood = Arc::new(Notify::new());
    let mut stdout = Capture::start(child.stdout.take(), limits.output, Arc::clone(&flood));
    let mut stderr = Capture::start(child.stderr.take(), limits.output, Arc::clone(&flood));
    let mut outcome = tokio::select! {
        status = child.wait() => status.map_or_else(|_| exit(125), ended),
        () = flood.notified() => Outcome { truncated: true, ..Outcome::default() },
        () = sleep_until(deadline) => Outcome { timed_out: true, ..Outcome::default() },
    };
    if outcome.truncated || outcome.timed_out {
        stop(child, work, limits.grace).await;
    }
    timeout(LINGER, async { tokio::join!(stdout.ended(), stderr.ended()) }).await.ok();
    let ((stdout, cut), (stderr, cut_too)) = (stdout.finish(), stderr.finish());
    outcome.truncated |= cut || cut_too;
    Answer { asked, stdout, stderr, outcome }
}

/// TERM, KILL, or leave it: what does not even heed KILL sleeps in the kernel. It is reaped when it wakes.
async fn stop(mut child: Child, work: WorkDir, grace: Duration) {
    for (signal, patience) in [(Signal::TERM, grace), (Signal::KILL, REAP)] {
        if let Some(group) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
            kill_process_group(group, signal).ok();
        }
        if timeout(patience, child.wait()).await.is_ok() {
            return;
        }
    }
    tokio::spawn(async move {
        child.wait().await.ok();
        drop(work);
    });
}

fn ended(status: ExitStatus) -> Outcome {
    let signal = status.signal().map(signal_name);
    Outcome { exit: status.code().unwrap_or(0), signal, ..Outcome::default() }
}

fn signal_name(number: i32) -> String {
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
        "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
        "WINCH", "IO", "PWR", "SYS",
    ];
    let name = usize::try_from(number - 1).ok().and_then(|index| NAMES.get(index));
    name.map_or_else(|| format!("signal {number}"), |name| format!("SIG{name}"))
}
