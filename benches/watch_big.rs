//! The real daemon on the simulated host `big` (4 controllers, 100 disks) with everything as it is by
//! default, until it is stopped. `benches/compare.sh` looks at it from outside.
//!
//! `watch_big DIR RAIDMOND`: host, state and socket lie in DIR, RAIDMOND is the program that plays the tools.

// A program for measuring; what fails here should stop it.
#![allow(clippy::expect_used, clippy::panic)]

use raidmond::daemon::{self, LogSource, Places, Setup};
use raidmond_core::incident::Settings;
use raidmond_core::observe::LogKind;
use raidmond_sim::{Sim, presets};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, dir, tools] = words.as_slice() else { panic!("watch_big DIR RAIDMOND") };
    let dir = Path::new(dir);
    let now = u64::try_from(raidmond::clock::now().as_second()).expect("a time after 1970");
    let world = presets::big().at(now);
    Sim::create(&dir.join("root"), Path::new(tools), world).expect("a simulated host");
    let places = Places {
        root: dir.join("root"),
        state_dir: dir.join("state"),
        run_dir: dir.join("run"),
        socket: dir.join("raidmond.sock"),
    };
    std::fs::create_dir_all(&places.run_dir).expect("a directory");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let keep: daemon::Reload = Box::new(|| Ok(setup()));
    runtime.block_on(daemon::run(places, setup(), keep)).expect("a daemon that stops well");
}

fn setup() -> Setup {
    let log = |name: &str| LogSource {
        name: name.to_owned(),
        path: PathBuf::from("/var/log").join(name),
        kind: LogKind::of_name(name),
        rules: Vec::new(),
        found: true,
    };
    Setup {
        cautions: Vec::new(),
        settings: Settings { host_name: "store1".to_owned(), ..Settings::default() },
        channels: Vec::new(),
        broken: Vec::new(),
        nobody_told: None,
        logs: vec![log("kern.log"), log("megaserv.log")],
        deadman: None,
        deadman_every: Duration::from_secs(300),
        poll_every: Duration::from_secs(60),
        tool_dirs: Vec::new(),
        disabled: Vec::new(),
        consume_alarms: false,
        permits: raidmond::act::Permits::default(),
        ignored: Vec::new(),
        tools: raidmond::locate::Tools::default(),
        tool_limit: std::time::Duration::from_secs(60),
        history: Default::default(),
        http: None,
    }
}
