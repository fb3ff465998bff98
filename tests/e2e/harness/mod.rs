//! A stage for the stories: a simulated host, the real daemon on it as a process of its own, a real mail
//! server and a webhook receiver. A story breaks something, waits for what a person receives, and asks
//! the command line what it says.
//!
//! Nothing here judges: what must be true stands in the stories. Waiting is always for a condition; a
//! story that waits in vain shows the mails that came and the end of the daemon's log.

mod background;
mod browser;
mod client;
mod daemon;
mod hook;
mod mailbox;
mod turns;

pub use background::Background;
pub use browser::{Browser, installed};
pub use client::Said;
pub use daemon::Daemon;
pub use hook::Hook;
pub use mailbox::{Letter, Mailbox};

use raidmond_sim::world::World;
use raidmond_sim::{Sim, presets, script};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use turns::Turn;

/// The program under test; the simulated host's tools are the same program.
pub const RAIDMOND: &str = env!("CARGO_BIN_EXE_raidmond");

/// For what is played without a stage.
pub fn turn() -> impl Drop {
    Turn::wait()
}

pub fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// A port that nobody listens on, a moment ago.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Looks again and again until there is something to see.
pub fn wait<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(begun.elapsed() < within, "waited {} s in vain for: {what}", within.as_secs());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What a story chooses before it begins.
pub struct Plan {
    /// Names of the demo host's controllers that are there.
    pub controllers: &'static [&'static str],
    /// More configuration, after the usual one.
    pub config: String,
    /// Another name for the first array.
    pub array_name: Option<&'static str>,
    /// No mail server and no webhook in the configuration.
    pub nobody: bool,
    /// The state directory is made by the story.
    pub state_dir: Option<PathBuf>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { controllers: &["c0"], config: String::new(), array_name: None, nobody: false, state_dir: None }
    }
}

pub struct Stage {
    pub mailbox: Mailbox,
    pub hook: Hook,
    pub dir: TempDir,
    state_dir: PathBuf,
    sim: Sim,
    daemon: Option<Daemon>,
    _turn: Turn,
}

impl Stage {
    /// Everything but the daemon.
    pub fn set(plan: Plan) -> Self {
        let turn = Turn::wait();
        let dir = tempfile::Builder::new().prefix("raidmond-e2e-").tempdir().unwrap();
        let mut world = world(plan.controllers);
        if let Some(name) = plan.array_name {
            world.controllers[0].arrays[0].name = name.to_owned();
        }
        let sim = Sim::create(&dir.path().join("root"), Path::new(RAIDMOND), world).unwrap();
        let (mailbox, hook) = (Mailbox::open(), Hook::open());
        let state_dir = plan.state_dir.unwrap_or_else(|| dir.path().join("state"));
        let stage = Self { mailbox, hook, dir, state_dir, sim, daemon: None, _turn: turn };
        let usual = if plan.nobody { String::new() } else { stage.channels() };
        stage.write_config(&format!("{BASICS}{usual}{}", plan.config));
        stage
    }

    /// With the daemon, which has read everything once.
    pub fn play(plan: Plan) -> Self {
        let mut stage = Self::set(plan);
        stage.start();
        stage.wait_until_read();
        stage
    }

    fn channels(&self) -> String {
        let secret = self.dir.path().join("hook-secret");
        write_private(&secret, hook::SECRET);
        format!(
            "[mail]\nto = [\"ops@db3.example\"]\nfrom = \"raidmond@db3.example\"\nserver = \"smtp://{}\"\ntimeout = \"5s\"\n\
             [[webhook]]\nname = \"chat\"\nurl = \"http://{}/hook\"\nsecret-file = \"{}\"\n",
            self.mailbox.address(),
            self.hook.address(),
            secret.display()
        )
    }

    /// Whoever is on the machine may look; by default the socket is for root and a group.
    pub fn open_to_everybody(&self) {
        use std::os::unix::fs::PermissionsExt;
        let open = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        open(self.dir.path(), 0o755);
        open(&self.socket(), 0o666);
    }

    pub fn socket(&self) -> PathBuf {
        self.dir.path().join("raidmond.sock")
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    pub fn config(&self) -> PathBuf {
        self.dir.path().join("raidmond.toml")
    }

    pub fn read_config(&self) -> String {
        std::fs::read_to_string(self.config()).unwrap()
    }

    pub fn write_config(&self, text: &str) {
        write_private(&self.config(), text);
    }

    /// Something happens to the host, in the script's words: "disk c0 32:5 fails".
    pub fn happens(&self, what: &str) {
        self.sim.apply(&script::fault(what).unwrap()).unwrap();
    }

    /// Simulated time passes: spares take over, rebuilds go on.
    pub fn pass(&self, simulated_seconds: f64) {
        self.sim.advance(simulated_seconds).unwrap();
    }

    /// A line appears in the host's megaserv.log.
    pub fn megaserv(&self, line: &str) {
        append(&self.megaserv_log(), &format!("{line}\n"));
    }

    pub fn megaserv_log(&self) -> PathBuf {
        self.root().join("var/log/megaserv.log")
    }

    pub fn start(&mut self) {
        self.start_with(&[]);
    }

    pub fn start_with(&mut self, environment: &[(&str, &Path)]) {
        self.daemon = Some(Daemon::start(self, environment));
    }

    pub fn daemon(&mut self) -> &mut Daemon {
        self.daemon.as_mut().expect("a daemon was started")
    }

    /// As a power cut: no time to say good-bye.
    pub fn kill(&mut self) {
        self.daemon.take().expect("a daemon was started").kill();
    }

    /// As the service manager stops it; how long it took.
    pub fn stop(&mut self) -> Duration {
        self.daemon.take().expect("a daemon was started").stop()
    }

    /// All there is to read has been read once.
    pub fn wait_until_read(&self) {
        wait("everything to be read once", seconds(60), || {
            let status = self.status_json()?;
            let sources = status["watching"].as_array()?;
            let waiting = sources.iter().any(|s| s["state"] == "not read yet");
            (!waiting && !status["read_at"].is_null()).then_some(())
        });
    }

    /// Every controller is asked again soon, without waiting for its turn.
    pub fn look_again(&mut self) {
        self.daemon().reload();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- mails that came:");
            self.mailbox.letters().iter().for_each(|l| eprintln!("{} {}", l.header("Message-ID"), l.subject()));
            eprintln!("--- status:\n{}", self.ask(&["status"]).out);
            let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            eprintln!("--- end of the daemon's log:\n{}", lines[lines.len().saturating_sub(30)..].join("\n"));
        }
        // Before its directory goes: it would write there once more.
        drop(self.daemon.take());
    }
}

/// `config` goes on after this: it ends at the top level.
const BASICS: &str = "host-name = \"db3\"\ntime-zone = \"UTC\"\npoll-interval = \"1s\"\n[digest]\nenabled = false\n";

fn world(controllers: &[&str]) -> World {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let mut world = presets::demo().at(now);
    world.controllers.retain(|c| controllers.contains(&c.id.as_str()));
    world
}

pub fn append(path: &Path, text: &str) {
    use std::io::Write;
    let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn write_private(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}
