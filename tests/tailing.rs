//! Tails of real files in a temporary root.

#![allow(clippy::unwrap_used, clippy::panic)]

use raidmond::watch::{Blindness, EVENTS_IN_FLIGHT, Event, Files, SourceCursor, kernel};
use raidmond_core::tail::{Cursor, GapCause, MAX_LINE};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Generous: a busy machine must not fail a test.
const DEADLINE: Duration = Duration::from_secs(60);

struct Bench {
    root: tempfile::TempDir,
    files: Option<Files>,
    events: mpsc::Receiver<Event>,
    lines: Vec<String>,
    past: Vec<bool>,
    gaps: Vec<GapCause>,
    sight: Option<Result<(), Blindness>>,
    cursor: Option<Cursor>,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("var/log")).unwrap();
        let (_, events) = mpsc::channel(1);
        Self { root, files: None, events, lines: vec![], past: vec![], gaps: vec![], sight: None, cursor: None }
    }

    fn with(content: &str) -> Self {
        let mut bench = Self::new();
        bench.append(content);
        bench.start();
        bench
    }

    fn start(&mut self) {
        let (send, events) = mpsc::channel(EVENTS_IN_FLIGHT);
        let files = Files::new(self.root.path(), send);
        files.add("x", "/var/log/x.log", self.cursor.clone());
        (self.files, self.events, self.sight) = (Some(files), events, None);
    }

    /// What was not committed before is gone with the process.
    fn stop(&mut self) {
        self.files = None;
        self.events = mpsc::channel(1).1;
    }

    fn log(&self) -> PathBuf {
        self.root.path().join("var/log/x.log")
    }

    fn older(&self, suffix: &str) -> PathBuf {
        self.root.path().join(format!("var/log/x.log{suffix}"))
    }

    fn append(&self, text: impl AsRef<[u8]>) {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(self.log()).unwrap();
        file.write_all(text.as_ref()).unwrap();
    }

    fn wait(&mut self, what: &str, met: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !met(self) {
            assert!(begun.elapsed() < DEADLINE, "{what}: lines {:?} gaps {:?} {:?}", self.lines, self.gaps, self.sight);
            match self.events.try_recv() {
                Ok(event) => self.take(event),
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn take(&mut self, event: Event) {
        let cursor = match event {
            Event::Lines { lines, cursor, .. } => {
                self.past.extend(lines.iter().map(|line| line.past));
                self.lines.extend(lines.iter().map(|line| line.text()));
                cursor
            }
            Event::Gap { gap, cursor, .. } => {
                self.gaps.push(gap.cause);
                cursor
            }
            Event::Blind { why, .. } => return self.sight = Some(Err(why)),
            Event::Sees { .. } => return self.sight = Some(Ok(())),
            Event::Records { .. } => panic!("records of a log"),
        };
        let SourceCursor::File(cursor) = cursor else { panic!("not a file's cursor") };
        self.cursor = Some(cursor);
    }

    fn expect(&mut self, lines: &[&str]) {
        self.wait(&format!("{lines:?}"), |bench| bench.lines.len() >= lines.len());
        assert_eq!(self.lines, lines);
    }

    fn blind(&mut self, why: Blindness) {
        self.wait(&format!("{why:?}"), |bench| bench.sight == Some(Err(why.clone())));
    }
}

fn gzip(from: &Path, to: &Path) {
    let mut packed = flate2::write::GzEncoder::new(fs::File::create(to).unwrap(), flate2::Compression::default());
    packed.write_all(&fs::read(from).unwrap()).unwrap();
    packed.finish().unwrap();
    fs::remove_file(from).unwrap();
}

#[test]
fn renamed_and_created() {
    let mut bench = Bench::with("one\n");
    bench.expect(&["one"]);
    let mut writer = fs::OpenOptions::new().append(true).open(bench.log()).unwrap();
    fs::rename(bench.log(), bench.older(".1")).unwrap();
    bench.append("");
    // The writer has not reopened yet.
    writer.write_all(b"two\n").unwrap();
    bench.expect(&["one", "two"]);
    writer.write_all(b"three without end").unwrap();
    bench.append("four\n");
    bench.expect(&["one", "two", "three without end", "four"]);
    bench.append("five\n");
    bench.expect(&["one", "two", "three without end", "four", "five"]);
    assert_eq!((bench.past.clone(), bench.gaps.len()), (vec![true, false, false, false, false], 0));
}

#[test]
fn copied_and_truncated() {
    let mut bench = Bench::with("one\n");
    bench.expect(&["one"]);
    bench.stop();
    bench.append("two\n");
    fs::copy(bench.log(), bench.older("-20260131")).unwrap();
    fs::write(bench.log(), "three\n").unwrap();
    bench.start();
    bench.expect(&["one", "two", "three"]);
    assert_eq!(bench.gaps, []);
}

#[test]
fn truncated() {
    let mut bench = Bench::with("one\ntwo\n");
    bench.expect(&["one", "two"]);
    fs::write(bench.log(), "").unwrap();
    bench.wait("gap", |bench| bench.gaps == [GapCause::Lost]);
    bench.append("three\n");
    bench.expect(&["one", "two", "three"]);
    assert_eq!(bench.gaps.len(), 1);
}

#[test]
fn predecessor_compressed_while_away() {
    let mut bench = Bench::with("one\n");
    bench.expect(&["one"]);
    bench.stop();
    bench.append("two\nthree");
    gzip(&bench.log(), &bench.older(".2.gz"));
    fs::write(bench.older(".1"), "four\n").unwrap();
    bench.append("five\n");
    bench.start();
    bench.expect(&["one", "two", "three", "four", "five"]);
    assert_eq!(bench.gaps, []);
}

#[test]
fn damaged_predecessor_is_a_gap_and_reading_goes_on() {
    let mut bench = Bench::with("one\n");
    bench.expect(&["one"]);
    bench.stop();
    // Incompressible, so that the damage comes long after our place.
    let mut noise = 1u32;
    for _ in 0..100_000 {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bench.append(format!("{noise}\n"));
    }
    gzip(&bench.log(), &bench.older(".1.gz"));
    let packed = fs::read(bench.older(".1.gz")).unwrap();
    fs::write(bench.older(".1.gz"), &packed[..packed.len() - 1000]).unwrap();
    bench.append("last\n");
    bench.start();
    bench.wait("last", |bench| bench.lines.last().is_some_and(|line| line == "last"));
    assert_eq!(bench.gaps, [GapCause::Unreadable]);
}

#[test]
fn absent_at_start() {
    let mut bench = Bench::new();
    fs::remove_dir(bench.root.path().join("var/log")).unwrap();
    bench.start();
    bench.blind(Blindness::DirectoryGone);
    fs::create_dir(bench.root.path().join("var/log")).unwrap();
    bench.blind(Blindness::Absent);
    bench.append("one\n");
    bench.expect(&["one"]);
    bench.wait("sight", |bench| bench.sight == Some(Ok(())));
    bench.append("two\n");
    bench.expect(&["one", "two"]);
}

#[test]
fn directory_replaced() {
    let mut bench = Bench::with("one\n");
    bench.expect(&["one"]);
    let directory = bench.root.path().join("var/log");
    fs::rename(&directory, bench.root.path().join("var/log.old")).unwrap();
    bench.blind(Blindness::DirectoryGone);
    fs::create_dir(&directory).unwrap();
    bench.append("two\n");
    bench.expect(&["one", "two"]);
    assert_eq!(bench.gaps, [GapCause::Lost]);
}

#[test]
fn not_a_regular_file() {
    let mut bench = Bench::new();
    fs::create_dir(bench.log()).unwrap();
    bench.start();
    bench.blind(Blindness::Unreadable("not a regular file".to_owned()));
}

#[test]
fn unreadable() {
    use std::os::unix::fs::PermissionsExt;
    let mut bench = Bench::new();
    bench.append("one\n");
    fs::set_permissions(bench.log(), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(bench.log()).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    bench.start();
    bench.blind(Blindness::Denied);
}

#[test]
fn restarted_with_the_cursor() {
    let mut bench = Bench::with("one\ntw");
    bench.expect(&["one"]);
    bench.stop();
    bench.append("o\n");
    fs::rename(bench.log(), bench.older(".1")).unwrap();
    bench.append("three\n");
    bench.start();
    bench.expect(&["one", "two", "three"]);
    bench.stop();
    bench.start();
    bench.append("four\n");
    bench.expect(&["one", "two", "three", "four"]);
    assert_eq!(bench.gaps, []);
}

#[test]
fn partial_line_waits_for_its_end() {
    let mut bench = Bench::with("one\n");
    bench.expect(&["one"]);
    bench.append("tw");
    bench.append("o\n");
    bench.expect(&["one", "two"]);
}

#[test]
fn endless_line_is_cut() {
    let mut bench = Bench::new();
    bench.append("a\n");
    bench.append(vec![b'x'; 1_000_000]);
    bench.start();
    bench.wait("cut", |bench| bench.lines.len() == 2);
    bench.append(vec![b'x'; 1_000_000]);
    bench.append("\nb\n");
    bench.wait("next", |bench| bench.lines.len() == 3);
    assert_eq!((bench.lines[1].len(), bench.lines[2].as_str()), (MAX_LINE, "b"));
}

#[test]
fn first_contact_with_a_large_file_reads_its_end() {
    let mut bench = Bench::new();
    let numbered: String = (0..400_000).map(|n| format!("{n:07}\n")).collect();
    bench.append(numbered);
    bench.start();
    bench.wait("last", |bench| bench.lines.last().is_some_and(|line| line == "0399999"));
    assert_eq!(bench.lines.len(), 1024 * 1024 / 8);
    assert!(bench.past.iter().all(|past| *past));
}

#[test]
fn invalid_text_hides_nothing() {
    let mut bench = Bench::new();
    bench.append(b"a\xff\xfeb\n\0c\n");
    bench.start();
    bench.expect(&["a\u{fffd}\u{fffd}b", "c"]);
}

#[test]
fn slow_owner_loses_nothing() {
    let mut bench = Bench::new();
    bench.start();
    bench.append("0000000\n");
    bench.wait("first", |bench| bench.lines.len() == 1);
    let numbered: String = (1..300_000).map(|n| format!("{n:07}\n")).collect();
    bench.append(numbered);
    std::thread::sleep(Duration::from_millis(100));
    bench.wait("all", |bench| bench.lines.len() == 300_000);
    assert!(bench.lines.iter().enumerate().all(|(n, line)| line.parse() == Ok(n)));
}

async fn records(events: &mut mpsc::Receiver<Event>, count: usize) -> (Vec<(u64, String, bool)>, Option<SourceCursor>) {
    let (mut found, mut last) = (Vec::new(), None);
    while found.len() < count {
        let event = tokio::time::timeout(DEADLINE, events.recv()).await.unwrap().unwrap();
        if let Event::Records { records, cursor, .. } = event {
            found.extend(records.into_iter().map(|r| (r.sequence, r.text, r.past)));
            last = Some(cursor);
        }
    }
    (found, last)
}

fn kernel_root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("proc/sys/kernel/random")).unwrap();
    fs::write(root.path().join("proc/sys/kernel/random/boot_id"), "boot-a\n").unwrap();
    fs::create_dir(root.path().join("dev")).unwrap();
    root
}

#[tokio::test]
async fn kernel_log_in_a_file() {
    let root = kernel_root();
    fs::write(root.path().join("dev/kmsg"), "6,0,10,-;one\n SUBSYSTEM=scsi\n3,1,20,-;two\n").unwrap();
    let (send, mut events) = mpsc::channel(EVENTS_IN_FLIGHT);
    kernel(root.path(), "kernel", None, send);
    let (found, cursor) = records(&mut events, 2).await;
    assert_eq!(found, [(0, "one".to_owned(), true), (1, "two".to_owned(), true)]);
    let (send, mut events) = mpsc::channel(EVENTS_IN_FLIGHT);
    let mut log = fs::OpenOptions::new().append(true).open(root.path().join("dev/kmsg")).unwrap();
    log.write_all(b"3,2,30,-;three\n").unwrap();
    kernel(root.path(), "kernel", cursor, send);
    assert_eq!(records(&mut events, 1).await.0, [(2, "three".to_owned(), false)]);
}

#[tokio::test]
async fn kernel_log_in_a_fifo() {
    let root = kernel_root();
    let (send, mut events) = mpsc::channel(EVENTS_IN_FLIGHT);
    let cursor = Some(SourceCursor::Kernel { boot: "boot-a".into(), sequence: 4 });
    kernel(root.path(), "kernel", cursor, send);
    let first = tokio::time::timeout(DEADLINE, events.recv()).await.unwrap();
    assert_eq!(first, Some(Event::Blind { source: "kernel".into(), why: Blindness::Absent }));
    let fifo = root.path().join("dev/kmsg");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let second = tokio::time::timeout(DEADLINE, events.recv()).await.unwrap();
    assert_eq!(second, Some(Event::Sees { source: "kernel".into() }));
    fs::OpenOptions::new()
        .write(true)
        .open(&fifo)
        .unwrap()
        .write_all(b"6,4,1,-;old\n6,5,1,-;new\n6,9,1,-;later\n")
        .unwrap();
    let third = tokio::time::timeout(DEADLINE, events.recv()).await.unwrap();
    assert!(matches!(third, Some(Event::Gap { gap, .. }) if gap.cause == GapCause::Overrun));
    let (found, cursor) = records(&mut events, 2).await;
    assert_eq!(found, [(5, "new".to_owned(), false), (9, "later".to_owned(), false)]);
    assert_eq!(cursor, Some(SourceCursor::Kernel { boot: "boot-a".into(), sequence: 9 }));
}

#[tokio::test]
async fn kernel_log_of_this_machine() {
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let device = rustix::fs::open("/dev/kmsg", flags, rustix::fs::Mode::empty());
    if device.and_then(|device| rustix::io::read(&device, &mut [0; 16384])).is_err() {
        eprintln!("skipped: /dev/kmsg cannot be read here");
        return;
    }
    let (send, mut events) = mpsc::channel(EVENTS_IN_FLIGHT);
    kernel("/", "kernel", None, send);
    let (found, cursor) = records(&mut events, 1).await;
    assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(matches!(cursor, Some(SourceCursor::Kernel { boot, .. }) if boot.len() == 36));
}
