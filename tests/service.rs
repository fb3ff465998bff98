//! What starts the daemon: the init script and the units, run in a throw-away root with stand-ins.
//!
//! Not here: real systemd (tests/vm has it) and real init.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn contrib(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib").join(path)
}

fn program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn says(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A host with a stand-in for the daemon, driven by the real init script.
struct Host {
    dir: TempDir,
}

impl Host {
    fn new(daemon: &str, settings: &str) -> Self {
        let host = Self { dir: tempfile::tempdir().unwrap() };
        program(&host.path("raidmond"), daemon);
        let root = host.dir.path().display();
        let defaults =
            format!("DAEMON={root}/raidmond\nPIDFILE={root}/pid\nLOG={root}/log\nSTOP_SECONDS=5\n{settings}");
        fs::write(host.path("defaults"), defaults.replace("ROOT", &root.to_string())).unwrap();
        host
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The exit status of the script.
    fn init(&self, verb: &str) -> i32 {
        let mut script = Command::new("sh");
        let script = script.arg(contrib("init.d/raidmond")).arg(verb).env("RAIDMOND_DEFAULTS", self.path("defaults"));
        let output = script.output().unwrap();
        println!("{verb}: {}", says(&output).trim());
        output.status.code().unwrap()
    }

    fn pid(&self) -> String {
        self.text("pid").trim().to_owned()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.init("stop");
    }
}

/// Writes down what it is told and lives until TERM.
const DAEMON: &str = r#"#!/bin/sh
echo "words: $*"
trap 'echo hup' HUP
trap 'echo term; exit 0' TERM
while :; do sleep 0.1; done
"#;

/// Does not listen to TERM.
const STUBBORN: &str = "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n";

#[test]
fn the_init_script_starts_reloads_and_stops_one_daemon() {
    let host = Host::new(DAEMON, "OPTIONS='--config /x y'\n");
    assert_eq!(host.init("status"), 3);
    assert_eq!(host.init("reload"), 7);
    assert_eq!(host.init("start"), 0);
    assert_eq!(host.init("status"), 0);
    let first = host.pid();
    assert_eq!(host.init("start"), 0);
    assert_eq!(host.pid(), first, "a second daemon was started");
    assert_eq!(host.init("reload"), 0);
    assert_eq!(host.init("restart"), 0);
    assert_ne!(host.pid(), first);
    assert_eq!(host.init("stop"), 0);
    assert_eq!(host.init("status"), 3);
    let words = "words: run --config /x y";
    assert_eq!(host.text("log").lines().collect::<Vec<_>>(), [words, "hup", "term", words, "term"]);
}

#[test]
fn the_init_script_says_when_the_daemon_died() {
    let host = Host::new(DAEMON, "");
    assert_eq!(host.init("start"), 0);
    assert!(Command::new("kill").args(["-KILL", &host.pid()]).status().unwrap().success());
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(host.init("status"), 1);
    // The number belongs to somebody else now: not ours to stop.
    fs::write(host.path("pid"), std::process::id().to_string()).unwrap();
    assert_eq!(host.init("status"), 1);
    assert_eq!(host.init("start"), 0);
    assert_eq!(host.init("status"), 0);
}

#[test]
fn the_init_script_kills_a_daemon_that_does_not_listen() {
    let host = Host::new(STUBBORN, "STOP_SECONDS=1\n");
    assert_eq!(host.init("start"), 0);
    assert_eq!(host.init("stop"), 0);
    assert_eq!(host.init("status"), 3);
}

#[test]
fn the_init_script_does_not_pretend() {
    assert_eq!(Host::new("#!/bin/sh\nexit 1\n", "").init("start"), 1);
    assert_eq!(Host::new(DAEMON, "DAEMON=ROOT/nowhere\n").init("start"), 5);
    assert_eq!(Host::new(DAEMON, "").init("dance"), 2);
}

#[test]
fn the_node_of_old_cards_is_made_when_asked_for() {
    let settings =
        "MEGADEV=yes\nMEGADEV_NODE=ROOT/node\nMKNOD='ROOT/mknod'\nPROC_DEVICES=ROOT/devices\nPROC_MISC=ROOT/misc\n";
    for (devices, misc, expected) in [
        ("  1 mem\n253 megadev\n", "", "-m 600 ROOT/node c 253 0\n"),
        ("252 megadev_legacy\n", " 59 megadev0\n", "-m 600 ROOT/node c 10 59\n"),
        ("  1 mem\n", "", ""),
    ] {
        let host = Host::new(DAEMON, settings);
        program(&host.path("mknod"), "#!/bin/sh\necho \"$*\" >>\"$(dirname \"$0\")/made\"\n");
        fs::write(host.path("devices"), devices).unwrap();
        fs::write(host.path("misc"), misc).unwrap();
        assert_eq!(host.init("start"), 0);
        assert_eq!(host.text("made"), expected.replace("ROOT", &host.dir.path().display().to_string()));
    }
    let unasked = Host::new(DAEMON, &settings.replace("MEGADEV=yes", ""));
    fs::write(unasked.path("devices"), "253 megadev\n").unwrap();
    program(&unasked.path("mknod"), "#!/bin/sh\necho >\"$(dirname \"$0\")/made\"\n");
    assert_eq!(unasked.init("start"), 0);
    assert!(!unasked.path("made").exists());
}

#[test]
fn a_dead_daemon_is_told_by_mail_and_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let note = "#!/bin/sh\necho \"$(basename \"$0\") $*\" >>\"$(dirname \"$0\")/did\"\n";
    for name in ["logger", "systemd-run"] {
        program(&dir.path().join(name), note);
    }
    program(&dir.path().join("wall"), "#!/bin/sh\ncat >/dev/null\n");
    program(&dir.path().join("systemctl"), "#!/bin/sh\necho 'Active: failed'\n");
    program(&dir.path().join("sendmail"), "#!/bin/sh\ncat >\"$(dirname \"$0\")/mail\"\n");
    let path = format!("{}:/usr/bin:/bin", dir.path().display());
    let mut script = Command::new("sh");
    script.arg(contrib("systemd/tell-failed")).arg("raidmond.service").env("PATH", path).env("MAILTO", "ops");
    assert!(script.status().unwrap().success());
    let did = fs::read_to_string(dir.path().join("did")).unwrap();
    assert!(did.contains("logger -p daemon.crit"), "{did}");
    assert!(did.contains("systemctl start raidmond.service"), "{did}");
    let mail = fs::read_to_string(dir.path().join("mail")).unwrap();
    let (head, body) = mail.split_once("\n\n").unwrap();
    assert!(head.starts_with("To: ops\nSubject: [raidmond "), "{mail}");
    assert!(head.contains("CRITICAL: raidmond.service died"), "{mail}");
    assert!(body.contains("Active: failed"), "{mail}");
}

/// Lines that must not come, and those everything else rests on.
#[test]
fn the_unit_lets_the_tools_live() {
    let unit = fs::read_to_string(contrib("systemd/raidmond.service")).unwrap();
    let lines: Vec<&str> = unit.lines().filter(|l| !l.starts_with('#')).collect();
    for key in [
        "MemoryMax=",
        "PrivateDevices=",
        "DeviceAllow=",
        "DevicePolicy=",
        "ProtectClock=",
        "ProtectKernelLogs=",
        "SystemCallArchitectures=",
        "LockPersonality=",
        "MemoryDenyWriteExecute=",
    ] {
        assert!(!lines.iter().any(|l| l.starts_with(key)), "{key} breaks vendor tools");
        let explained = key.starts_with("DeviceAllow") || unit.contains(key);
        assert!(explained, "{key} is left open without a reason");
    }
    for line in ["Type=notify", "WatchdogSec=120", "KillMode=process", "RuntimeDirectoryPreserve=yes"] {
        assert!(lines.contains(&line), "{line} is missing");
    }
}

#[test]
fn systemd_understands_the_units() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["raidmond.service", "raidmond-failed@.service"] {
        let text = fs::read_to_string(contrib("systemd").join(name)).unwrap();
        let text = text.replace("/usr/bin/raidmond", "/bin/true").replace("/usr/lib/raidmond/tell-failed", "/bin/true");
        fs::write(dir.path().join(name), text).unwrap();
    }
    let mut verify = Command::new("systemd-analyze");
    verify.arg("verify").arg(dir.path().join("raidmond.service")).arg(dir.path().join("raidmond-failed@x.service"));
    fs::copy(dir.path().join("raidmond-failed@.service"), dir.path().join("raidmond-failed@x.service")).unwrap();
    let Ok(output) = verify.output() else {
        println!("SKIPPED: systemd-analyze is not installed (0 units verified)");
        return;
    };
    let said = says(&output);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
    println!("units: 2 verified");
}
