//! The disk that holds raidmond's own state is full, read-only, or what it holds is damaged. Alarms go out
//! all the same.

use crate::harness::{Plan, Stage, seconds};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A small file system of its own, where this process may make one.
struct SmallDisk {
    at: PathBuf,
    _dir: tempfile::TempDir,
}

impl SmallDisk {
    fn make() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("state");
        std::fs::create_dir(&at).unwrap();
        let disk = Self { at, _dir: dir };
        let made = disk.mount(&["-t", "tmpfs", "-o", "size=4m", "tmpfs"]);
        if !made {
            eprintln!("SKIPPED: no tmpfs can be mounted here (needs root and CAP_SYS_ADMIN)");
        }
        made.then_some(disk)
    }

    fn mount(&self, words: &[&str]) -> bool {
        Command::new("mount").args(words).arg(&self.at).output().is_ok_and(|o| o.status.success())
    }

    /// Keeps the disk full, whatever is freed, until the answer is dropped.
    fn fill(&self) -> Filler {
        let (file, on) = (self.at.join("filler"), Arc::new(AtomicBool::new(true)));
        let (path, go_on) = (file.clone(), Arc::clone(&on));
        let thread = std::thread::spawn(move || {
            let mut file = std::fs::File::create(path).unwrap();
            while go_on.load(Ordering::Relaxed) {
                if file.write(&[0x5a; 512]).is_err() {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        });
        Filler { file, on, thread: Some(thread) }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.at).output());
    }
}

struct Filler {
    file: PathBuf,
    on: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Filler {
    fn drop(&mut self) {
        self.on.store(false, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        std::fs::remove_file(&self.file).unwrap();
    }
}

fn on(disk: &SmallDisk) -> Plan {
    Plan { state_dir: Some(disk.at.clone()), ..Plan::default() }
}

#[test]
fn a_full_disk_holds_up_no_alarm() {
    let Some(disk) = SmallDisk::make() else { return };
    let mut stage = Stage::play(on(&disk));
    let full = disk.fill();
    stage.happens("disk c0 32:5 fails");
    an_alarm_within_30_seconds(&stage);
    state_is_told_lost(&mut stage);
    drop(full);
    state_is_saved_again(&mut stage);
}

#[test]
fn a_read_only_disk_holds_up_no_alarm() {
    let Some(disk) = SmallDisk::make() else { return };
    let mut stage = Stage::play(on(&disk));
    stage.stop();
    assert!(disk.mount(&["-o", "remount,ro"]));
    stage.start();
    stage.happens("disk c0 32:5 fails");
    an_alarm_within_30_seconds(&stage);
    state_is_told_lost(&mut stage);
    assert!(disk.mount(&["-o", "remount,rw"]));
    state_is_saved_again(&mut stage);
}

fn an_alarm_within_30_seconds(stage: &Stage) {
    let alarm = stage.mailbox.wait("the alarm", seconds(30), |l| l.says("Z1Z2ABCD"));
    assert_eq!(alarm.severity(), "critical");
}

fn lost(letter: &crate::harness::Letter) -> bool {
    letter.says("cannot save its state")
}

fn state_is_told_lost(stage: &mut Stage) {
    stage.happens("battery c0 fails");
    stage.mailbox.wait("that the state is lost", seconds(60), lost);
    assert!(stage.incident_about("cannot save its state").is_some(), "{:?}", stage.open_incidents());
    assert!(stage.ask(&["status"]).out.contains("cannot save its state"));
}

/// The database holds what was only in memory: a new life knows the incidents and tells none twice.
fn state_is_saved_again(stage: &mut Stage) {
    stage.mailbox.wait("the state to be saved", seconds(60), |l| l.event() == "resolved" && l.says("cannot save"));
    // What a line said first is named anew by the look that follows: the incidents are the same.
    let numbers = |stage: &Stage| stage.open_incidents().into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    let open = numbers(stage);
    let mails = stage.mailbox.letters().len();
    stage.kill();
    stage.start();
    stage.wait_until_read();
    // Lines whose place was not saved are read again, and may say more of what is known.
    let again = numbers(stage);
    assert!(open.iter().all(|id| again.contains(id)), "{open:?}, then {again:?}");
    assert_eq!(stage.mailbox.letters().len(), mails, "{:?}", stage.mailbox.subjects());
}

#[test]
fn a_database_that_cannot_be_used_is_set_aside_and_watching_goes_on() {
    let mut stage = Stage::play(Plan::default());
    let database = stage.state_dir().join("raidmond.db");
    stage.stop();
    // With a write-ahead log beside it, SQLite mends the file by itself.
    drop(std::fs::remove_file(stage.state_dir().join("raidmond.db-wal")));
    std::fs::write(&database, "this was a database once\n".repeat(1000)).unwrap();
    set_aside(&mut stage, "is damaged", 1);
    stage.stop();
    let db = rusqlite::Connection::open(&database).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    set_aside(&mut stage, "newer raidmond", 2);
    stage.happens("disk c0 32:5 fails");
    let alarm = stage.mailbox.wait("the alarm", seconds(20), |l| l.says("Z1Z2ABCD"));
    assert_eq!(alarm.severity(), "critical");
}

fn set_aside(stage: &mut Stage, why: &str, so_far: usize) {
    stage.start();
    let told = stage.mailbox.wait(why, seconds(40), |l| l.says(why));
    assert_eq!(told.severity(), "warning");
    assert_eq!(count_set_aside(stage.state_dir()), so_far);
}

fn count_set_aside(dir: &Path) -> usize {
    let names = std::fs::read_dir(dir).unwrap().flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    names.filter(|n| n.contains(".set-aside-") && !n.ends_with("-wal") && !n.ends_with("-shm")).count()
}
