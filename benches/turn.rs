//! What one turn of the loop costs on a big host (the simulated `big`: 4 controllers, 100 disks), and
//! what it costs to show the result. `cargo bench --bench turn`.
//!
//! The host is read once through its tools; then only memory is measured.

// A bench is a program of its own; what fails here should stop it.
#![allow(clippy::expect_used)]

use raidmond::cli::paint::Paint;
use raidmond::cli::screen::Screen;
use raidmond::poll::{self, Spoken};
use raidmond::run::Runner;
use raidmond::serve::status::{self, Surroundings};
use raidmond::{clock, discover};
use raidmond_core::host::SourceKey;
use raidmond_core::incident::{Engine, Input, Settings, State};
use raidmond_core::observe::{Carry, Context, LogKind, Observation, Scanner};
use raidmond_sim::{Sim, presets};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Each row runs about this long.
const EACH: Duration = Duration::from_millis(400);

const LOG: &str = "sd 0:2:1:0: [sdb] tag#12 Sense Key : Medium Error [current] \n\
    blk_update_request: I/O error, dev sdb, sector 488397000 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0\n\
    megaraid_sas 0000:18:00.0: 12567 (749175033s/0x0002/WARN) - Unexpected sense: PD 0b(e0x08/s2)\n";

fn main() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (devices, spoken) = read_big(dir.path());
    let mut engine = Engine::new(Settings::default(), State::default());
    take(&mut engine, devices);
    for reading in &spoken {
        take(&mut engine, input(reading));
    }
    introduce(&engine);
    turns(&engine, spoken.last().expect("a controller"));
    shows(&engine);
}

fn read_big(dir: &Path) -> (Input, Vec<Spoken>) {
    let (root, run) = (dir.join("root"), dir.join("run"));
    std::fs::create_dir_all(&run).expect("a directory");
    Sim::create(&root, Path::new(env!("CARGO_BIN_EXE_raidmond")), presets::big()).expect("a simulated host");
    let inventory = discover::discover(&root, &[]);
    let runner = Runner::new(&root, Vec::new(), &run);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let spoken = runtime.block_on(poll::survey(&runner, &inventory, None));
    let devices = Input::Devices { blocks: inventory.blocks.clone(), scsi_hosts: inventory.scsi_hosts.clone() };
    (devices, spoken)
}

fn input(spoken: &Spoken) -> Input {
    let key = SourceKey { family: spoken.family.to_owned(), about: spoken.about() };
    Input::Reading { key, reading: Box::new(spoken.reading.clone()) }
}

fn take(engine: &mut Engine, input: Input) {
    let turn = engine.handle(clock::now(), input);
    engine.adopt(turn);
}

fn introduce(engine: &Engine) {
    let view = engine.state().host.view();
    let (controllers, arrays, disks) = (view.controllers.len(), view.arrays.len(), view.disks.len());
    let documents = engine.whole(clock::now()).puts;
    let bytes: usize = documents.iter().map(|put| put.json.len()).sum();
    println!("{controllers} controllers, {arrays} arrays, {disks} disks; saved state {} KiB\n", bytes >> 10);
    assert!(disks >= 100, "the simulated host was not read");
    println!("{:<44} {:>10} {:>8}", "", "median us", "runs");
}

fn turns(engine: &Engine, last: &Spoken) {
    let now = clock::now();
    let seen = observations(256);
    let observed = |lines: usize| Input::Observations {
        source: "kernel".to_owned(),
        observations: seen[..lines].to_vec(),
        rates: Default::default(),
        cursor: Some("{}".to_owned()),
        past: false,
    };
    row("turn: the clock", || black_box(engine.handle(now, Input::Tick)));
    row("turn: a controller read again, nothing new", || black_box(engine.handle(now, input(last))));
    saved(engine, input(last));
    row("turn: 1 log line", || black_box(engine.handle(now, observed(1))));
    row("turn: 256 log lines", || black_box(engine.handle(now, observed(256))));
    row("turn: a log moved on, nothing found", || black_box(engine.handle(now, observed(0))));
    println!();
    let state = engine.state();
    row("of it: copying the state", || black_box(state.clone()));
    row("of it: one picture of the host", || black_box(state.host.view()));
    row("of it: diagnosis", || {
        black_box(raidmond_core::diagnose::diagnose(&state.host, &state.memory, &engine.settings.policy, now))
    });
    println!();
}

/// What a poll without news writes to disk.
fn saved(engine: &Engine, input: Input) {
    let puts = engine.handle(clock::now(), input).changes.puts;
    let words: Vec<String> =
        puts.iter().map(|p| format!("{} {} {} bytes", p.collection, p.key, p.json.len())).collect();
    println!("    saved by it: {}", if words.is_empty() { "nothing".to_owned() } else { words.join(", ") });
}

fn observations(lines: usize) -> Vec<Observation> {
    let log: String = LOG.split_inclusive('\n').cycle().take(lines).collect();
    let scanner = Scanner::new(LogKind::Kernel, &[]).expect("no user rules");
    scanner.scan(log.as_bytes(), &Context::default(), &mut Carry::default()).observations
}

fn shows(engine: &Engine) {
    let (around, now) = (Surroundings::default(), clock::now());
    let doc = status::document(engine.state(), &around, now);
    row("status: the document", || black_box(status::document(engine.state(), &around, now)));
    row("status: as JSON", || black_box(serde_json::to_vec(&doc).expect("JSON")));
    let json = serde_json::to_vec(&doc).expect("JSON");
    row("status: from JSON", || black_box(serde_json::from_slice::<status::StatusDoc>(&json).expect("JSON")));
    let screen = Screen { doc: &doc, now, width: 100, paint: Paint::detect(), from_file: false };
    row("status: the screen", || black_box(screen.text()));
}

fn row<T>(name: &str, mut run: impl FnMut() -> T) {
    let (begun, mut times) = (Instant::now(), Vec::new());
    while begun.elapsed() < EACH || times.len() < 5 {
        let start = Instant::now();
        drop(run());
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    println!("{name:<44} {:10.0} {:8}", times[times.len() / 2], times.len());
}
