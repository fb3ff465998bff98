//! One look at one log: ask the tail what to read, read it, hand the lines on.

use super::Blindness;
use super::open::{self, Opened, Stat};
use raidmond_core::tail::{
    self, Compression, Cursor, Ending, Facts, Gap, GapCause, Line, Older, Plan, Step, Which, adopts, assemble,
};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Read at once. More than the longest line, so that every read makes progress.
const CHUNK: usize = 256 * 1024;

pub(super) enum Said {
    Lines(Vec<Line>),
    Gap(Gap),
}

/// Takes what was read with the cursor after it; `false` ends the look.
pub(super) type Listener<'a> = dyn FnMut(Said, &Cursor) -> bool + 'a;

pub(super) struct Log {
    path: PathBuf,
    cursor: Option<Cursor>,
    /// The cursor the listener knows.
    told: Option<Cursor>,
    /// What lay there at the last complete look that did not find our file under the log's name.
    seen: Option<Vec<(String, Stat)>>,
    in_doubt: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Looked {
    Done,
    /// Something is missing that a second look may find: a rename was under way.
    Doubtful,
}

/// All that lies there, opened. The current file is opened before the older ones are listed, so that what
/// is rotated away in between is seen twice rather than never.
struct Scene {
    current: Option<Opened>,
    facts: Option<Facts>,
    older: Vec<(Older, Opened)>,
}

impl Log {
    pub(super) fn new(path: PathBuf, cursor: Option<Cursor>) -> Self {
        Self { path, told: cursor.clone(), cursor, seen: None, in_doubt: false }
    }

    pub(super) fn look(&mut self, listener: &mut Listener<'_>) -> Result<Looked, Blindness> {
        let current = self.open_current()?;
        let facts = current.as_ref().map(|opened| open::facts(opened, self.cursor.as_ref())).transpose()?;
        let found = current.is_some();
        let mut scene = Scene { current, facts, older: Vec::new() };
        if let Some(cursor) = self.cursor.as_ref().filter(|cursor| !scene.continues(cursor)) {
            scene.older = open::older(&self.path);
            let stats = scene.stats();
            if !self.in_doubt && self.seen.as_ref() == Some(&stats) {
                return self.verdict(found);
            }
            open::probe_older(&mut scene.older, cursor);
            self.seen = Some(stats);
        } else {
            self.seen = None;
        }
        match self.follow(&scene, listener)? {
            Looked::Done => self.verdict(found),
            Looked::Doubtful => Ok(Looked::Doubtful),
        }
    }

    fn open_current(&self) -> Result<Option<Opened>, Blindness> {
        match open::open(&self.path) {
            Ok(opened) => Ok(Some(opened)),
            Err(Blindness::Absent) => Ok(None),
            Err(why) => Err(why),
        }
    }

    fn verdict(&self, found: bool) -> Result<Looked, Blindness> {
        let directory = self.path.parent().is_some_and(Path::is_dir);
        match (found, directory) {
            (true, _) => Ok(Looked::Done),
            (false, true) => Err(Blindness::Absent),
            (false, false) => Err(Blindness::DirectoryGone),
        }
    }

    fn follow(&mut self, scene: &Scene, listener: &mut Listener<'_>) -> Result<Looked, Blindness> {
        let older: Vec<Older> = scene.older.iter().map(|(older, _)| older.clone()).collect();
        let mut plan = tail::decide(self.cursor.as_ref(), scene.facts.as_ref(), &older);
        self.in_doubt = plan.gap.is_some() && !self.in_doubt;
        if self.in_doubt {
            return Ok(Looked::Doubtful);
        }
        if let (Some(gap), Some(step)) = (plan.gap.clone(), plan.steps.first()) {
            self.lose(gap, step.cursor.clone(), listener);
        }
        let mut read_out = false;
        for step in plan.steps.clone() {
            read_out = match (self.read(&plan, &step, scene, listener), step.which) {
                (Ok(read_out), _) => read_out,
                (Err(error), Which::Current) => return Err(error.into()),
                (Err(_), Which::Older(index)) => {
                    let unread = older.get(index).map(|older| older.file.clone()).into_iter().collect();
                    let gap = Gap { cause: GapCause::Unreadable, unread };
                    plan.gap = Some(gap.clone());
                    self.lose(gap, self.cursor.clone().unwrap_or(step.cursor), listener);
                    true
                }
            };
        }
        self.finish(scene, read_out, listener);
        Ok(Looked::Done)
    }

    fn lose(&mut self, gap: Gap, cursor: Cursor, listener: &mut Listener<'_>) {
        listener(Said::Gap(gap), &cursor);
        self.told = Some(cursor.clone());
        self.cursor = Some(cursor);
    }

    /// Whether nothing is left in the file the cursor stands in.
    fn read(&mut self, plan: &Plan, step: &Step, scene: &Scene, listener: &mut Listener<'_>) -> io::Result<bool> {
        let mut from = scene.reader(step)?;
        let mut cursor = step.cursor.clone();
        let mut pending = Vec::new();
        loop {
            let read = from.by_ref().take(CHUNK as u64).read_to_end(&mut pending)?;
            let at_end = read < CHUNK;
            let before = cursor.offset;
            let lines = assemble(&mut cursor, &pending, if at_end { step.ending } else { Ending::Open });
            pending.drain(..usize::try_from(cursor.offset - before).unwrap_or(pending.len()).min(pending.len()));
            let adopted = adopts(self.cursor.as_ref(), plan, step, &cursor);
            if adopted {
                self.cursor = Some(cursor.clone());
            }
            let listening = lines.is_empty() || self.tell(lines, listener);
            if at_end || !listening {
                return Ok(pending.is_empty() || !adopted);
            }
        }
    }

    fn tell(&mut self, lines: Vec<Line>, listener: &mut Listener<'_>) -> bool {
        let Some(cursor) = &self.cursor else { return true };
        self.told = Some(cursor.clone());
        listener(Said::Lines(lines), cursor)
    }

    fn finish(&mut self, scene: &Scene, read_out: bool, listener: &mut Listener<'_>) {
        if let Some(cursor) = &mut self.cursor {
            tail::settle(cursor, scene.facts.as_ref(), read_out);
        }
        if self.cursor != self.told {
            self.tell(Vec::new(), listener);
        }
    }
}

impl Scene {
    fn continues(&self, cursor: &Cursor) -> bool {
        self.facts.as_ref().is_some_and(|facts| cursor.continues(facts))
    }

    fn stats(&self) -> Vec<(String, Stat)> {
        let current = self.current.iter().map(|opened| (String::new(), opened.stat));
        current.chain(self.older.iter().map(|(older, opened)| (older.file.clone(), opened.stat))).collect()
    }

    fn reader(&self, step: &Step) -> io::Result<Box<dyn Read + '_>> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let offset = step.cursor.offset;
        match step.which {
            Which::Current => open::reader(self.current.as_ref().ok_or_else(gone)?, Compression::None, offset),
            Which::Older(index) => {
                let (older, opened) = self.older.get(index).ok_or_else(gone)?;
                open::reader(opened, older.name.compression, offset)
            }
        }
    }
}
