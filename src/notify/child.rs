//! Running one command for a channel: its own process group, a deadline, bounded output.

use super::channel::SendError;
use rustix::process::{Pid, Signal, kill_process_group};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::JoinHandle;

const KEPT_OUTPUT: usize = 4096;
/// A background process may hold the output open; it is not waited for.
const AFTER_EXIT: Duration = Duration::from_millis(500);

pub(super) struct Job<'a> {
    pub argv: &'a [String],
    pub environment: Vec<(&'static str, String)>,
    pub input: Vec<u8>,
    pub deadline: Duration,
}

pub(super) struct Ended {
    pub status: ExitStatus,
    /// What it wrote, standard error first.
    pub said: String,
}

pub(super) async fn run(job: Job<'_>) -> Result<Ended, SendError> {
    let program = job.argv.first().ok_or_else(|| SendError::refused("no command is configured"))?;
    let mut child = start(&job, program).map_err(|e| SendError::refused(format!("{program} does not start: {e}")))?;
    let group = Group::of(&child);
    let errors = child.stderr.take().map(|pipe| tokio::spawn(collect(pipe)));
    let output = child.stdout.take().map(|pipe| tokio::spawn(collect(pipe)));
    let fed = tokio::spawn(feed(child.stdin.take(), job.input));
    let ended = tokio::time::timeout(job.deadline, child.wait()).await;
    fed.abort();
    let Ok(ended) = ended else {
        drop(group);
        return Err(SendError::later(format!("{program} did not end within {} s", job.deadline.as_secs())));
    };
    group.leave();
    let status = ended.map_err(|e| SendError::later(format!("{program}: {e}")))?;
    Ok(Ended { status, said: format!("{} {}", finish(errors).await, finish(output).await).trim().to_owned() })
}

fn start(job: &Job, program: &str) -> std::io::Result<Child> {
    Command::new(program)
        .args(job.argv.iter().skip(1))
        .env_clear()
        .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        .envs(job.environment.iter().map(|(key, value)| (*key, value.as_str())))
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// Kills the whole group when it is dropped before the command has ended.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// The command has ended; its number may belong to somebody else soon.
    fn leave(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            // It may be gone already.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

async fn feed(pipe: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut pipe) = pipe {
        // A command need not read its input.
        drop(pipe.write_all(&input).await);
    }
}

/// Reads to the end, so that the command is never blocked, and keeps the beginning.
async fn collect(mut pipe: impl AsyncRead + Unpin) -> String {
    let (mut kept, mut part) = (Vec::new(), [0_u8; 1024]);
    while let Ok(read @ 1..) = pipe.read(&mut part).await {
        let room = KEPT_OUTPUT.saturating_sub(kept.len());
        kept.extend(part.iter().take(read.min(room)));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

async fn finish(reader: Option<JoinHandle<String>>) -> String {
    let Some(mut reader) = reader else { return String::new() };
    let text = tokio::time::timeout(AFTER_EXIT, &mut reader).await;
    reader.abort();
    text.ok().and_then(Result::ok).unwrap_or_default()
}
