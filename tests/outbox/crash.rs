//! The program is killed at any moment, again and again; what it committed arrives all the same.

use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use raidmond::mailsink::{Fault, MailSink};
use raidmond::notify::pump::Pump;
use raidmond::store::Store;
use raidmond_core::changes::Changes;
use raidmond_core::notice::NoticeEvent;
use raidmond_core::severity::Severity;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 20;
const DIR: &str = "OUTBOX_CRASH_DIR";
const SINK: &str = "OUTBOX_CRASH_SINK";

fn pump(store: &Store, address: &str, ahead: SignedDuration) -> tokio::task::JoinHandle<()> {
    let pump = Pump {
        store: store.clone(),
        stop: tokio::sync::watch::channel(false).1,
        channels: vec![std::sync::Arc::new(mail_channel(address.parse().unwrap()))],
        clock: Arc::new(move || Timestamp::now() + ahead),
        attempt_limit: Duration::from_secs(5),
        reports: tokio::sync::mpsc::unbounded_channel().0,
    };
    tokio::spawn(pump.run())
}

/// The document says what was committed: it is in the same transaction as the message.
fn numbered(n: usize) -> (String, Changes) {
    let id = format!("m{n:05}");
    let event = if n.is_multiple_of(5) { NoticeEvent::Opened } else { NoticeEvent::Updated };
    let notice = notice(&id, n as u64 / 5, event, Severity::Critical);
    let mut changes = put("posted", &id, "{}");
    changes.postings = self::changes("mail", &[notice]).postings;
    (id, changes)
}

/// The program that is killed.
#[tokio::test]
#[ignore = "started by the test below"]
async fn victim() {
    let (dir, sink) = (std::env::var(DIR).unwrap(), std::env::var(SINK).unwrap());
    let (store, warnings) = Store::open(Path::new(&dir), Timestamp::now());
    assert!(warnings.is_empty(), "{warnings:?}");
    let _running = pump(&store, &sink, SignedDuration::ZERO);
    for n in store.documents("posted").await.unwrap().len().. {
        let (id, changes) = numbered(n);
        store.commit(changes, Timestamp::now()).await.unwrap();
        // What the program relied on, seen from outside.
        std::fs::write(Path::new(&dir).join("relied-on").join(id), "").unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn start_victim(dir: &Path, sink: &MailSink) -> Child {
    let test = ["crash::victim", "--exact", "--ignored", "--nocapture"];
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .stdout(std::process::Stdio::null())
        .args(test)
        .env(DIR, dir)
        .env(SINK, sink.address().to_string())
        .spawn()
        .unwrap()
}

/// Some time between 20 and 300 ms; chance is all it needs.
fn some_time(round: u32) -> Duration {
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos();
    Duration::from_millis(20 + u64::from(nanos.wrapping_mul(2_654_435_761).rotate_left(round) % 280))
}

fn arrivals(sink: &MailSink) -> Vec<String> {
    message_ids(sink).iter().map(|id| id.trim_matches(['<', '>']).trim_end_matches("@db3").to_owned()).collect()
}

#[tokio::test]
async fn what_was_committed_arrives_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("relied-on")).unwrap();
    let sink = MailSink::start(local()).await.unwrap();
    for round in 0..ROUNDS {
        let mut victim = start_victim(dir.path(), &sink);
        if round % 4 == 1 {
            sink.script([Fault::Drop, Fault::Message("451 4.3.0 later")]);
        }
        tokio::time::sleep(some_time(round)).await;
        victim.kill().unwrap();
        victim.wait().unwrap();
    }
    let (store, warnings) = Store::open(dir.path(), Timestamp::now());
    assert!(warnings.is_empty(), "{warnings:?}");
    drain(&store, &sink).await;

    let committed: BTreeSet<String> = store.documents("posted").await.unwrap().into_iter().map(|(id, _)| id).collect();
    let relied = std::fs::read_dir(dir.path().join("relied-on")).unwrap();
    let relied: BTreeSet<String> = relied.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    let arrived = arrivals(&sink);
    let distinct: BTreeSet<String> = arrived.iter().cloned().collect();
    assert!(committed.len() > 40, "too little happened: {}", committed.len());
    assert!(relied.is_subset(&committed), "a commit that was confirmed is gone");
    assert_eq!(distinct, committed);
    println!(
        "{} committed, {} arrived, {} of them twice",
        committed.len(),
        arrived.len(),
        arrived.len() - distinct.len()
    );
    assert_in_order(&arrived);
}

/// First arrivals inside one incident are in the order of posting.
fn assert_in_order(arrived: &[String]) {
    let (mut last, mut seen) = (BTreeMap::new(), BTreeSet::new());
    for id in arrived.iter().filter(|id| seen.insert(id.as_str())) {
        let n: usize = id.trim_start_matches('m').parse().unwrap();
        let before = last.insert(n / 5, n);
        assert!(before.is_none_or(|b| b < n), "{id} came after {before:?}");
    }
}

async fn drain(store: &Store, sink: &MailSink) {
    // An hour later: no back-off is left.
    let running = pump(store, &sink.address().to_string(), SignedDuration::from_hours(2));
    let began = Instant::now();
    while store.health(Timestamp::now()).await.unwrap().iter().any(|c| c.backlog > 0) {
        assert!(began.elapsed() < Duration::from_secs(60), "the backlog does not go away");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    running.abort();
}
