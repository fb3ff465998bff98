//! The kernel's own messages, from `/dev/kmsg`, since boot.
//!
//! The device gives one record per read and remembers our place only while it is open; the record's
//! sequence number and the boot's id are the cursor. A simulated host has a FIFO or a regular file with
//! the same records instead; the file is tailed like any other.

use super::{Blindness, EVENTS_IN_FLIGHT, Event, Files, SourceCursor, under};
use raidmond_core::tail::{Gap, GapCause, KernelRecord, Line, parse_record};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

const DEVICE: &str = "/dev/kmsg";
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Longer than any record the kernel hands out.
const RECORD: usize = 16 * 1024;

/// The kernel's name for this run of the machine; empty where it has none.
pub fn boot_id(root: &Path) -> String {
    std::fs::read_to_string(under(root, Path::new(BOOT_ID))).unwrap_or_default().trim().to_owned()
}

/// Records in one event.
const BATCH: usize = 256;

const RETRY: Duration = Duration::from_secs(2);

/// Send the kernel's messages after `cursor`, from a thread of its own, until nobody listens.
pub fn kernel(root: impl Into<PathBuf>, source: &str, cursor: Option<SourceCursor>, events: mpsc::Sender<Event>) {
    let (root, sink) = (root.into(), Sink { source: source.to_owned(), events: events.clone() });
    let spawned = std::thread::Builder::new().name(source.to_owned()).spawn(move || run(&root, cursor, &sink));
    if let Err(error) = spawned {
        let why = Blindness::Unreadable(crate::cli::problem::io_words(&error));
        events.try_send(Event::Blind { source: source.to_owned(), why }).ok();
    }
}

struct Sink {
    source: String,
    events: mpsc::Sender<Event>,
}

impl Sink {
    /// Whether somebody listens.
    fn send(&self, event: impl FnOnce(String) -> Event) -> bool {
        self.events.blocking_send(event(self.source.clone())).is_ok()
    }
}

fn run(root: &Path, cursor: Option<SourceCursor>, sink: &Sink) {
    let boot = boot_id(root);
    let mut told: Option<Errno> = None;
    let mut place = Place::new(boot, cursor.clone());
    while !sink.events.is_closed() {
        let error = match open(root) {
            Ok(Kmsg::File) => return follow_file(root, cursor, sink),
            Ok(Kmsg::Stream(fd)) => {
                told = None;
                sink.send(|source| Event::Sees { source });
                read_stream(&fd, &mut place, sink).err()
            }
            Err(error) => Some(error),
        };
        let Some(error) = error else { return };
        if told.replace(error) != Some(error) {
            sink.send(|source| Event::Blind { source, why: std::io::Error::from(error).into() });
        }
        std::thread::sleep(RETRY);
    }
}

enum Kmsg {
    File,
    Stream(OwnedFd),
}

fn open(root: &Path) -> Result<Kmsg, Errno> {
    let path = under(root, Path::new(DEVICE));
    let access = match FileType::from_raw_mode(rustix::fs::stat(&path)?.st_mode) {
        FileType::RegularFile => return Ok(Kmsg::File),
        // With a writer of our own the FIFO never ends.
        FileType::Fifo => OFlags::RDWR,
        _ => OFlags::RDONLY,
    };
    rustix::fs::open(&path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).map(Kmsg::Stream)
}

/// The last message handed on.
struct Place {
    boot: String,
    sequence: Option<u64>,
    /// Nothing was read in this boot before, and the messages that lay ready are not yet through.
    past: bool,
}

impl Place {
    fn new(boot: String, cursor: Option<SourceCursor>) -> Self {
        let sequence = match &cursor {
            Some(SourceCursor::Kernel { boot: known, sequence }) if *known == boot => Some(*sequence),
            _ => None,
        };
        Self { boot, sequence, past: cursor.is_none() }
    }

    fn cursor(&self) -> SourceCursor {
        SourceCursor::Kernel { boot: self.boot.clone(), sequence: self.sequence.unwrap_or(0) }
    }

    /// New records, and whether some before them were overwritten unread.
    fn accept(&mut self, records: Vec<KernelRecord>) -> (Vec<KernelRecord>, bool) {
        let known = self.sequence;
        let mut fresh: Vec<_> = records.into_iter().filter(|r| known.is_none_or(|known| r.sequence > known)).collect();
        fresh.iter_mut().for_each(|record| record.past = self.past);
        let missing = |first: &KernelRecord| known.is_some_and(|known| first.sequence > known + 1);
        let gap = fresh.first().is_some_and(missing) || fresh.windows(2).any(jumps);
        self.sequence = fresh.last().map(|last| last.sequence).or(known);
        (fresh, gap)
    }
}

fn jumps(pair: &[KernelRecord]) -> bool {
    matches!(pair, [one, two] if two.sequence > one.sequence + 1)
}

/// Ends well when nobody listens.
fn read_stream(fd: &OwnedFd, place: &mut Place, sink: &Sink) -> Result<(), Errno> {
    let mut pending = Vec::new();
    loop {
        let drained = read_batch(fd, &mut pending)?;
        let before = place.cursor();
        let (records, gap) = place.accept(take_records(&mut pending));
        if gap {
            let gap = Gap::new(GapCause::Overrun);
            sink.send(|source| Event::Gap { source, gap, cursor: before });
        }
        let cursor = place.cursor();
        let listening = records.is_empty() || sink.send(|source| Event::Records { source, records, cursor });
        if !listening || sink.events.is_closed() {
            return Ok(());
        }
        if drained {
            place.past = false;
            wait(fd)?;
        }
    }
}

/// For more to read, but not so long that nobody listens any more.
fn wait(fd: &OwnedFd) -> Result<(), Errno> {
    let timeout = Timespec { tv_sec: 30, tv_nsec: 0 };
    match poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether there is nothing more to read for now.
fn read_batch(fd: &OwnedFd, pending: &mut Vec<u8>) -> Result<bool, Errno> {
    let mut buffer = [0; RECORD];
    for _ in 0..BATCH {
        match rustix::io::read(fd, &mut buffer) {
            Ok(read) => pending.extend_from_slice(buffer.get(..read).unwrap_or_default()),
            Err(Errno::AGAIN) => return Ok(true),
            // Overwritten before it was read: the jump in the sequence tells.
            Err(Errno::PIPE | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Whole records: a line and the lines after it that begin with a blank.
fn take_records(pending: &mut Vec<u8>) -> Vec<KernelRecord> {
    let end = pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let whole: Vec<u8> = pending.drain(..end).collect();
    records(whole.split_inclusive(|byte| *byte == b'\n'))
}

fn records<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<KernelRecord> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for line in lines {
        match parts.last_mut() {
            Some(part) if line.starts_with(b" ") => part.extend_from_slice(line),
            _ => parts.push(line.to_vec()),
        }
    }
    parts.iter().filter_map(|part| parse_record(part)).collect()
}

fn follow_file(root: &Path, cursor: Option<SourceCursor>, sink: &Sink) {
    let (send, mut lines) = mpsc::channel(EVENTS_IN_FLIGHT);
    let files = Files::new(root, send);
    let cursor = match cursor {
        Some(SourceCursor::File(cursor)) => Some(cursor),
        _ => None,
    };
    files.add(&sink.source, DEVICE, cursor);
    while let Some(event) = lines.blocking_recv() {
        if sink.events.blocking_send(as_records(event)).is_err() {
            return;
        }
    }
}

fn as_records(event: Event) -> Event {
    let Event::Lines { source, lines, cursor } = event else { return event };
    let (past, news): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(|line| line.past);
    let mut records = records_of(past);
    records.iter_mut().for_each(|record| record.past = true);
    records.extend(records_of(news));
    Event::Records { source, records, cursor }
}

fn records_of(lines: Vec<Line>) -> Vec<KernelRecord> {
    let lines: Vec<Vec<u8>> = lines.into_iter().map(with_end).collect();
    records(lines.iter().map(Vec::as_slice))
}

fn with_end(line: Line) -> Vec<u8> {
    let mut bytes = line.bytes;
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(sequence: u64) -> KernelRecord {
        parse_record(format!("6,{sequence},1,-;text").as_bytes()).unwrap()
    }

    fn sequences(records: &[KernelRecord]) -> Vec<u64> {
        records.iter().map(|record| record.sequence).collect()
    }

    #[test]
    fn a_restart_goes_on_after_the_cursor_and_notices_what_was_overwritten() {
        let at = |sequence| Some(SourceCursor::Kernel { boot: "b".into(), sequence });
        let mut place = Place::new("b".into(), at(5));
        let (fresh, gap) = place.accept(vec![record(4), record(5), record(6)]);
        assert_eq!((sequences(&fresh), gap, place.cursor()), (vec![6], false, at(6).unwrap()));
        let (fresh, gap) = place.accept(vec![record(9)]);
        assert_eq!((sequences(&fresh), gap), (vec![9], true));
        assert!(Place::new("b".into(), at(5)).accept(vec![record(6), record(8)]).1);
    }

    #[test]
    fn another_boot_is_read_from_its_beginning_and_is_news() {
        let cursor = SourceCursor::Kernel { boot: "before".into(), sequence: 900 };
        let (fresh, gap) = Place::new("now".into(), Some(cursor)).accept(vec![record(0), record(1)]);
        assert_eq!((sequences(&fresh), gap, fresh[0].past), (vec![0, 1], false, false));
        assert!(Place::new("now".into(), None).accept(vec![record(7)]).0[0].past);
    }

    #[test]
    fn continuation_lines_stay_with_their_record() {
        let mut pending = b"6,1,1,-;one\n DEVICE=b8:0\n6,2,1,-;two\n6,3,".to_vec();
        let records = take_records(&mut pending);
        assert_eq!(sequences(&records), [1, 2]);
        assert_eq!((records[0].device.as_deref(), pending.as_slice()), (Some("b8:0"), &b"6,3,"[..]));
    }
}
