//! Killed at any moment, stopped in the middle of a question, given a bad configuration: nothing that was
//! to be told is lost, and what is told again is the same message.

use crate::harness::{Letter, Plan, Stage, seconds, wait};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[test]
fn killed_ten_times_it_loses_nothing() {
    let mut stage = Stage::play(Plan::default());
    let mut random = Random::new();
    let story = ["disk c0 32:5 fails", "battery c0 fails", "disk c0 32:8 predictive", "disk c0 32:9 fails"];
    for round in 0..10 {
        if let Some(what) = story.get(round / 2).filter(|_| round % 2 == 0) {
            stage.happens(what);
        }
        std::thread::sleep(random.up_to(Duration::from_millis(2500)));
        stage.kill();
        stage.start();
    }
    let expected = ["Z1Z2ABCD", "battery", "S0M4K7TZ", "S0M4K81A"];
    for words in expected {
        stage.mailbox.wait(words, seconds(60), |l| l.says(words));
    }
    wait("every open incident to be told", seconds(60), || {
        let status = stage.status_json()?;
        let untold = status["incidents"].as_array()?.iter().any(|i| i["closed_at"].is_null() && i["told"] == false);
        (!untold).then_some(())
    });
    every_open_incident_came_by_mail(&stage);
    the_same_id_is_the_same_message(&stage.mailbox.letters());
    nothing_is_told_under_two_ids(&stage.mailbox.letters());
}

/// xorshift; the seed is printed, so that a failure can be played again.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
        let seed = std::env::var("RAIDMOND_TEST_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(now | 1);
        println!("RAIDMOND_TEST_SEED={seed}");
        Self(seed)
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        most.mul_f64((self.0 % 1000) as f64 / 1000.0)
    }
}

fn every_open_incident_came_by_mail(stage: &Stage) {
    for (id, headline) in stage.open_incidents() {
        stage.mailbox.wait(&format!("#{id} {headline}"), seconds(30), |l| l.incident() == id.to_string());
    }
    let blind = stage.mailbox.find(|l| l.severity() == "blind");
    assert!(blind.is_empty(), "a new life is no blindness: {:?}", stage.mailbox.subjects());
}

fn the_same_id_is_the_same_message(letters: &[Letter]) {
    let mut by_id: BTreeMap<String, &Letter> = BTreeMap::new();
    let mut repeats = 0;
    for letter in letters {
        if let Some(first) = by_id.insert(letter.id(), letter) {
            repeats += 1;
            assert_eq!((first.subject(), first.text()), (letter.subject(), letter.text()));
        }
    }
    println!("{} mails, {repeats} of them repeated", letters.len());
}

fn nothing_is_told_under_two_ids(letters: &[Letter]) {
    let opened = letters.iter().filter(|l| l.event() == "opened");
    let ids: BTreeSet<(String, String)> = opened.map(|l| (l.incident(), l.id())).collect();
    let incidents: BTreeSet<&String> = ids.iter().map(|(incident, _)| incident).collect();
    assert_eq!(ids.len(), incidents.len(), "an incident opens once: {ids:?}");
}

#[test]
fn it_stops_at_once_even_while_a_tool_hangs() {
    let mut stage = Stage::play(Plan::default());
    stage.happens("tool perccli64 hangs");
    stage.happens("tool storcli64 hangs");
    stage.look_again();
    let hanging = |stage: &Stage| stage.running("perccli64") + stage.running("storcli64");
    wait("the tool to hang", seconds(20), || (hanging(&stage) > 0).then_some(()));
    let took = stage.stop();
    println!("stopped after {:.2} s with a hanging tool", took.as_secs_f64());
    assert!(took < seconds(2), "{took:?}");
    wait("the tool to be gone too", seconds(10), || (hanging(&stage) == 0).then_some(()));
}

#[test]
fn a_bad_configuration_is_refused_and_told_and_a_good_one_counts() {
    let mut stage = Stage::play(Plan::default());
    let good = stage.read_config();
    stage.write_config(&good.replace("poll-interval = \"1s\"", "pol-interval = \"1s\""));
    stage.daemon().reload();
    let refused = stage.mailbox.wait("the complaint", seconds(40), |l| l.says("configuration has mistakes"));
    assert_eq!(refused.severity(), "warning");
    assert!(refused.text().contains("pol-interval"), "{}", refused.text());
    assert_eq!(stage.status_code(), 1, "the old configuration goes on");

    stage.write_config(&good.replace("host-name = \"db3\"", "host-name = \"db4\""));
    stage.daemon().reload();
    let mended = stage.mailbox.wait("the end of it", seconds(20), |l| l.event() == "resolved");
    assert_eq!(mended.incident(), refused.incident());
    assert!(mended.subject().contains("[raidmond db4]"), "{}", mended.subject());
    wait("all to be well", seconds(10), || (stage.status_code() == 0).then_some(()));
}

#[test]
fn without_a_daemon_the_last_state_is_shown_as_such_and_never_as_well() {
    let mut stage = Stage::play(Plan::default());
    let well = stage.ask(&["incidents"]);
    stage.happens("disk c0 32:5 fails");
    wait("the incident", seconds(20), || stage.incident_about("RAID 5 data"));
    let alive = stage.ask(&["incidents"]);
    assert_eq!((well.code, alive.code), (0, 0), "{alive:?}");
    std::thread::sleep(seconds(1));
    stage.kill();
    let codes = [vec!["status"], vec!["status", "--json"], vec!["incidents"], vec!["incidents", "--json"]];
    let codes: Vec<i32> = codes.iter().map(|words| stage.ask(words).code).collect();
    assert_eq!(codes, [2; 4], "all of them say the same");
    let said = stage.ask(&["incidents"]);
    assert!(said.out.starts_with("NO DAEMON ANSWERS: ") && said.out.contains("RAID 5 data"), "{said:?}");
    std::fs::remove_file(stage.state_dir().join("status.json")).unwrap();
    let blind = stage.ask(&["incidents"]);
    assert!(blind.code == 3 && blind.err.contains("no raidmond answers"), "{blind:?}");
    stage.start();
}
