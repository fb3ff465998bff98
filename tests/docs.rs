//! The generated pages are what the program does: severities, adapters, the README's table of hardware.
//!
//! `RAIDMOND_BLESS=1 cargo test --test docs` rewrites them. What a person wrote about a family comes from
//! `docs/adapters/notes/FAMILY.md`; what was tried from `docs/adapters/tested.tsv`, whose numbers are
//! counted again where the real captures are at hand. The commands on a page are those the adapter
//! really asks the simulated host for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests

mod shared;
mod simulated;

use jiff::{SignedDuration, Timestamp};
use raidmond::cli::paint::Paint;
use raidmond::cli::screen::Screen;
use raidmond::notify::render;
use raidmond::serve::status;
use raidmond::serve::wire::word;
use raidmond_adapters::capture;
use raidmond_adapters::registry::{self, ADAPTERS};
use raidmond_adapters::{Adapter, Mutation, Said};
use raidmond_core::diagnose::ConditionKind;
use raidmond_core::host::SourceKey;
use raidmond_core::incident::{ChannelSpec, Engine, Input, Settings, State};
use raidmond_core::notice::Notice;
use raidmond_core::severity::Severity;
use raidmond_core::survey::{Answer, Deadline, Freshness, Known, Transcript};
use raidmond_sim::world::DiskState;
use raidmond_sim::{presets, script};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const GENERATED: &str = "<!-- Generated: RAIDMOND_BLESS=1 cargo test --test docs -->\n\n";

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(place(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Compares a page with what it should be, or rewrites it.
fn page(name: &str, text: &str) {
    if std::env::var_os("RAIDMOND_BLESS").is_some() {
        fs::write(place(name), text).unwrap();
    }
    let now = fs::read_to_string(place(name)).unwrap_or_default();
    assert!(now == text, "{name} is not what the program does; RAIDMOND_BLESS=1 cargo test --test docs, read the diff");
}

#[test]
fn severities() {
    let mut text = GENERATED.to_owned();
    text += "# Severities\n\n";
    text += &read("docs/severity.intro.md");
    text += "\n| Word | By default | Topic | Meaning |\n|---|---|---|---|\n";
    for kind in ConditionKind::ALL {
        let (word_, severity) = (kind.word(), kind.default_severity());
        writeln!(text, "| `{word_}` | {severity} | {} | {} |", word(&kind.topic()), kind.meaning()).unwrap();
    }
    text += "\n## Exit codes\n\n| Verdict | `status`, `inspect` |\n|---|---|\n";
    for severity in Severity::ALL.iter().rev() {
        writeln!(text, "| {severity} | {} |", severity.exit_code()).unwrap();
    }
    page("docs/severity.md", &text);
}

#[test]
fn adapters() {
    for adapter in ADAPTERS {
        page(&format!("docs/adapters/{}.md", adapter.family()), &adapter_page(*adapter));
    }
    let notes = fs::read_dir(place("docs/adapters/notes")).unwrap().flatten();
    for note in notes.map(|n| n.path()) {
        let family = note.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(registry::by_family(&family).is_some(), "notes of {family}, which is no adapter");
    }
}

fn adapter_page(adapter: &dyn Adapter) -> String {
    let family = adapter.family();
    let tested = tested(family);
    let mut text = GENERATED.to_owned();
    writeln!(text, "# {family}: {}\n", tested.controllers).unwrap();
    text += &read(&format!("docs/adapters/notes/{family}.md"));
    text += "\n## Tool\n\n";
    match adapter.watches_without_card() {
        Some(_) if adapter.follows_others() => {
            writeln!(text, "Asked wherever the tool is there, after the other families.\n").unwrap();
        }
        Some(path) => writeln!(text, "Watched wherever `{path}` is there.\n").unwrap(),
        None => writeln!(text, "Drivers: {}.\n", list(adapter.drivers())).unwrap(),
    }
    if adapter.tools().is_empty() {
        text += "- None is needed: the driver's own files are read.\n";
    }
    for tool in adapter.tools() {
        writeln!(text, "- {}. Looked for in `PATH` and {}.", list(tool.names), list(tool.paths)).unwrap();
        writeln!(text, "  How to get it: {}.", tool.how_to_get).unwrap();
    }
    text += &questions(adapter);
    text += &changes(adapter);
    text += &words(adapter);
    text += "\n## What was tried\n\n";
    writeln!(
        text,
        "- Public captures read: {}; of them with a verdict given by a person or by the source's own tests: {}.",
        tested.captures, tested.judged
    )
    .unwrap();
    writeln!(text, "- Simulated host: {}.\n- Real hardware: {}.", tested.simulated, tested.hardware).unwrap();
    text
}

fn list(words: &[&str]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}

/// One example of each kind of question, asked of the simulated host.
fn questions(adapter: &dyn Adapter) -> String {
    let host = if tested(adapter.family()).simulated == "no" { "" } else { " of the simulated host" };
    let example = match adapter.watches_without_card() {
        Some(_) if adapter.follows_others() => "The disks of one controller, as an example.".to_owned(),
        Some(_) if adapter.family() == "bond" => "One bond, as an example.".to_owned(),
        Some(_) if adapter.family() == "ses" => "One enclosure, as an example.".to_owned(),
        Some(_) => "One array, as an example.".to_owned(),
        None => format!("One controller{host}, as an example."),
    };
    let mut text = format!(
        "\n## What is asked\n\n{example} A question that only some answers call for is \
                    not in this table.\n\n| Question | Asked as | How often | Deadline |\n|---|---|---|---|\n"
    );
    let mut seen = BTreeSet::new();
    for (query, _) in simulated::asked(adapter) {
        if seen.insert((query.kind, query.freshness)) {
            let (often, deadline) = (often(query.freshness), seconds(query.deadline));
            writeln!(text, "| {} | `{}` | {often} | {deadline} |", query.kind.0, query.asked).unwrap();
        }
    }
    text
}

fn often(freshness: Freshness) -> &'static str {
    match freshness {
        Freshness::Fast => "every poll",
        Freshness::Slow => "every 15 minutes",
        Freshness::Daily => "daily",
    }
}

fn seconds(deadline: Deadline) -> &'static str {
    match deadline {
        Deadline::Quick => "10 s",
        Deadline::Normal => "60 s",
        Deadline::Long => "180 s",
    }
}

/// All that raidmond may ever change through this family.
fn changes(adapter: &dyn Adapter) -> String {
    let mut text = "\n## What may be changed\n\nThe whole list. A question cannot change anything: it is of another type, and nothing that reads an answer can issue one of these.\n\n".to_owned();
    let tool = adapter.tools().first().map_or("", |t| t.names[0]);
    let array = match adapter.family() {
        "aacraid" => "c1/v0",
        "tw_cli" => "c0/u0",
        "md" => "md0",
        _ => "c0/v0",
    };
    let disks = match adapter.family() {
        "hp" => vec!["c0/1I:1:5"],
        _ => vec!["c0/32:5", "c0/p5", "c1/ch0:5"],
    };
    let Some(maintenance) = adapter.maintenance() else { return text + "- nothing\n" };
    let locate = |on| {
        let each = |disk: &&str| maintenance.command(tool, &Mutation::Locate { disk: (*disk).to_owned(), on });
        disks.iter().map(each).find(Result::is_ok).or_else(|| disks.first().map(each)).unwrap()
    };
    let array = || array.to_owned();
    let rows = [
        ("start a check", maintenance.command(tool, &Mutation::StartCheck { array: array() })),
        ("stop a check", maintenance.command(tool, &Mutation::StopCheck { array: array() })),
        ("pause a check", maintenance.command(tool, &Mutation::PauseCheck { array: array() })),
        ("resume a check", maintenance.command(tool, &Mutation::ResumeCheck { array: array() })),
        (
            "check and rewrite what differs, only when asked for exactly that",
            maintenance.command(tool, &Mutation::VerifyFix { array: array() }),
        ),
        ("lamp on", locate(true)),
        ("lamp off", locate(false)),
    ];
    for (what, act) in &rows {
        match act {
            Ok(act) => writeln!(text, "- {what}: `{act}`").unwrap(),
            Err(why) => writeln!(text, "- {what}: no; {why}").unwrap(),
        }
    }
    let checks = !["hp", "megaraid_legacy"].contains(&adapter.family());
    assert_eq!(rows[0].1.is_ok(), checks, "{}: a check of {}", adapter.family(), array());
    text
}

fn words(adapter: &dyn Adapter) -> String {
    let mut text = "\n## Words\n\nA word that is not here gives a warning that quotes it.\n".to_owned();
    let mut of = "";
    for term in adapter.vocabulary() {
        if term.of != of {
            of = term.of;
            write!(text, "\n**{of}**\n\n| Word | Means |\n|---|---|\n").unwrap();
        }
        writeln!(text, "| `{}` | {} |", term.word.replace('|', "\\|"), meaning(term.means)).unwrap();
    }
    text
}

fn meaning(said: Said) -> String {
    match said {
        Said::Array(state) => format!("array {}", word(&state)),
        Said::Disk(state) => format!("disk {}", word(&state)),
        Said::Cache(state) => format!("cache protection {}", word(&state)),
        Said::Part(state) => format!("part {}", word(&state)),
        Said::Controller(state) => format!("controller {}", word(&state)),
        Said::Task(kind, state) => format!("task {} {}", word(&kind), word(&state)),
        Said::Finding(kind) => format!("finding {}", word(&kind)),
        Said::Health(well) => format!("the disk calls itself {}", if well { "well" } else { "failing" }),
        Said::Sign(sign) => format!("sign {}", word(&sign)),
    }
}

#[derive(Clone)]
struct Tested {
    family: String,
    controllers: String,
    captures: usize,
    judged: usize,
    simulated: String,
    hardware: String,
}

fn table() -> Vec<Tested> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [family, controllers, captures, judged, simulated, hardware] = cells[..] else {
            panic!("tested.tsv: {line}")
        };
        Tested {
            family: family.to_owned(),
            controllers: controllers.to_owned(),
            captures: captures.parse().unwrap(),
            judged: judged.parse().unwrap(),
            simulated: simulated.to_owned(),
            hardware: hardware.to_owned(),
        }
    };
    read("docs/adapters/tested.tsv").lines().skip(1).map(row).collect()
}

fn tested(family: &str) -> Tested {
    table().into_iter().find(|t| t.family == family).unwrap_or_else(|| panic!("{family} is not in tested.tsv"))
}

#[test]
fn what_was_tried_is_counted() {
    let families: Vec<String> = table().iter().map(|t| t.family.clone()).collect();
    let registered: Vec<&str> = ADAPTERS.iter().map(|a| a.family()).collect();
    assert_eq!(families, registered, "tested.tsv");
    let Some(corpus) = shared::shared("corpus") else { return };
    let manifest = fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
    let mut counted = read("docs/adapters/tested.tsv").lines().next().unwrap().to_owned() + "\n";
    for t in table() {
        let (captures, judged) = count(&manifest, &t.family);
        let cells = [&t.family, &t.controllers, &captures.to_string(), &judged.to_string(), &t.simulated, &t.hardware];
        counted += &(cells.map(String::as_str).join("\t") + "\n");
    }
    page("docs/adapters/tested.tsv", &counted);
}

/// Captures of a family, and those with a verdict that no rule guessed.
fn count(manifest: &str, family: &str) -> (usize, usize) {
    let folders: &[&str] = match family {
        "aacraid" => &["aacraid/", "arcconf/"],
        "storcli" => &["storcli/", "perccli/"],
        "areca" => &["areca/"],
        "lsi_ir" => &["sasircu/", "mpt/"],
        "bond" => &["bonding/"],
        "boss" => &["boss/"],
        "omreport" => &["omreport/"],
        "dpt" => &["other/check_raid/dpt_i2o"],
        "gdth" => &["gdth/"],
        "ips" => &["ips/"],
        "storcli2" => &["storcli2/"],
        "megaraid_legacy" => &["megaraid_scsi/"],
        "megacli" => &["megacli/"],
        "tw_cli" => &["tw_cli/"],
        "hp" => &["hp/", "cciss/"],
        "md" => &["mdadm/"],
        "ses" => &["ses/"],
        "smart" => &["smart/"],
        "zfs" => &["zfs/"],
        "btrfs" => &["btrfs/"],
        "lvm" => &["lvm/", "dmraid/"],
        other => panic!("where are the captures of {other}?"),
    };
    let rows: Vec<Vec<&str>> = manifest.lines().map(|l| l.split('\t').collect()).collect();
    let ours: Vec<&Vec<&str>> = rows.iter().filter(|r| folders.iter().any(|f| r[0].starts_with(f))).collect();
    let cell = |row: &[&str], n: usize| row.get(n).copied().unwrap_or("").to_owned();
    let judged = ours.iter().filter(|r| !cell(r, 7).is_empty() && !cell(r, 9).contains("auto"));
    (ours.len(), judged.count())
}

#[test]
fn the_readme_has_the_table_of_hardware() {
    let mut rows =
        "| Controllers | Read through | Public captures | Simulated | Real hardware |\n|---|---|---|---|---|\n"
            .to_owned();
    for t in table() {
        let adapter = registry::by_family(&t.family).unwrap();
        let tool = adapter.tools().iter().map(|t| t.names[0]).collect::<Vec<_>>().join(", ");
        let tool = if tool.is_empty() { "the driver's files".to_owned() } else { tool };
        let (captures, judged) = (t.captures, t.judged);
        let page = format!("[{tool}](docs/adapters/{}.md)", t.family);
        writeln!(
            rows,
            "| {} | {page} | {captures} ({judged} judged) | {} | {} |",
            t.controllers, t.simulated, t.hardware
        )
        .unwrap();
    }
    let block = format!("<!-- hardware -->\n{rows}<!-- /hardware -->");
    in_readme("hardware", &block);
}

/// Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->`. One at a time: the tests share the file.
fn in_readme(name: &str, block: &str) {
    static README: Mutex<()> = Mutex::new(());
    let _one = README.lock().unwrap();
    let readme = read("README.md");
    let (before, rest) = readme.split_once(&format!("<!-- {name} -->\n")).expect("the marker");
    let (_, after) = rest.split_once(&format!("<!-- /{name} -->")).expect("the marker's end");
    page("README.md", &format!("{before}{block}{after}"));
}

/// The mail and the screen in the README are what raidmond makes of this story of the simulated host.
#[test]
fn the_readme_shows_a_real_mail_and_a_real_screen() {
    let mut story = Story::new();
    story.look();
    story.sim("disk c0 32:2 media-errors 3");
    story.look();
    story.sim("disk c0 32:5 fails");
    let told = story.look();
    let mail = told.iter().max_by_key(|n| n.severity).expect("a mail");
    let text = render::text(mail).unwrap();
    in_readme(
        "mail",
        &format!("<!-- mail -->\n```\nSubject: {}\n\n{}```\n<!-- /mail -->", render::subject(mail), tidy(&text)),
    );
    let doc = story.status();
    let screen = Screen { doc: &doc, now: story.now, paint: Paint::plain(), width: 100, from_file: false };
    in_readme("status", &format!("<!-- status -->\n```\n{}```\n<!-- /status -->", tidy(&screen.text())));
}

fn tidy(text: &str) -> String {
    text.trim_end().lines().map(|l| l.trim_end().to_owned() + "\n").collect()
}

/// One simulated PERC without a spare, looked at through storcli by the engine itself.
struct Story {
    host: simulated::Host,
    engine: Engine,
    now: Timestamp,
}

impl Story {
    fn new() -> Self {
        let mut world = presets::demo();
        world.controllers.truncate(1);
        let spare = &mut world.controllers[0].disks[0];
        (spare.state, spare.spare) = (DiskState::Good, None);
        let channel = ChannelSpec { name: "mail".to_owned(), min_severity: Severity::Warning };
        let settings = Settings { host_name: "db3".to_owned(), channels: vec![channel], ..Settings::default() };
        let state = State { instance: "readme".to_owned(), ..State::default() };
        let now = Timestamp::from_second(i64::try_from(presets::START).unwrap()).unwrap();
        Self { host: simulated::Host::new(world), engine: Engine::new(settings, state), now }
    }

    fn sim(&mut self, fault: &str) {
        self.host.sim.advance(60.0).unwrap();
        self.now += SignedDuration::from_secs(60);
        self.host.sim.apply(&script::fault(fault).unwrap()).unwrap();
    }

    fn look(&mut self) -> Vec<Notice> {
        let adapter = registry::by_family("storcli").unwrap();
        let answers: Vec<Answer> = self.host.survey(adapter).into_iter().map(|(_, answer)| answer).collect();
        let reading = capture::read(&answers, &Known::default()).readings.remove(0);
        let key = SourceKey { family: "storcli".to_owned(), about: "c0".to_owned() };
        let turn = self.engine.handle(self.now, Input::Reading { key, reading: Box::new(reading) });
        let told = turn.changes.postings.iter().map(|p| p.notice.clone()).collect();
        self.engine.adopt(turn);
        told
    }

    fn status(&self) -> status::StatusDoc {
        let around = status::Surroundings { host: "db3".to_owned(), ..status::Surroundings::default() };
        status::document(self.engine.state(), &around, self.now)
    }
}

/// ARCHITECTURE.md names the tests that hold the invariants: they must exist.
#[test]
fn the_tests_named_in_the_architecture_exist() {
    let text = read("ARCHITECTURE.md");
    let (_, invariants) = text.split_once("## Invariants").expect("the chapter");
    let (invariants, _) = invariants.split_once("## Where it differs").expect("the next chapter");
    let names: BTreeSet<&str> =
        invariants.split('`').skip(1).step_by(2).filter(|n| n.matches('_').count() > 1).collect();
    let mut sources = String::new();
    gather(&place("src"), &mut sources);
    gather(&place("crates"), &mut sources);
    gather(&place("tests"), &mut sources);
    let missing: Vec<&&str> = names.iter().filter(|n| !sources.contains(&format!("fn {n}("))).collect();
    assert!(names.len() > 30 && missing.is_empty(), "{} names; not there: {missing:?}", names.len());
}

fn gather(folder: &Path, into: &mut String) {
    for path in fs::read_dir(folder).unwrap().flatten().map(|e| e.path()) {
        match path.extension() {
            _ if path.is_dir() => gather(&path, into),
            Some(end) if end == "rs" => *into += &fs::read_to_string(&path).unwrap(),
            _ => {}
        }
    }
}

/// Every field of the JSON documents is explained.
#[test]
fn every_field_of_the_documents_is_described() {
    let text = read("docs/inspect.md");
    let mut fields = 0;
    for source in ["src/serve/wire.rs", "src/serve/status.rs", "src/serve/checks.rs"] {
        let code = read(source);
        let documents =
            code.split("pub struct ").skip(1).filter(|s| s.split(' ').next().is_some_and(|n| n.ends_with("Doc")));
        for document in documents {
            let body = document.split_once("\n}").map_or("", |(body, _)| body);
            for field in body.lines().filter_map(|l| l.trim().strip_prefix("pub ")?.split_once(':')) {
                fields += 1;
                assert!(text.contains(&format!("`{}`", field.0)), "{source}: {} is not in docs/inspect.md", field.0);
            }
        }
    }
    assert!(fields > 80, "only {fields} fields were found");
}

/// The example in the page is one, and says what the page says.
#[test]
fn the_example_of_a_transcript_can_be_read() {
    let text = read("docs/transcript.md");
    let example = text.split("```transcript\n").nth(1).and_then(|t| t.split("```").next()).expect("the example");
    let transcript = Transcript::parse(example.as_bytes()).unwrap();
    let outcome = &transcript.polls[0].answers[0].outcome;
    assert_eq!((transcript.polls.len(), outcome.exit, outcome.took_seconds), (2, 46, Some(2.5)));
    assert!(transcript.polls[0].answers[1].outcome.absent && transcript.polls[1].answers[0].outcome.timed_out);
    assert_eq!(Transcript::parse(&transcript.write()).unwrap(), transcript);
}
