//! What happens to messages when the storage under them fails.

use crate::support::*;
use jiff::SignedDuration;
use raidmond::mailsink::MailSink;
use raidmond::notify::pump::Step;
use raidmond::store::{AuditEntry, DATABASE, LostKind, Reader, Retention, Store, WarningKind};
use raidmond_core::changes::{Changes, HistoryEntry};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn database(dir: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(dir.join(DATABASE)).unwrap()
}

/// The owner's thread closes the database in its own time.
async fn closed(dir: &Path) {
    for _ in (0..100).take_while(|_| dir.join(format!("{DATABASE}-wal")).exists()) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

fn set_aside(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().path());
    files.filter(|f| f.to_string_lossy().contains("set-aside-20261130T021245Z")).collect()
}

fn line(kind: &str) -> HistoryEntry {
    HistoryEntry { at: start(), object: Some(9), path: "c0/v0".into(), kind: kind.into(), said: "Dgrd".into() }
}

#[tokio::test]
async fn a_commit_is_all_or_nothing_and_survives() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut all = put("incidents", "17", "{\"open\":true}");
    all.postings = changes("mail", &[alarm("17-0")]).postings;
    all.history = vec![line("observed"), line("opened")];
    store.commit(all, start()).await.unwrap();
    store.commit(put("incidents", "18", "{}"), start()).await.unwrap();
    let gone = Changes { deletes: vec![("incidents", "18".into())], ..Changes::default() };
    store.commit(gone, start()).await.unwrap();
    let entry = AuditEntry { at: start(), who: "root".into(), what: "start check".into(), said: "started".into() };
    store.audit(entry, start()).await.unwrap();
    drop(store);

    let expected = vec![("17".to_owned(), "{\"open\":true}".to_owned())];
    assert_eq!(open(dir.path()).documents("incidents").await.unwrap(), expected);
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.documents("incidents").unwrap(), expected);
    assert_eq!(reader.pending().unwrap()[0].notice.as_ref(), &alarm("17-0"));
    assert_eq!(reader.history(Some(9), 10).unwrap(), [line("opened"), line("observed")]);
    assert_eq!(reader.history(Some(1), 10).unwrap(), []);
    let audits: i64 = database(dir.path()).query_row("SELECT count(*) FROM audit", [], |r| r.get(0)).unwrap();
    assert_eq!(audits, 1);
}

#[tokio::test]
async fn nothing_is_visible_when_the_commit_fails() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no'); END";
    database(dir.path()).execute_batch(refuse).unwrap();
    let mut both = put("incidents", "17", "{}");
    both.postings = changes("mail", &[alarm("17-0")]).postings;
    assert!(store.commit(both, start()).await.is_err());
    assert_eq!(store.documents("incidents").await.unwrap(), []);
    let clock = HandClock::default();
    let sender = sender(&store, mail_channel(local()), &clock);
    assert!(matches!(sender.step().await.unwrap(), Step::Idle), "an uncommitted message would be sent");
}

#[tokio::test]
async fn old_rows_go_but_what_is_pending_stays() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut old = changes("mail", &[alarm("17-0")]);
    old.history = vec![line("opened")];
    store.commit(old, start()).await.unwrap();
    store.prune(Retention::default(), start() + SignedDuration::from_hours(799 * 24)).await.unwrap();
    assert_eq!(Reader::open(dir.path()).unwrap().history(None, 9).unwrap().len(), 1);
    store.prune(Retention::default(), start() + SignedDuration::from_hours(801 * 24)).await.unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.history(None, 9).unwrap().len(), 0);
    assert_eq!(reader.pending().unwrap().len(), 1);
}

#[tokio::test]
async fn a_damaged_database_is_set_aside() {
    let garbage: fn(&Path) = |path| std::fs::write(path, b"this is no database, but a text\n".repeat(400)).unwrap();
    let holes: fn(&Path) = |path| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[4200..12000].fill(0xA5);
        std::fs::write(path, bytes).unwrap();
    };
    for damage in [garbage, holes] {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        store.commit(put("incidents", "17", "{}"), start()).await.unwrap();
        drop(store);
        closed(dir.path()).await;
        let path = dir.path().join(DATABASE);
        damage(&path);
        let damaged = std::fs::read(&path).unwrap();
        let (store, warnings) = Store::open(dir.path(), start());
        assert_eq!(warnings.iter().map(|w| w.kind).collect::<Vec<_>>(), [WarningKind::SetAside], "{warnings:?}");
        assert_eq!(std::fs::read(&set_aside(dir.path())[0]).unwrap(), damaged, "evidence is kept as it was");
        store.commit(put("incidents", "18", "{}"), start()).await.unwrap();
        assert_eq!(store.documents("incidents").await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_newer_database_is_set_aside_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let newer = "CREATE TABLE precious (x); INSERT INTO precious VALUES (7); PRAGMA user_version = 99";
    database(dir.path()).execute_batch(newer).unwrap();
    let (store, warnings) = Store::open(dir.path(), start());
    assert_eq!(warnings[0].kind, WarningKind::Newer);
    assert!(warnings[0].said.contains("version 99"), "{}", warnings[0].said);
    let aside = rusqlite::Connection::open(&set_aside(dir.path())[0]).unwrap();
    let precious: i64 = aside.query_row("SELECT x FROM precious", [], |row| row.get(0)).unwrap();
    assert_eq!(precious, 7);
    store.commit(put("incidents", "17", "{}"), start()).await.unwrap();
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_reported_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).commit(changes("mail", &[alarm("17-0")]), start()).await.unwrap();
    database(dir.path()).execute("UPDATE outbox SET notice = '{}'", []).unwrap();
    let (store, warnings) = Store::open(dir.path(), start());
    assert_eq!(warnings[0].kind, WarningKind::Unreadable);
    assert!(warnings[0].said.contains("17-0/mail"));
    store.commit(changes("mail", &[alarm("18-0")]), start()).await.unwrap();
    let rows: i64 = database(dir.path()).query_row("SELECT count(*) FROM outbox", [], |r| r.get(0)).unwrap();
    assert_eq!(rows, 2);
}

#[tokio::test]
async fn without_a_directory_alarms_go_out_from_memory_and_merge_later() {
    let base = tempfile::tempdir().unwrap();
    let dir = base.path().join("state");
    std::fs::write(&dir, "a file is in the way").unwrap();
    let (store, warnings) = Store::open(&dir, start());
    assert_eq!(warnings[0].kind, WarningKind::MemoryOnly);
    let sink = MailSink::start(local()).await.unwrap();
    let clock = HandClock::default();
    let sender = sender(&store, mail_channel(sink.address()), &clock);
    let mut lost = put("incidents", "17", "{}");
    lost.postings = changes("mail", &[alarm("17-0"), alarm("17-1")]).postings;
    lost.history = vec![line("opened")];
    assert!(store.commit(lost.clone(), start()).await.is_err());
    store.hold(lost, start()).await.unwrap();
    let Step::Sent(report) = sender.step().await.unwrap() else { panic!("nothing is sent") };
    assert_eq!(receipt(&report), "250 2.0.0 Ok: queued as 4F1");
    assert!(report.unsaved.is_some() && store.lost().await.is_some());
    assert_eq!(store.documents("incidents").await.unwrap().len(), 1, "memory answers meanwhile");

    std::fs::remove_file(&dir).unwrap();
    let warnings = store.merge(start()).await.unwrap();
    assert_eq!(warnings.last().map(|w| w.kind), Some(WarningKind::StartedFresh));
    assert_eq!(store.lost().await, None);
    let reader = Reader::open(&dir).unwrap();
    assert_eq!(reader.documents("incidents").unwrap().len(), 1);
    assert_eq!(reader.receipts(None, 9).unwrap()[0].id, "17-0/mail");
    assert_eq!(reader.pending().unwrap()[0].id, "17-1/mail");
    let Step::Sent(report) = sender.step().await.unwrap() else { panic!("the second is not sent") };
    assert_eq!(report.unsaved, None);
    assert_eq!(message_ids(&sink), ["<17-0@db3>", "<17-1@db3>"]);
    assert_eq!(Reader::open(&dir).unwrap().history(None, 9).unwrap(), [line("opened")], "held once, written once");
}

#[tokio::test]
async fn a_database_that_vanishes_is_begun_anew_with_all_that_is_pending() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.commit(changes("mail", &[alarm("17-0")]), start()).await.unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON documents BEGIN SELECT RAISE(ABORT, 'no'); END";
    database(dir.path()).execute_batch(refuse).unwrap();
    assert!(store.commit(put("incidents", "17", "{}"), start()).await.is_err());
    for file in std::fs::read_dir(dir.path()).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let warnings = store.commit(put("incidents", "17", "{}"), start()).await.unwrap();
    assert_eq!(warnings.last().map(|w| w.kind), Some(WarningKind::StartedFresh));
    assert_eq!(Reader::open(dir.path()).unwrap().pending().unwrap()[0].id, "17-0/mail");
}

/// A file system of four MiB; only root can have one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<SmallDisk> {
        let dir = tempfile::tempdir().unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(dir.path()).output();
        match mount {
            Ok(out) if out.status.success() => Some(SmallDisk(dir)),
            _ => {
                eprintln!("SKIPPED: a full disk needs the right to mount a tmpfs");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes every byte that is left.
    fn fill(&self) {
        let mut file = std::fs::File::options().create(true).append(true).open(self.filler()).unwrap();
        while file.write(&[7; 4096]).is_ok_and(|n| n > 0) {}
    }

    fn remount(&self, how: &str) {
        let options = format!("remount,{how}");
        assert!(Command::new("mount").args(["-o", &options]).arg(self.path()).status().unwrap().success());
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.path()).status());
    }
}

#[tokio::test]
async fn a_full_disk_first_costs_the_reserve_and_then_only_the_saving() {
    let Some(disk) = SmallDisk::mount() else { return };
    let store = open(disk.path());
    let sink = MailSink::start(local()).await.unwrap();
    let clock = HandClock::default();
    let sender = sender(&store, mail_channel(sink.address()), &clock);
    disk.fill();
    let mut big = put("incidents", "17", &format!("{:?}", "x".repeat(100_000)));
    big.postings = changes("mail", &[alarm("17-0")]).postings;
    let warnings = store.commit(big.clone(), start()).await.unwrap();
    assert_eq!(warnings.iter().map(|w| w.kind).collect::<Vec<_>>(), [WarningKind::ReserveUsed]);

    disk.fill();
    big.postings = changes("mail", &[alarm("17-1")]).postings;
    big.puts[0].key = "18".into();
    let lost = store.commit(big.clone(), start()).await.unwrap_err();
    assert_eq!(lost.kind, LostKind::Full, "{lost}");
    store.hold(big, start()).await.unwrap();
    let mut unsaved = 0;
    while let Step::Sent(report) = sender.step().await.unwrap() {
        receipt(&report);
        unsaved += usize::from(report.unsaved.is_some());
    }
    assert_eq!(message_ids(&sink), ["<17-0@db3>", "<17-1@db3>"]);
    assert!(unsaved > 0, "the disk was not full");

    std::fs::remove_file(disk.filler()).unwrap();
    store.merge(start()).await.unwrap();
    let reader = Reader::open(disk.path()).unwrap();
    assert_eq!(reader.documents("incidents").unwrap().len(), 2);
    assert_eq!(reader.receipts(None, 9).unwrap().len(), 2);
    store.prune(Retention::default(), start()).await.unwrap();
    assert!(disk.path().join("reserve").exists(), "the reserve is made again");
}

#[tokio::test]
async fn a_read_only_file_system_is_remembered_from_and_written_to_when_it_can_be() {
    let Some(disk) = SmallDisk::mount() else { return };
    let store = open(disk.path());
    let mut before = put("incidents", "17", "{}");
    before.postings = changes("mail", &[alarm("17-0")]).postings;
    store.commit(before, start()).await.unwrap();
    drop(store);
    closed(disk.path()).await;
    disk.remount("ro");
    assert_eq!(Reader::open(disk.path()).unwrap().documents("incidents").unwrap().len(), 1, "status needs no writing");

    let (store, warnings) = Store::open(disk.path(), start());
    assert_eq!(warnings.iter().map(|w| w.kind).collect::<Vec<_>>(), [WarningKind::MemoryOnly], "{warnings:?}");
    assert_eq!(store.documents("incidents").await.unwrap().len(), 1, "what is known is not forgotten");
    let after = changes("mail", &[alarm("17-1")]);
    assert!(store.commit(after.clone(), start()).await.is_err());
    store.hold(after, start()).await.unwrap();
    let (sink, clock) = (MailSink::start(local()).await.unwrap(), HandClock::default());
    let sender = sender(&store, mail_channel(sink.address()), &clock);
    while let Step::Sent(report) = sender.step().await.unwrap() {
        receipt(&report);
    }
    assert_eq!(message_ids(&sink), ["<17-0@db3>", "<17-1@db3>"]);

    disk.remount("rw");
    assert_eq!(store.merge(start()).await.unwrap(), []);
    let reader = Reader::open(disk.path()).unwrap();
    assert_eq!((reader.pending().unwrap().len(), reader.receipts(None, 9).unwrap().len()), (0, 2));
}
