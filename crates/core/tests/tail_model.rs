//! The tail against a model of a file system, a writer and logrotate: every line is delivered exactly
//! once and whole, unless it was destroyed between two looks, and then a gap is reported.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use raidmond_core::tail::{
    Cursor, Ending, Facts, FileId, Line, Older, Plan, Print, Step, Which, adopts, assemble, decide, older_name, settle,
};
use std::collections::{BTreeMap, BTreeSet};

const LOG: &str = "x.log";

#[derive(Debug, Clone)]
enum Op {
    Append {
        lines: u8,
        padding: u16,
    },
    /// Begin a line and leave it without its end.
    Begin,
    /// Rename; `create` an empty file at once; the writer reopens at once or later.
    Rotate {
        create: bool,
        reopen: bool,
    },
    Reopen,
    CopyTruncate,
    Compress,
    Truncate,
    Shorten,
    Delete,
    Recreate,
    DropOldest,
    Look,
    Restart,
}

/// Operations after which every line can still be found.
fn harmless() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (1..4u8, 0..700u16).prop_map(|(lines, padding)| Op::Append { lines, padding }),
        2 => Just(Op::Begin),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(create, reopen)| Op::Rotate { create, reopen }),
        2 => Just(Op::Reopen),
        2 => Just(Op::CopyTruncate),
        2 => Just(Op::Compress),
        6 => Just(Op::Look),
        2 => Just(Op::Restart),
    ]
}

fn any_op() -> impl Strategy<Value = Op> {
    prop_oneof![
        25 => harmless(),
        1 => Just(Op::Truncate),
        1 => Just(Op::Shorten),
        1 => Just(Op::Delete),
        1 => Just(Op::Recreate),
        1 => Just(Op::DropOldest),
    ]
}

#[derive(Debug, Clone, Default)]
struct File {
    ino: u64,
    content: Vec<u8>,
}

impl File {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.content).into_owned()
    }
}

#[derive(Default)]
struct World {
    dates: bool,
    day: u32,
    files: BTreeMap<String, File>,
    /// Inode the writer holds open.
    open: Option<u64>,
    in_line: bool,
    next: u32,
    written: BTreeSet<String>,
    delivered: Vec<String>,
    /// May stay undelivered.
    excused: BTreeSet<String>,
    cursor: Option<Cursor>,
    gap_allowed: bool,
    problems: Vec<String>,
}

impl World {
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Append { lines, padding } => (0..*lines).for_each(|_| self.line(*padding)),
            Op::Begin => self.begin(20),
            Op::Rotate { create, reopen } => self.rotate(*create, *reopen),
            Op::Reopen => self.reopen(),
            Op::CopyTruncate => self.copytruncate(),
            Op::Compress => self.compress(),
            Op::Truncate => self.destroy(|world| world.current(|file| file.content.clear())),
            Op::Shorten => self.shorten(),
            Op::Delete => self.destroy(|world| drop(world.files.remove(LOG))),
            Op::Recreate => self.destroy(World::recreate),
            Op::DropOldest => self.drop_oldest(),
            Op::Look => self.look(),
            Op::Restart => self.restart(),
        }
    }

    fn line(&mut self, padding: u16) {
        self.begin(padding);
        self.write(b"\n");
        self.in_line = false;
    }

    fn begin(&mut self, padding: u16) {
        if self.in_line {
            return;
        }
        let text = format!("line {:05} {}", self.next, "x".repeat(padding.into()));
        self.next += 1;
        self.write(text.as_bytes());
        self.written.insert(text);
        self.in_line = true;
    }

    fn write(&mut self, bytes: &[u8]) {
        let ino = match self.open.filter(|ino| self.files.values().any(|f| f.ino == *ino)) {
            Some(ino) => ino,
            None => self.create(),
        };
        self.open = Some(ino);
        for file in self.files.values_mut().filter(|file| file.ino == ino) {
            file.content.extend_from_slice(bytes);
        }
    }

    fn create(&mut self) -> u64 {
        let used: BTreeSet<u64> = self.files.values().map(|f| f.ino).collect();
        let free = (1..).find(|ino| !used.contains(ino)).unwrap();
        self.files.entry(LOG.to_owned()).or_insert(File { ino: free, content: Vec::new() }).ino
    }

    /// Often with the same inode.
    fn recreate(&mut self) {
        self.open = self.open.filter(|ino| self.files.get(LOG).is_some_and(|file| file.ino != *ino));
        self.files.remove(LOG);
        self.create();
    }

    fn current(&mut self, change: impl FnOnce(&mut File)) {
        if let Some(file) = self.files.get_mut(LOG) {
            change(file);
            self.in_line &= self.open.is_some_and(|ino| ino != file.ino);
        }
    }

    /// A line begun in a file that was rotated away stays without its end.
    fn reopen(&mut self) {
        let same = self.open.is_some() && self.files.get(LOG).map(|file| file.ino) == self.open;
        if !same {
            self.open = None;
            self.in_line = false;
        }
    }

    fn older_names(&self) -> Vec<String> {
        self.files.keys().filter(|name| *name != LOG).cloned().collect()
    }

    fn make_room(&mut self) -> String {
        self.day += 1;
        if self.dates {
            return format!("{LOG}-{}", 20260100 + self.day);
        }
        let number = |name: &str| name.split('.').nth(2).unwrap().parse::<u32>().unwrap();
        let old = std::mem::take(&mut self.files);
        for (name, file) in old {
            let new = match name.as_str() {
                LOG => name,
                _ => name.replace(&format!("log.{}", number(&name)), &format!("log.{}", number(&name) + 1)),
            };
            self.files.insert(new, file);
        }
        format!("{LOG}.1")
    }

    fn rotate(&mut self, create: bool, reopen: bool) {
        let older = self.make_room();
        if let Some(file) = self.files.remove(LOG) {
            self.files.insert(older, file);
        }
        if create {
            self.create();
        }
        if reopen {
            self.reopen();
        }
    }

    fn copytruncate(&mut self) {
        self.excuse_if_weak();
        let older = self.make_room();
        let Some(mut copy) = self.files.get(LOG).cloned() else { return };
        copy.ino = self.free_inode();
        self.files.insert(older, copy);
        self.current(|file| file.content.clear());
    }

    fn free_inode(&self) -> u64 {
        (1..).find(|ino| self.files.values().all(|f| f.ino != *ino)).unwrap()
    }

    /// One that the writer does not hold: rotation waits for the writer before it compresses.
    fn compress(&mut self) {
        self.excuse_if_weak();
        let open = self.open;
        let plain = |world: &Self, name: &String| !name.ends_with(".gz") && Some(world.files[name].ino) != open;
        let Some(name) = self.older_names().into_iter().find(|name| plain(self, name)) else { return };
        let ino = self.free_inode();
        let file = self.files.remove(&name).unwrap();
        self.files.insert(format!("{name}.gz"), File { ino, ..file });
    }

    /// A file of which nothing was consumed is known by its inode alone, or not at all.
    fn weak(&self) -> bool {
        let Some(cursor) = &self.cursor else { return true };
        let gone = !self.files.values().any(|file| cursor.continues(&self.facts(file)));
        cursor.offset == 0 || (gone && cursor.successor.is_some())
    }

    fn excuse_if_weak(&mut self) {
        if self.weak() {
            self.excuse_all();
            self.gap_allowed = true;
        }
    }

    fn excuse_all(&mut self) {
        self.excused.extend(self.written.iter().cloned());
    }

    fn destroy(&mut self, how: impl FnOnce(&mut Self)) {
        self.excuse_if_weak();
        let Some(file) = self.files.get(LOG) else { return };
        if self.cursor.as_ref().is_some_and(|cursor| !cursor.continues(&self.facts(file))) {
            // It came and went between two looks.
            let unseen: Vec<String> = file.text().lines().map(str::to_owned).collect();
            self.excused.extend(unseen);
        }
        self.in_line &= self.open.is_some_and(|ino| ino != file.ino);
        self.gap_allowed = true;
        how(self);
        self.open = self.open.filter(|ino| self.files.values().any(|file| file.ino == *ino));
    }

    /// To a line end beyond the first KiB, as an editor would.
    fn shorten(&mut self) {
        let known = self.cursor.as_ref().is_some_and(|cursor| cursor.head.len == 1024 && cursor.last.len > 20);
        let Some(file) = self.files.get(LOG).filter(|_| known) else { return };
        let Some(end) = file.content.iter().skip(1024).position(|b| *b == b'\n') else { return };
        if self.cursor.as_ref().is_some_and(|cursor| cursor.offset <= 1025 + end as u64) {
            // Nothing that was seen is gone, so it cannot be noticed.
            let cut: Vec<String> = file.text().split_off(1025 + end).lines().map(str::to_owned).collect();
            self.excused.extend(cut);
        }
        self.destroy(|world| world.current(|file| file.content.truncate(1024 + end + 1)));
    }

    fn drop_oldest(&mut self) {
        self.excuse_if_weak();
        let oldest =
            if self.dates { self.older_names().into_iter().next() } else { self.older_names().into_iter().last() };
        let Some(name) = oldest.filter(|name| Some(self.files[name].ino) != self.open) else { return };
        self.gap_allowed = true;
        self.files.remove(&name);
    }

    fn restart(&mut self) {
        let saved = serde_json::to_string(&self.cursor).unwrap();
        self.cursor = serde_json::from_str(&saved).unwrap();
    }

    fn facts(&self, file: &File) -> Facts {
        let content = &file.content;
        let (head, last) = match &self.cursor {
            None => (Some(Print::of(&content[..content.len().min(1024)])), None),
            Some(cursor) => {
                let probe = cursor.probe();
                let part = |from: u64, to: u64| content.get(from as usize..to as usize).map(Print::of);
                (part(0, probe.head), part(probe.offset - probe.last, probe.offset))
            }
        };
        Facts { id: FileId { dev: 1, ino: file.ino }, len: content.len() as u64, head, last }
    }

    fn look(&mut self) {
        if self.weak() {
            let inside = |line: &String| self.files.get(LOG).is_some_and(|f| f.text().contains(line));
            let before: Vec<String> = self.written.iter().filter(|line| !inside(line)).cloned().collect();
            self.excused.extend(before);
        }
        let current = self.files.get(LOG).map(|file| self.facts(file));
        let older: Vec<Older> = (self.older_names().into_iter())
            .filter_map(|file| {
                let name = older_name(LOG, &file)?;
                let facts = self.facts(&self.files[&file]);
                Some(Older { file, name, facts })
            })
            .collect();
        let plan = decide(self.cursor.as_ref(), current.as_ref(), &older);
        self.judge_gap(&plan);
        let read_out = plan.steps.iter().map(|step| self.read(&plan, step, &older)).fold(false, |_, r| r);
        if let Some(cursor) = &mut self.cursor {
            settle(cursor, current.as_ref(), read_out);
        }
    }

    fn judge_gap(&mut self, plan: &Plan) {
        if plan.gap.is_some() {
            if !self.gap_allowed {
                self.problems.push(format!("a gap without cause: {:?}", plan.gap));
            }
            self.gap_allowed = false;
            self.excuse_all();
        }
    }

    /// Whether everything in the file the cursor stands in was consumed.
    fn read(&mut self, plan: &Plan, step: &Step, older: &[Older]) -> bool {
        let name = match step.which {
            Which::Current => LOG,
            Which::Older(index) => &older[index].file,
        };
        let content = self.files[name].content.clone();
        let mut cursor = step.cursor.clone();
        let lines = assemble_in_pieces(&mut cursor, &content, step.ending);
        self.delivered.extend(lines.iter().map(Line::text));
        if adopts(self.cursor.as_ref(), plan, step, &cursor) {
            let read_out = cursor.offset == content.len() as u64;
            self.cursor = Some(cursor);
            return read_out;
        }
        true
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        prop_assert!(self.problems.is_empty(), "{:?}", self.problems);
        let mut seen = BTreeSet::new();
        for line in &self.delivered {
            prop_assert!(seen.insert(line), "twice: {line}");
            prop_assert!(self.written.contains(line), "torn: {line}");
        }
        let lost = self.written.iter().find(|line| !seen.contains(line) && !self.excused.contains(*line));
        prop_assert!(lost.is_none(), "lost: {lost:?}");
        Ok(())
    }
}

fn assemble_in_pieces(cursor: &mut Cursor, content: &[u8], ending: Ending) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut end = cursor.offset as usize;
    while end < content.len() {
        end = (end + 100).min(content.len());
        let ending = if end == content.len() { ending } else { Ending::Open };
        lines.extend(assemble(cursor, &content[cursor.offset as usize..end], ending));
    }
    lines
}

fn play(dates: bool, ops: &[Op]) -> Result<World, TestCaseError> {
    let mut world = World { dates, ..World::default() };
    for op in ops {
        world.apply(op);
    }
    // The end: the last line is finished, the writer goes on in a new file, and all is looked at.
    world.line(0);
    world.apply(&Op::Look);
    world.apply(&Op::Reopen);
    world.line(0);
    world.apply(&Op::Look);
    world.check()?;
    Ok(world)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_once_or_a_gap(dates: bool, ops in prop::collection::vec(any_op(), 1..40)) {
        play(dates, &ops)?;
    }

    #[test]
    fn nothing_is_lost_when_nothing_is_destroyed(dates: bool, ops in prop::collection::vec(harmless(), 1..40)) {
        let begun = [Op::Append { lines: 1, padding: 30 }, Op::Look];
        let ops: Vec<Op> = begun.into_iter().chain(ops).collect();
        let world = play(dates, &ops)?;
        prop_assert!(world.excused.is_empty());
        prop_assert_eq!(world.delivered.len(), world.written.len());
    }
}
