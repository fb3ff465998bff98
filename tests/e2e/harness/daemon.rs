//! The daemon as a process: started, signalled, measured.

use super::{RAIDMOND, Stage, seconds, wait};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub struct Daemon {
    child: Child,
}

impl Daemon {
    /// Returns when its control socket answers.
    pub fn start(stage: &Stage, environment: &[(&str, &Path)]) -> Self {
        let dir = stage.dir.path();
        let log = File::options().create(true).append(true).open(dir.join("log")).unwrap();
        let socket = stage.socket();
        let mut command = Command::new(RAIDMOND);
        command.arg("run").arg("--config").arg(stage.config()).arg("--root").arg(stage.root());
        command.arg("--state-dir").arg(stage.state_dir()).arg("--run-dir").arg(dir.join("run"));
        command.arg("--socket").arg(&socket).env_remove("NOTIFY_SOCKET").env_remove("JOURNAL_STREAM");
        command.envs(environment.iter().copied()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let mut daemon = Self { child: command.spawn().unwrap() };
        wait("the control socket", seconds(20), || {
            assert!(daemon.child.try_wait().unwrap().is_none(), "the daemon ended at once");
            std::os::unix::net::UnixStream::connect(&socket).ok()
        });
        daemon
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    pub fn reload(&self) {
        self.signal(Signal::HUP);
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// How long it took to end well.
    pub fn stop(mut self) -> Duration {
        let begun = Instant::now();
        self.signal(Signal::TERM);
        let ended: ExitStatus = wait("the daemon to end", seconds(20), || self.child.try_wait().unwrap());
        assert!(ended.success(), "the daemon ended with {ended}");
        begun.elapsed()
    }

    /// Memory it holds now, and the most it ever held, in KiB.
    pub fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let field = |name: &str| {
            let line = status.lines().find_map(|l| l.strip_prefix(name)).unwrap();
            line.trim().trim_end_matches(" kB").parse().unwrap()
        };
        (field("VmRSS:"), field("VmHWM:"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Stage {
    /// How many processes of this host's tool there are now.
    pub fn running(&self, tool: &str) -> usize {
        let world = self.root().join("sim/world.json").display().to_string();
        let is_ours = |pid: &str| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = words.split(|b| *b == 0).collect();
            words.contains(&world.as_bytes()) && words.contains(&tool.as_bytes())
        };
        let pids = std::fs::read_dir("/proc").unwrap().flatten().map(|e| e.file_name().to_string_lossy().into_owned());
        pids.filter(|name| name.bytes().all(|b| b.is_ascii_digit())).filter(|pid| is_ours(pid)).count()
    }
}
