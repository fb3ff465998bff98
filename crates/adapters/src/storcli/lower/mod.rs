//! Answers to facts: which answers count, whose they are, and what they cover. What a row or property
//! means is in the files beside this one.

mod arrays;
mod cache;
mod controller;
mod cut;
mod disks;
mod enclosures;
mod events;
mod refusals;
mod tasks;

use super::ask::controller_of;
use super::dialect::Dialect;
use super::parse::{Document, Reply, parse};
use super::recognise::{
    ARRAYS, BATTERY, CACHEVAULT, DRIVES, DRIVES_SHORT, ENCLOSURES, EVENTS, MUTATION, OVERVIEW, SHOW, SHOW_ALL,
    has_generation, is_generation_two,
};
use arrays::Links;
use raidmond_core::model::Path;
use raidmond_core::survey::{Answer, AnswerKind, Asked, Covers, Heard, Known, NoteKind, Reading, Scope};
use std::collections::BTreeMap;

/// What is gathered over all answers.
pub struct Gathered {
    dialect: &'static Dialect,
    pub reading: Reading,
    pub links: Links,
    /// What the summary of a controller, asked at every poll, lists: older answers may hold more.
    listed: BTreeMap<Path, Vec<Path>>,
    /// Summary words of controllers that are not good and that nothing in the same answer explains.
    unexplained: Vec<(Path, String)>,
    /// The same of the overview, which is never detailed.
    pub overview_words: Vec<(Path, String)>,
}

/// One reply with its surroundings.
pub struct Place<'a> {
    pub at: &'a Path,
    pub kind: AnswerKind,
    pub reply: &'a Reply,
}

pub fn lower(dialect: &'static Dialect, known: &Known, heard: &Heard) -> Reading {
    let mut all = Gathered::new(dialect);
    let mut answers: Vec<(AnswerKind, &Answer)> = heard.all().filter(|(_, a)| !a.outcome.not_captured).collect();
    answers.sort_by_key(|(kind, _)| age(*kind));
    for (kind, answer) in &answers {
        all.answer(known, *kind, answer, heard);
    }
    all.finish(known, heard)
}

/// Slower answers first: what is asked at every poll has the last word.
fn age(kind: AnswerKind) -> u8 {
    match kind {
        DRIVES | ENCLOSURES => 0,
        ARRAYS => 1,
        SHOW_ALL => 3,
        DRIVES_SHORT => 4,
        SHOW | OVERVIEW => 5,
        _ => 2,
    }
}

impl Gathered {
    fn new(dialect: &'static Dialect) -> Self {
        Self {
            dialect,
            reading: Reading::new(dialect.family, dialect.space),
            links: Links::default(),
            listed: BTreeMap::new(),
            unexplained: Vec::new(),
            overview_words: Vec::new(),
        }
    }

    fn answer(&mut self, known: &Known, kind: AnswerKind, answer: &Answer, heard: &Heard) {
        let text = answer.text();
        let at = controller_of(known).or_else(|| controller_in(&answer.asked)).unwrap_or_default();
        if kind == MUTATION {
            let said = format!("`{}` changes something; its answer is not judged", answer.asked);
            return self.reading.note(NoteKind::Mutation, at, said);
        }
        if !answer.outcome.ended() {
            self.tool_failed(&at, answer);
        } else if answer.outcome.truncated {
            let said = format!("the answer to `{}` was longer than raidmond reads", answer.asked);
            self.reading.note(NoteKind::Partial, at.clone(), said);
        }
        if is_generation_two(&text) != self.dialect.second && has_generation(&text) {
            return self.other_generation(&at, &answer.asked);
        }
        if kind == EVENTS {
            return events::lower(self, known, &at, &text, answer);
        }
        let document = (self.dialect.translate)(parse(&text));
        if document.replies.iter().any(|r| r.has_body() || r.status.is_some()) {
            self.document(kind, &at, &document, answer);
        } else if answer.outcome.ended() && !readable_elsewhere(kind, heard) {
            self.unreadable(&at, answer, &text);
        }
    }

    fn document(&mut self, kind: AnswerKind, asked_at: &Path, document: &Document, answer: &Answer) {
        for reply in &document.replies {
            let at = controller_named(reply).unwrap_or_else(|| asked_at.clone());
            let at = if at == Path::default() { Path::controller(0) } else { at };
            let place = Place { at: &at, kind, reply };
            self.reply(&place);
            refusals::lower(self, &place, answer);
            cut::lower(self, &place, answer, document.whole);
            self.covered(&place, document.whole && !answer.outcome.truncated);
            self.unexplained(&place);
        }
    }

    fn reply(&mut self, place: &Place<'_>) {
        controller::lower(self, place);
        disks::lower(self, place);
        arrays::lower(self, place);
        cache::lower(self, place);
        enclosures::lower(self, place);
        tasks::lower(self, place);
    }

    /// What this reply lists completely. Text may be cut off anywhere: only its own counts prove it whole.
    fn covered(&mut self, place: &Place<'_>, whole: bool) {
        let Place { at, kind, reply } = place;
        let reached = !reply.failed() && reply.has_body();
        let counts = |counted: &str, list: &str, read: usize| {
            let cut = reply.titled(list).any(|s| s.cut);
            let count = reply.property(counted).and_then(crate::scan::count);
            !cut && count.map_or(whole && reached, |count| read as u64 >= count)
        };
        let arrays_read = reply.titled("VD LIST").flat_map(|s| &s.rows).filter_map(|r| arrays::path_of(at, r)).count();
        let disks_read = reply.titled("PD LIST").flat_map(|s| &s.rows).filter_map(|r| disks::path_of(at, r)).count();
        let summary = matches!(*kind, SHOW | SHOW_ALL) && controller::is_summary(reply);
        let arrays = summary && counts("Virtual Drives", "VD LIST", arrays_read);
        let disks = summary && counts("Physical Drives", "PD LIST", disks_read);
        let list = *kind == ARRAYS && whole && reached;
        let facts = [
            (arrays || list, Covers::Arrays),
            (disks, Covers::Disks),
            (summary && reply.property("Enclosures").is_some(), Covers::Enclosures),
            (list, Covers::Tasks),
            (*kind == SHOW_ALL && reply.titled("HwCfg").next().is_some(), Covers::Cache),
        ];
        for (_, what) in facts.iter().filter(|(covers, _)| *covers) {
            self.reading.coverage.add(at, *what);
        }
        if *kind == SHOW && arrays && disks {
            let objects = reply.rows_with("EID:Slt").filter_map(|(_, row)| disks::path_of(at, row));
            let arrays = reply.rows_with("DG/VD").filter_map(|(_, row)| arrays::path_of(at, row));
            self.listed.insert((*at).clone(), objects.chain(arrays).collect());
        }
    }

    /// A summary word that is not good must be explained by the very answer that holds it.
    fn unexplained(&mut self, place: &Place<'_>) {
        let Some(word) = controller::summary_word(place.reply) else { return };
        if super::vocabulary::summary_is_good(word) {
            return;
        }
        let mut alone = Gathered::new(self.dialect);
        alone.reply(place);
        alone.links.join(&mut alone.reading);
        if !refusals::shows_trouble(&alone.reading) {
            self.unexplained.push((place.at.clone(), word.to_owned()));
        }
    }

    fn finish(mut self, known: &Known, heard: &Heard) -> Reading {
        let listed = std::mem::take(&mut self.listed);
        let kept = |root: Path, at: &Path| listed.get(&root).is_none_or(|l| l.contains(at));
        self.reading.disks.retain(|d| kept(d.at.root(), &d.at));
        self.reading.arrays.retain(|a| kept(a.at.root(), &a.at));
        self.links.join(&mut self.reading);
        cache::settle(&mut self.reading);
        for (at, word) in std::mem::take(&mut self.unexplained) {
            refusals::unexplained(&mut self.reading, at, &word);
        }
        // In discovery the controller's own conversation will tell.
        if !is_discovery(known) && !refusals::shows_trouble(&self.reading) {
            for (at, word) in std::mem::take(&mut self.overview_words) {
                refusals::unexplained(&mut self.reading, at, &word);
            }
        }
        if heard.of(OVERVIEW).next().is_some() {
            controller::count(&mut self.reading, known, self.dialect.driver);
        }
        self.drop_repetitions();
        self.reading.cursor = self.reading.cursor.take().or_else(|| known.cursor.clone());
        self.reading
    }

    /// The summary and the detailed form say the same things.
    fn drop_repetitions(&mut self) {
        let mut notes = Vec::new();
        for note in std::mem::take(&mut self.reading.notes) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        self.reading.notes = notes;
        let mut findings = Vec::new();
        for finding in std::mem::take(&mut self.reading.findings) {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        self.reading.findings = findings;
    }

    fn tool_failed(&mut self, at: &Path, answer: &Answer) {
        let said = format!("`{}`: {}", answer.asked, answer.outcome.words());
        self.reading.note(NoteKind::ToolFailed, at.clone(), said);
    }

    fn unreadable(&mut self, at: &Path, answer: &Answer, text: &str) {
        let first: String =
            text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("").chars().take(80).collect();
        let what = if first.is_empty() { "nothing".to_owned() } else { format!("\"{}\"", crate::scan::clean(&first)) };
        let said = format!("the answer to `{}` was not understood: {what} ({})", answer.asked, answer.outcome.words());
        self.reading.note(NoteKind::Unreadable, at.clone(), said);
    }

    fn other_generation(&mut self, at: &Path, asked: &Asked) {
        let (theirs, name) = match self.dialect.second {
            false => ("storcli2 and perccli2", "storcli2 or perccli2"),
            true => ("storcli and perccli", "storcli64 or perccli64"),
        };
        let said = format!("`{asked}` answered in the layout of {theirs}, which is read with another vocabulary");
        let remedy = format!("call the tool by its own name, {name}");
        self.reading.note_with_remedy(NoteKind::Unreadable, at.clone(), said, remedy);
    }
}

/// The same question was asked again, and that answer could be read.
fn readable_elsewhere(kind: AnswerKind, heard: &Heard) -> bool {
    let same = |k: AnswerKind| k == kind && !matches!(kind, BATTERY | CACHEVAULT);
    heard.all().filter(|(k, _)| same(*k)).any(|(_, a)| parse(&a.text()).replies.iter().any(Reply::has_body))
}

/// By its own number, or by the objects it names (`Drive /c0/e8/s1 State`, `/c0/v0`).
fn controller_named(reply: &Reply) -> Option<Path> {
    let own = reply.controller.as_deref().filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    own.map(Path::controller).or_else(|| reply.sections.iter().find_map(|s| object_controller(&s.title)))
}

fn controller_in(asked: &Asked) -> Option<Path> {
    asked.args_lower().iter().find_map(|word| object_controller(word))
}

fn object_controller(text: &str) -> Option<Path> {
    let start = text.find("/c")?;
    let digits: String = text.get(start + 2..)?.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| Path::controller(digits))
}

/// Only one conversation looks at all controllers at once.
pub fn is_discovery(known: &Known) -> bool {
    known.scope == Scope::Discover
}
