//! The simulated host: the real daemon on it, a script of faults, and a mail server of our own that
//! shows each alert as it is sent.

use crate::cli::Problem;
use crate::cli::problem::io_words;
use crate::clock;
use crate::daemon::{self, LogSource, Places, Setup};
use crate::history::HistoryConfig;
use crate::locate::Tools;
use crate::mailsink::{Mail, MailSink};
use crate::notify::render::Envelope;
use crate::notify::{Channel, MailSettings};
use crate::serve::socket::too_long;
use raidmond_core::checks::{Block, Checks, Rules, Selector};
use raidmond_core::incident::{ChannelSpec, Settings};
use raidmond_core::observe::LogKind;
use raidmond_core::schedule::Schedule;
use raidmond_core::severity::Severity;
use raidmond_sim::{Script, Sim, presets};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

pub struct Options {
    /// Simulated seconds in one real second.
    pub speed: f64,
    /// Channels to tell beside or instead of the built-in mail server: a drill.
    pub drill: Option<Setup>,
    pub dir: PathBuf,
    pub script: String,
}

/// Plays the script to its end; then a while longer, until the last messages are out.
pub async fn run(options: Options) -> Result<u64, Problem> {
    let root = options.dir.join("root");
    let exe = std::env::current_exe().map_err(|e| Problem::failed(format!("cannot find myself: {}", io_words(&e))))?;
    let world = presets::demo().at(u64::try_from(clock::now().as_second()).unwrap_or_default());
    let script =
        Script::parse(&options.script).map_err(|e| Problem::data(e.to_string(), "see raidmond demo --help"))?;
    let sim = Sim::create(&root, &exe, world)
        .map_err(|e| Problem::failed(format!("cannot make the simulated host: {}", io_words(&e))))?;
    let sink = MailSink::start(SocketAddr::from(([127, 0, 0, 1], 0)))
        .await
        .map_err(|e| Problem::failed(format!("cannot start the mail server of the demo: {}", io_words(&e))))?;
    let own_channels = options.drill.is_some();
    let setup = match options.drill {
        Some(drill) => drill,
        None => own_setup(&sink, options.speed)?,
    };
    let places = places(&options.dir);
    if let Some(what) = too_long(&places.socket) {
        return Err(Problem { what, help: Some("give a shorter --dir".to_owned()), code: 1 });
    }
    introduce(&places.socket, options.speed, own_channels);
    let local = tokio::task::LocalSet::new();
    local.run_until(play(places, setup, sim, script, sink, options.speed)).await
}

fn places(dir: &Path) -> Places {
    Places {
        root: dir.join("root"),
        state_dir: dir.join("state"),
        run_dir: dir.join("run"),
        socket: dir.join("raidmond.sock"),
    }
}

async fn play(
    places: Places,
    setup: Setup,
    sim: Sim,
    script: Script,
    sink: MailSink,
    speed: f64,
) -> Result<u64, Problem> {
    let over = Rc::new(Notify::new());
    let mut mails = sink.subscribe();
    let state_dir = places.state_dir.clone();
    let player = tokio::task::spawn_local(faults(sim, script, speed, Rc::clone(&over), state_dir.clone()));
    let keep: daemon::Reload = {
        let setup = setup.clone();
        Box::new(move || Ok(setup.clone()))
    };
    let mut daemon = tokio::task::spawn_local(daemon::run(places, setup, keep));
    let mut count = 0;
    loop {
        tokio::select! {
            Some(mail) = mails.recv() => {
                count += 1;
                show(&mail);
            }
            ended = &mut daemon => {
                player.abort();
                return ended.map_err(|e| Problem::failed(e.to_string()))?.map(|()| count);
            }
            () = over.notified() => break,
        }
    }
    player.abort();
    daemon.abort();
    show_check(&state_dir);
    Ok(count)
}

/// The last messages (a warning waits for its confirming look) come within this.
const LINGER: Duration = Duration::from_secs(40);
/// On a slow machine the looks come seldom; the end of the check is waited for this long.
const LINGER_FOR_CHECK: Duration = Duration::from_secs(80);

async fn faults(sim: Sim, mut script: Script, speed: f64, over: Rc<Notify>, state_dir: PathBuf) {
    let begun = Instant::now();
    let mut last = 0.0;
    // The daemon first sees a healthy host.
    tokio::time::sleep(Duration::from_secs(4)).await;
    loop {
        let elapsed = begun.elapsed().as_secs_f64() * speed;
        if let Err(error) = sim.advance(elapsed - last) {
            say!("--- the simulated host is broken: {}", io_words(&error));
            break;
        }
        last = elapsed;
        for words in script.due_words(elapsed) {
            say!("--- {elapsed:5.0} s on the simulated host: {words}\n");
        }
        for fault in script.due(elapsed) {
            if let Err(error) = sim.apply(&fault) {
                say!("--- the simulated host refused that: {}", io_words(&error));
            }
        }
        if script.next_at().is_none() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let played = Instant::now();
    while played.elapsed() < LINGER || (played.elapsed() < LINGER_FOR_CHECK && !check_ended(&state_dir)) {
        let elapsed = begun.elapsed().as_secs_f64() * speed;
        if sim.advance(elapsed - last).is_err() {
            break;
        }
        last = elapsed;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    over.notify_one();
}

fn introduce(socket: &Path, speed: f64, own_channels: bool) {
    say!("A simulated host db3 with four RAID controllers. Nothing of this machine is touched.");
    if !own_channels {
        say!("The real raidmond watches it; mails go to a mail server inside this program and are shown here.");
    }
    say!("One second here is {speed} on the simulated host. In another terminal:");
    say!("    raidmond status --watch --socket {}\n", socket.display());
}

fn show(mail: &Mail) {
    say!("=== mail to {}", mail.to.join(", "));
    say!("Subject: {}", mail.subject());
    say!();
    for line in mail.text().lines() {
        say!("    {line}");
    }
    say!();
}

/// When the weekly check of the demo comes, in simulated seconds: everything is whole again by then.
const CHECK_AT: f64 = 125.0;

/// One array is checked every week, and the story happens to be played then.
fn weekly(speed: f64) -> Result<Checks, Problem> {
    let zone = jiff::tz::TimeZone::system();
    let at = clock::now() + jiff::SignedDuration::from_secs((CHECK_AT / speed) as i64);
    let words = at.to_zoned_datetime(zone).strftime("%a %H:%M:%S").to_string();
    let schedule = Schedule::parse(&words).map_err(|e| Problem::failed(e.to_string()))?;
    let rules = Rules { schedule, spread: jiff::SignedDuration::ZERO, ..Rules::default() };
    let selector = Selector { array: Some("sda".to_owned()), ..Selector::default() };
    let block = Block { selector, run: Some(true), ..Block::default() };
    Ok(Checks { rules, blocks: vec![block], ..Checks::default() })
}

fn check_ended(state_dir: &Path) -> bool {
    let history = crate::store::Reader::open(state_dir).and_then(|reader| reader.history(None, 500));
    history.is_ok_and(|rows| rows.iter().any(|row| row.kind == "check" && row.said.contains("completed")))
}

/// The weekly check, from the order to what it found.
fn show_check(state_dir: &Path) {
    let read = |reader: crate::store::Reader| Ok((reader.audit(20)?, reader.history(None, 500)?));
    let Ok((audit, history)) = crate::store::Reader::open(state_dir).and_then(read) else { return };
    let clock = |at: jiff::Timestamp| at.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%H:%M:%S");
    say!("--- The weekly check of c0/v0, as raidmond wrote it down (raidmond audit, raidmond events)");
    for row in audit.iter().rev() {
        say!("    {}  {}, for the {}: {}", clock(row.at), row.what, row.who, row.said);
    }
    for row in history.iter().rev().filter(|row| row.kind == "check" && row.path.ends_with("c0/v0")) {
        say!("    {}  {}", clock(row.at), row.said);
    }
}

fn own_setup(sink: &MailSink, speed: f64) -> Result<Setup, Problem> {
    let mailbox = |address: &str| address.parse().map_err(|e| Problem::failed(format!("{address}: {e}")));
    let envelope =
        Envelope { from: mailbox("raidmond@db3.example")?, to: vec![mailbox("admin@db3.example")?], sender: None };
    let settings = MailSettings {
        server: format!("smtp://{}", sink.address()),
        envelope,
        login: None,
        ca: None,
        hello: None,
        timeout: Duration::from_secs(10),
    };
    let mail = crate::notify::Mail::new("mail", settings).map_err(Problem::failed)?;
    let tools = Tools::default();
    Ok(Setup {
        settings: Settings {
            host_name: "db3".to_owned(),
            time_zone: jiff::tz::TimeZone::system(),
            channels: vec![ChannelSpec { name: "mail".to_owned(), min_severity: Severity::Warning }],
            drill: true,
            locator: tools.locator(),
            checks: weekly(speed)?,
            ability: Arc::new(crate::act::able),
            ..Settings::default()
        },
        channels: vec![Arc::new(Channel::Mail(mail))],
        broken: Vec::new(),
        nobody_told: None,
        cautions: Vec::new(),
        logs: vec![LogSource {
            name: "megaserv.log".to_owned(),
            path: PathBuf::from("/var/log/megaserv.log"),
            kind: LogKind::Megaserv,
            rules: Vec::new(),
            found: true,
        }],
        deadman: None,
        deadman_every: Duration::from_secs(60),
        poll_every: Duration::from_secs(5),
        tool_dirs: Vec::new(),
        disabled: Vec::new(),
        consume_alarms: false,
        tool_limit: Duration::from_secs(60),
        permits: crate::act::Permits { scheduled: true, ..crate::act::Permits::default() },
        ignored: Vec::new(),
        tools,
        history: HistoryConfig { interval: Duration::from_secs(10), ..HistoryConfig::default() },
        http: None,
    })
}
