//! Opening a log or an older file of it, and describing it for the tail's decisions.

use super::Blindness;
use flate2::read::MultiGzDecoder;
use raidmond_core::tail::{Compression, Cursor, Facts, FileId, Older, Print, Probe, older_name};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Hashed at first contact.
const HEAD: u64 = 1024;

/// An open file with what its name and inode say. Held open, so that a rename meanwhile changes nothing.
pub(super) struct Opened {
    pub file: File,
    pub stat: Stat,
}

/// Changes whenever the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub id: FileId,
    pub len: u64,
    modified: (i64, i64),
}

impl From<&Metadata> for Stat {
    fn from(meta: &Metadata) -> Self {
        let id = FileId { dev: meta.dev(), ino: meta.ino() };
        Self { id, len: meta.len(), modified: (meta.mtime(), meta.mtime_nsec()) }
    }
}

/// Never blocks on a FIFO somebody put there: only regular files are logs.
pub(super) fn open(path: &Path) -> Result<Opened, Blindness> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(nonblocking).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(Blindness::Unreadable("not a regular file".to_owned()));
    }
    Ok(Opened { stat: Stat::from(&meta), file })
}

/// Older files beside the log, opened; what cannot be opened is as good as not there.
pub(super) fn older(path: &Path) -> Vec<(Older, Opened)> {
    let (Some(dir), Some(log)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<_> = names.filter_map(|file| opened_older(dir, log, file)).collect();
    found.sort_by(|(a, _), (b, _)| a.file.cmp(&b.file));
    found
}

fn opened_older(dir: &Path, log: &str, file: String) -> Option<(Older, Opened)> {
    let name = older_name(log, &file)?;
    let opened = open(&dir.join(&file)).ok()?;
    let facts = Facts { id: opened.stat.id, len: opened.stat.len, head: None, last: None };
    Some((Older { file, name, facts }, opened))
}

/// Facts of the file under the log's name.
pub(super) fn facts(opened: &Opened, cursor: Option<&Cursor>) -> io::Result<Facts> {
    let len = opened.stat.len;
    let probe = cursor.map_or(Probe { head: len.min(HEAD), last: 0, offset: 0 }, Cursor::probe);
    let (head, last) = plain_prints(&opened.file, probe)?;
    Ok(Facts { id: opened.stat.id, len, head, last })
}

/// Fill in the prints, of the plain files first: decompressing is only worth it when none of them is ours.
pub(super) fn probe_older(older: &mut [(Older, Opened)], cursor: &Cursor) {
    for compression in [Compression::None, Compression::Gzip] {
        for (older, opened) in older.iter_mut().filter(|(older, _)| older.name.compression == compression) {
            // A compressed file still being written, or a damaged one, is not ours.
            (older.facts.head, older.facts.last) = prints(opened, compression, cursor.probe()).unwrap_or_default();
        }
        if older.iter().any(|(older, _)| cursor.continues(&older.facts)) {
            return;
        }
    }
}

type Prints = (Option<Print>, Option<Print>);

fn prints(opened: &Opened, compression: Compression, probe: Probe) -> io::Result<Prints> {
    match compression {
        Compression::None => plain_prints(&opened.file, probe),
        _ => stream_prints(reader(opened, compression, 0)?, probe),
    }
}

fn plain_prints(file: &File, probe: Probe) -> io::Result<Prints> {
    let head = print_at(file, 0, probe.head)?;
    Ok((head, print_at(file, probe.offset.saturating_sub(probe.last), probe.last)?))
}

fn print_at(file: &File, from: u64, len: u64) -> io::Result<Option<Print>> {
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    match file.read_exact_at(&mut bytes, from) {
        Ok(()) => Ok(Some(Print::of(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// The same by reading from the beginning to the offset.
fn stream_prints(mut from: impl Read, probe: Probe) -> io::Result<Prints> {
    let mut head = Vec::new();
    from.by_ref().take(probe.head).read_to_end(&mut head)?;
    let mut last = head.clone();
    let between = probe.offset.saturating_sub(probe.head + probe.last);
    let skipped = io::copy(&mut from.by_ref().take(between), &mut io::sink())?;
    let rest = probe.offset.saturating_sub(probe.head + skipped);
    let read = from.take(rest).read_to_end(&mut last)? as u64;
    if skipped < between || read < rest {
        return Ok((None, None));
    }
    let begin = last.len().saturating_sub(usize::try_from(probe.last).unwrap_or(usize::MAX));
    Ok((Some(Print::of(&head)), last.get(begin..).map(Print::of)))
}

/// The content from `offset` on.
pub(super) fn reader(opened: &Opened, compression: Compression, offset: u64) -> io::Result<Box<dyn Read + '_>> {
    let mut file = &opened.file;
    if compression == Compression::None {
        file.seek(SeekFrom::Start(offset))?;
        return Ok(Box::new(file));
    }
    file.seek(SeekFrom::Start(0))?;
    let mut content = MultiGzDecoder::new(io::BufReader::new(file));
    io::copy(&mut content.by_ref().take(offset), &mut io::sink())?;
    Ok(Box::new(content))
}
