//! Which files to read from where, given what stands under the log's name and beside it.

use super::names::Rank;
use super::{Compression, Cursor, Ending, FileId, OlderName, Print};
use serde::{Deserialize, Serialize};

/// First contact reads back this much.
pub const FIRST_LOOK_BYTES: u64 = 1024 * 1024;

/// One file as the shell found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub id: FileId,
    /// Size on disk; of a compressed file only whether it is 0 matters.
    pub len: u64,
    /// The bytes that the cursor's probe asks for, of the uncompressed content; `None` when the file is
    /// too short or could not be read. Without a cursor: `head` of the first bytes, up to 1 KiB.
    pub head: Option<Print>,
    pub last: Option<Print>,
}

/// A file that rotation left beside the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Older {
    pub file: String,
    pub name: OlderName,
    pub facts: Facts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Current,
    /// Index into the list given to [`decide`].
    Older(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub which: Which,
    pub cursor: Cursor,
    pub ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GapCause {
    /// The file was emptied or replaced and what was in it is nowhere to be found.
    Lost,
    /// The file was shortened or changed before our place; reading goes on at its end.
    Edited,
    /// A rotated file could not be read to its end.
    Unreadable,
    /// The kernel overwrote messages before they were read.
    Overrun,
}

/// Lines may have been lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    pub cause: GapCause,
    /// Files beside the log that may hold the lines, in a compression that raidmond does not read.
    pub unread: Vec<String>,
}

impl Gap {
    pub fn new(cause: GapCause) -> Self {
        Self { cause, unread: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// When set, the first step's cursor holds from now on even if the step consumes nothing.
    pub gap: Option<Gap>,
    /// Oldest first.
    pub steps: Vec<Step>,
}

impl Cursor {
    /// Whether the file is the one this cursor stands in, unshortened. A file of which nothing was
    /// consumed is known by its id alone.
    pub fn continues(&self, facts: &Facts) -> bool {
        let content = facts.head == Some(self.head) && facts.last == Some(self.last);
        content && (self.offset > 0 || self.file == facts.id)
    }
}

/// `current` is `None` while nothing stands under the log's name. `older` may be empty as long as the
/// cursor continues in `current`.
pub fn decide(cursor: Option<&Cursor>, current: Option<&Facts>, older: &[Older]) -> Plan {
    let Some(cursor) = cursor else {
        return Plan { gap: None, steps: current.map(first_contact).into_iter().collect() };
    };
    if let Some(facts) = current.filter(|facts| cursor.continues(facts)) {
        return Plan { gap: None, steps: vec![resume(cursor, Which::Current, facts, Ending::Open)] };
    }
    match predecessor(cursor, older) {
        Some(found) => Plan { gap: None, steps: chain(cursor, found, current, older) },
        None => current.map(|facts| start_over(cursor, facts, older)).unwrap_or_default(),
    }
}

/// Whether the cursor `after` a step takes the place of the one held: only when the step is in the same
/// file, consumed something, or there is nothing to hold on to.
pub fn adopts(held: Option<&Cursor>, plan: &Plan, step: &Step, after: &Cursor) -> bool {
    let same_file = held.is_none_or(|held| held.generation == after.generation);
    same_file || plan.gap.is_some() || after.offset > step.cursor.offset
}

/// To be called after each look. `read_out`: nothing is left in the file the cursor stands in. Notes that
/// it was rotated away and is done with, while `current`, still without a whole line, has its name.
pub fn settle(cursor: &mut Cursor, current: Option<&Facts>, read_out: bool) {
    let rotated = current.filter(|facts| facts.id != cursor.file);
    cursor.successor = rotated.filter(|_| read_out).map(|facts| facts.id);
}

fn first_contact(facts: &Facts) -> Step {
    let back = facts.len.saturating_sub(FIRST_LOOK_BYTES);
    let mut cursor = Cursor::at_start_of(facts.id, 0);
    cursor.past_until = facts.len;
    if back > 0 {
        // One byte earlier: if that is a line end, the line after it is whole.
        cursor.offset = back - 1;
        cursor.skipping = true;
        cursor.head = facts.head.unwrap_or_default();
    }
    Step { which: Which::Current, cursor, ending: Ending::Open }
}

fn resume(cursor: &Cursor, which: Which, facts: &Facts, ending: Ending) -> Step {
    Step { which, cursor: Cursor { file: facts.id, ..cursor.clone() }, ending }
}

/// Among equals the newest, and the plain one rather than its compressed copy in the making.
fn predecessor(cursor: &Cursor, older: &[Older]) -> Option<usize> {
    // A compressed file of which nothing was consumed can only be another one on a reused inode.
    let possible = |o: &Older| o.plain() || (o.readable() && cursor.offset > 0);
    let matching = older.iter().enumerate().filter(|(_, o)| possible(o) && cursor.continues(&o.facts));
    let key = |o: &Older| (o.facts.id == cursor.file, o.name.rank.clone(), o.name.compression == Compression::None);
    matching.max_by_key(|(_, o)| key(o)).map(|(index, _)| index)
}

impl Older {
    fn readable(&self) -> bool {
        self.name.compression != Compression::Other
    }

    fn plain(&self) -> bool {
        self.name.compression == Compression::None
    }
}

/// The predecessor from our place, all files between it and the current one, and the current one.
/// Trailing empty files are left out: their writer may not have reached them yet.
fn chain(cursor: &Cursor, found: usize, current: Option<&Facts>, older: &[Older]) -> Vec<Step> {
    let mut files = vec![(Which::Older(found), older.get(found).map(|o| &o.facts))];
    files.extend(between(found, current, older).into_iter().map(|(i, facts)| (Which::Older(i), Some(facts))));
    files.push((Which::Current, current));
    while files.len() > 1 && files.last().is_some_and(|(_, facts)| facts.is_none_or(|f| f.len == 0)) {
        files.pop();
    }
    let last = files.len() - 1;
    let known = files.into_iter().enumerate().filter_map(|(n, (which, facts))| Some((n, which, facts?)));
    known
        .map(|(n, which, facts)| step(cursor, n, which, facts, n < last || immutable(cursor, n, which, facts, older)))
        .collect()
}

fn step(cursor: &Cursor, n: usize, which: Which, facts: &Facts, done: bool) -> Step {
    let ending = if done { Ending::Final } else { Ending::Open };
    match n {
        0 => resume(cursor, which, facts, ending),
        _ => Step { which, cursor: Cursor::at_start_of(facts.id, cursor.generation + n as u64), ending },
    }
}

/// A compressed file, or a copy of what we read, has no writer.
fn immutable(cursor: &Cursor, n: usize, which: Which, facts: &Facts, older: &[Older]) -> bool {
    match which {
        Which::Current => false,
        Which::Older(index) => older.get(index).is_some_and(|o| !o.plain()) || (n == 0 && facts.id != cursor.file),
    }
}

/// Files newer than the predecessor in the same naming scheme, oldest first, each rank once.
fn between<'a>(found: usize, current: Option<&Facts>, older: &'a [Older]) -> Vec<(usize, &'a Facts)> {
    let Some(rank) = older.get(found).map(|o| &o.name.rank) else { return Vec::new() };
    let newer = |o: &Older| o.name.rank.same_scheme(rank) && o.name.rank > *rank;
    let is_current = |o: &Older| current.is_some_and(|c| c.id == o.facts.id);
    let mut files: Vec<(&Rank, bool, usize, &Facts)> = (older.iter().enumerate())
        .filter(|(_, o)| o.readable() && newer(o) && !is_current(o))
        .map(|(index, o)| (&o.name.rank, !o.plain(), index, &o.facts))
        .collect();
    files.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    files.dedup_by(|b, a| a.0 == b.0);
    files.into_iter().map(|(_, _, index, facts)| (index, facts)).collect()
}

/// Nothing we know is left of our file.
fn start_over(cursor: &Cursor, facts: &Facts, older: &[Older]) -> Plan {
    let mut fresh = Cursor::at_start_of(facts.id, cursor.generation + 1);
    if cursor.successor == Some(facts.id) {
        return Plan { gap: None, steps: vec![Step { which: Which::Current, cursor: fresh, ending: Ending::Open }] };
    }
    let edited = cursor.offset > 0 && facts.head == Some(cursor.head);
    if edited {
        // Everything in it may have been delivered before: never twice.
        fresh.offset = facts.len.saturating_sub(1);
        fresh.head = cursor.head;
        fresh.skipping = true;
    }
    let cause = if edited { GapCause::Edited } else { GapCause::Lost };
    let unread = older.iter().filter(|o| !o.readable()).map(|o| o.file.clone()).collect();
    let step = Step { which: Which::Current, cursor: fresh, ending: Ending::Open };
    Plan { gap: Some(Gap { cause, unread }), steps: vec![step] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::{assemble, older_name};

    const OLD: &[u8] = b"one\ntwo\n";

    fn id(ino: u64) -> FileId {
        FileId { dev: 1, ino }
    }

    fn cursor(ino: u64, content: &[u8]) -> Cursor {
        let mut cursor = Cursor::at_start_of(id(ino), 0);
        assemble(&mut cursor, content, Ending::Open);
        cursor
    }

    fn facts(cursor: &Cursor, ino: u64, content: &[u8]) -> Facts {
        let probe = cursor.probe();
        let part = |from: u64, to: u64| content.get(from as usize..to as usize).map(Print::of);
        let last = part(probe.offset - probe.last, probe.offset);
        Facts { id: id(ino), len: content.len() as u64, head: part(0, probe.head), last }
    }

    fn older(cursor: &Cursor, file: &str, ino: u64, content: &[u8]) -> Older {
        let name = older_name("x.log", file).unwrap();
        Older { file: file.to_owned(), name, facts: facts(cursor, ino, content) }
    }

    fn reads(plan: &Plan) -> Vec<(Which, u64, Ending)> {
        plan.steps.iter().map(|step| (step.which, step.cursor.offset, step.ending)).collect()
    }

    #[test]
    fn first_contact_reads_back_a_bounded_part_as_past() {
        let big = Facts { id: id(1), len: FIRST_LOOK_BYTES + 10, head: Some(Print::of(b"x")), last: None };
        let plan = decide(None, Some(&big), &[]);
        let step = &plan.steps[0];
        assert_eq!((step.cursor.offset, step.cursor.skipping, step.cursor.past_until), (9, true, big.len));
        assert_eq!(decide(None, None, &[]), Plan::default());
    }

    #[test]
    fn a_file_never_read_is_followed_by_its_inode() {
        let cursor = cursor(1, b"");
        let names = [older(&cursor, "x.log.2", 3, b"other\n"), older(&cursor, "x.log.1", 1, b"new\n")];
        let plan = decide(Some(&cursor), Some(&facts(&cursor, 2, b"")), &names);
        assert_eq!((plan.gap.clone(), reads(&plan)), (None, vec![(Which::Older(1), 0, Ending::Open)]));
    }

    #[test]
    fn all_files_since_ours_are_read_oldest_first_and_each_once() {
        let cursor = cursor(1, OLD);
        let names = [
            older(&cursor, "x.log.1", 3, b"c\n"),
            older(&cursor, "x.log.2.gz", 4, b"b\n"),
            older(&cursor, "x.log.2", 5, b"b\n"),
            older(&cursor, "x.log.3.gz", 6, b"one\ntwo\nthree\n"),
            older(&cursor, "x.log.4.gz", 7, b"zero\n"),
        ];
        let plan = decide(Some(&cursor), Some(&facts(&cursor, 2, b"d\n")), &names);
        let done = Ending::Final;
        let expected = [(3, 8, done), (2, 0, done), (0, 0, done)].map(|(n, at, end)| (Which::Older(n), at, end));
        assert_eq!(reads(&plan)[..3], expected);
        assert_eq!(reads(&plan)[3], (Which::Current, 0, Ending::Open));
        assert_eq!(plan.steps[3].cursor.generation, 3);
    }

    #[test]
    fn a_rotated_file_that_was_read_out_may_vanish() {
        let mut cursor = cursor(1, OLD);
        let empty = facts(&cursor, 2, b"");
        assert_eq!(decide(Some(&cursor), Some(&empty), &[]).gap.map(|gap| gap.cause), Some(GapCause::Lost));
        settle(&mut cursor, Some(&empty), true);
        assert_eq!(decide(Some(&cursor), Some(&facts(&cursor, 2, b"new\n")), &[]).gap, None);
        settle(&mut cursor, Some(&empty), false);
        assert!(decide(Some(&cursor), Some(&empty), &[]).gap.is_some());
    }

    #[test]
    fn a_gap_names_what_could_not_be_read() {
        let cursor = cursor(1, OLD);
        let mut packed = older(&cursor, "x.log.1.xz", 3, OLD);
        packed.facts.head = None;
        let plan = decide(Some(&cursor), Some(&facts(&cursor, 2, b"new\n")), &[packed]);
        assert_eq!(plan.gap.map(|gap| gap.unread), Some(vec!["x.log.1.xz".to_owned()]));
    }

    #[test]
    fn an_edited_file_is_read_on_from_its_end() {
        let content = [b'x'; 2000];
        let cursor = cursor(1, &[&content[..], b"\nend\n"].concat());
        let plan = decide(Some(&cursor), Some(&facts(&cursor, 9, &[&content[..], b"\n"].concat())), &[]);
        assert_eq!(plan.gap.clone().map(|gap| gap.cause), Some(GapCause::Edited));
        assert_eq!((reads(&plan), plan.steps[0].cursor.skipping), (vec![(Which::Current, 2000, Ending::Open)], true));
    }
}
