//! Finds the few lines that matter in a big buffer.
//!
//! Every line loses its header and is looked at by its first bytes only: what no rule begins with is
//! left behind without being read. Of the rest, one search for the literals of the rules with that
//! beginning picks the rules whose pattern is tried. A few rules may stand behind any beginning; their
//! literals are searched over the whole buffer at once. So work is linear in the input, and a
//! pattern meets only lines it can match.
//!
//! Does not assemble lines from pieces: a buffer ends with a whole line.

use super::line::{self, Context, Head, Line};
use super::ruleset::{LogKind, Reader};
use super::user::Compiled;
use super::{Observation, Rate, Rule, RuleError, UserRule, device, rate_of, rule};
use crate::model::Alias;
use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind, packed};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::BTreeSet;
use std::sync::OnceLock;

pub use super::carry::Carry;

/// Longer than any line of the kernel's; of a longer one only the beginning is matched.
const LINE_BYTES: usize = 8192;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub lines: u64,
    /// Lines of which a pattern was tried.
    pub candidates: u64,
    pub matched: u64,
    /// Lines of a log every line of which should be understood (megaserv.log) that were not.
    pub unknown: u64,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scan {
    pub observations: Vec<Observation>,
    pub counts: Counts,
}

#[derive(Debug)]
pub struct Scanner {
    kind: LogKind,
    user: Vec<Compiled>,
    floating: Finder,
}

impl Scanner {
    pub fn new(kind: LogKind, user: &[UserRule]) -> Result<Self, RuleError> {
        let floating = kind.rules().filter(|rule| rule.begins.is_empty());
        let floating = Finder::new(&floating.flat_map(|rule| rule.has.iter().copied()).collect());
        Ok(Self { kind, user: Compiled::of_all(user)?, floating })
    }

    pub fn scan(&self, buffer: &[u8], context: &Context, carry: &mut Carry) -> Scan {
        let mut run =
            Run { scanner: self, context, carry, scan: Scan::default(), head: Head::default(), program: None };
        let mut floating = self.floating.find(buffer).into_iter().peekable();
        let mut start = 0;
        for raw in lines(buffer) {
            let end = start + raw.len() + 1;
            let mut marked = false;
            while floating.next_if(|at| *at < end).is_some() {
                marked = true;
            }
            run.line(raw, marked);
            start = end;
        }
        run.scan
    }

    /// Of the rule an observation came from: the user's, else the sign's.
    pub fn rate(&self, seen: &Observation) -> Option<Rate> {
        match self.user.iter().find(|u| u.id == seen.rule) {
            Some(user) => user.rate,
            None => rate_of(seen.sign),
        }
    }

    fn table(&self, program: Option<&[u8]>) -> Option<&'static Table> {
        let reader = match program {
            None => self.kind.default_reader(),
            Some(program) => Reader::of_program(program)?,
        };
        self.kind.reads(reader).then(|| table_of(reader))
    }
}

struct Run<'a, 'b> {
    scanner: &'a Scanner,
    context: &'a Context,
    carry: &'a mut Carry,
    scan: Scan,
    head: Head<'b>,
    /// The last one whose rules were looked up; mostly the very bytes of the head.
    program: Option<(&'b [u8], Option<&'static Table>)>,
}

impl<'b> Run<'_, 'b> {
    fn line(&mut self, raw: &'b [u8], marked: bool) {
        self.scan.counts.lines += 1;
        self.carry.next_line();
        let raw = raw.get(..LINE_BYTES).unwrap_or(raw);
        if raw.first() == Some(&b' ') && (raw.starts_with(b" DEVICE=") || raw.starts_with(b" SUBSYSTEM=")) {
            return self.dictionary(raw);
        }
        let line = Line::after(&mut self.head, raw);
        let table = self.table(line.program);
        if matches!(line.text.first(), Some(b'l' | b'm'))
            && let Some((count, inner)) = repeat(line.text)
        {
            return self.repeated(&line, table, count, inner);
        }
        if line.is_kmsg() && line.text.windows(2).any(|w| w == br"\x") {
            let text = line::unescape(line.text);
            let parts = text.split(|b| *b == b'\n');
            parts.for_each(|part| self.text(&Line { text: part, ..line }, table, marked, 1));
        } else {
            self.text(&line, table, marked, 1);
        }
    }

    fn table(&mut self, program: Option<&'b [u8]>) -> Option<&'static Table> {
        if let (Some((known, table)), Some(program)) = (self.program, program)
            && std::ptr::eq(known, program)
        {
            return table;
        }
        let table = self.scanner.table(program);
        self.program = program.map(|program| (program, table));
        table
    }

    fn text(&mut self, line: &Line<'_>, table: Option<&Table>, marked: bool, count: u64) {
        let seen =
            self.user_rules(line, count) || table.is_some_and(|table| self.table_rules(line, table, marked, count));
        if !seen {
            self.carry.forget_previous();
        }
    }

    /// A user's rule comes first: it may silence a line.
    fn user_rules(&mut self, line: &Line<'_>, count: u64) -> bool {
        let Some(seen) = self.scanner.user.iter().find_map(|u| u.observe(line.text)) else { return false };
        self.push(None, seen, line, count);
        true
    }

    fn table_rules(&mut self, line: &Line<'_>, table: &Table, marked: bool, count: u64) -> bool {
        let beginning = table.group(line.text);
        if beginning.is_none() && !marked {
            return false;
        }
        let floating = Some(&table.floating).filter(|_| marked);
        let mut tried = false;
        for group in beginning.into_iter().chain(floating) {
            for entry in group.candidates(line.text).filter_map(|index| table.entries.get(index)) {
                tried = true;
                if let Some(seen) = entry.observe(line.text) {
                    self.scan.counts.candidates += 1;
                    self.matched(entry.rule, seen, line, count);
                    return true;
                }
            }
        }
        self.scan.counts.candidates += u64::from(tried);
        self.scan.counts.unknown +=
            u64::from(self.scanner.kind == LogKind::Megaserv && !line.text.trim_ascii().is_empty());
        false
    }

    fn matched(&mut self, rule: &'static Rule, mut seen: Observation, line: &Line<'_>, count: u64) {
        self.carry.complete(rule, &mut seen);
        if rule.id == "blk.suppressed" {
            seen.at = line.at(self.context);
            seen = self.carry.suppressed(seen);
        }
        let count = count.saturating_mul(seen.count);
        self.push(Some(rule), seen, line, count);
    }

    fn push(&mut self, rule: Option<&'static Rule>, mut seen: Observation, line: &Line<'_>, count: u64) {
        seen.at = line.at(self.context);
        seen.source_seconds = line.source_seconds();
        seen.count = count;
        self.carry.remember(rule, &seen);
        self.scan.counts.matched += 1;
        self.scan.observations.push(seen);
    }

    fn repeated(&mut self, line: &Line<'_>, table: Option<&Table>, count: u64, inner: Option<&[u8]>) {
        if let Some(text) = inner {
            return self.text(&Line { text, ..*line }, table, false, count);
        }
        if let Some(mut seen) = self.carry.repeated(count) {
            seen.at = line.at(self.context).or(seen.at);
            self.scan.counts.matched += 1;
            self.scan.observations.push(seen);
        }
    }

    /// ` DEVICE=+scsi:0:2:0:0` after a kmsg record: what it was printed about.
    fn dictionary(&mut self, raw: &[u8]) {
        let device = raw.strip_prefix(b" DEVICE=").and_then(|d| std::str::from_utf8(d).ok()).and_then(named);
        if let (Some(alias), Some(seen), true) =
            (device, self.scan.observations.last_mut(), self.carry.repeated(1).is_some())
            && seen.about.aliases.is_empty()
        {
            seen.about.aliases.push(alias);
        }
    }
}

/// `+scsi:0:2:0:0`, `+pci:0000:03:00.0`, `b8:16`.
fn named(device: &str) -> Option<Alias> {
    let device = device.trim();
    if let Some(hctl) = device.strip_prefix("+scsi:") {
        return Some(Alias::Hctl(hctl.to_owned())).filter(|_| device::is_hctl(hctl));
    }
    if let Some(pci) = device.strip_prefix("+pci:") {
        return Alias::pci(pci);
    }
    device.strip_prefix('b').and_then(device::disk_of_pair).map(Alias::Kernel)
}

/// `last message repeated 3 times`, `message repeated 3 times: [ text]`.
fn repeat(text: &[u8]) -> Option<(u64, Option<&[u8]>)> {
    let rest = text.strip_prefix(b"last ").unwrap_or(text).strip_prefix(b"message repeated ")?;
    let end = rest.iter().position(|b| !b.is_ascii_digit())?;
    let (digits, rest) = rest.split_at(end);
    let count = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let inner = rest.strip_prefix(b" times: [ ").map(|inner| inner.strip_suffix(b"]").unwrap_or(inner));
    Some((count, inner))
}

/// Lines without their newline.
fn lines(buffer: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = buffer;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = newline(rest).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        Some(line)
    })
}

/// Whole blocks are compared at once (the compiler makes vector code of it).
fn newline(text: &[u8]) -> Option<usize> {
    let (blocks, rest) = text.as_chunks::<32>();
    let has_newline = |block: &[u8; 32]| block.iter().fold(false, |any, b| any | (*b == b'\n'));
    let full = blocks.iter().position(has_newline);
    let (skipped, block) = match full {
        Some(index) => (index * 32, blocks.get(index).map_or(rest, |block| block.as_slice())),
        None => (blocks.len() * 32, rest),
    };
    newline_in(block).map(|at| skipped + at)
}

/// Eight bytes at a time: a byte that became zero borrows from above.
fn newline_in(block: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = block.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let zeroed = u64::from_le_bytes(*word) ^ (ONES * u64::from(b'\n'));
        let hits = zeroed.wrapping_sub(ONES) & !zeroed & (ONES << 7);
        if hits != 0 {
            return Some(index * 8 + (hits.trailing_zeros() / 8) as usize);
        }
    }
    rest.iter().position(|b| *b == b'\n').map(|at| words.len() * 8 + at)
}

/// All scanners share the tables, and a reader without a line has none: they are what memory goes into.
fn table_of(reader: Reader) -> &'static Table {
    const COUNT: usize = Reader::ALL.len();
    static TABLES: [OnceLock<Table>; COUNT] = [const { OnceLock::new() }; COUNT];
    TABLES[reader as usize].get_or_init(|| Table::new(reader.tables()))
}

/// The rules of one reader, by beginning.
#[derive(Debug)]
struct Table {
    entries: Vec<Entry>,
    beginnings: Option<AhoCorasick>,
    first_bytes: Vec<bool>,
    groups: Vec<Group>,
    floating: Group,
}

impl Table {
    fn new(tables: &'static [&'static [Rule]]) -> Self {
        let rules: Vec<&'static Rule> = tables.iter().copied().flatten().collect();
        let beginnings: BTreeSet<&str> = rules.iter().flat_map(|r| r.begins.iter().copied()).collect();
        let numbered = |fits: &dyn Fn(&Rule) -> bool| {
            Group::new(rules.iter().copied().enumerate().filter(|(_, rule)| fits(rule)).collect())
        };
        let begin_byte = |byte: u8| beginnings.iter().any(|b| b.is_empty() || b.as_bytes().first() == Some(&byte));
        Self {
            groups: beginnings.iter().map(|b| numbered(&|r| r.begins.iter().any(|of| b.starts_with(of)))).collect(),
            first_bytes: (0..=u8::MAX).map(begin_byte).collect(),
            floating: numbered(&|r| r.begins.is_empty()),
            beginnings: AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .start_kind(StartKind::Anchored)
                .kind(Some(aho_corasick::AhoCorasickKind::DFA))
                .build(&beginnings)
                .ok(),
            entries: rules.iter().copied().map(Entry::new).collect(),
        }
    }

    fn group(&self, text: &[u8]) -> Option<&Group> {
        let first = text.first()?;
        if !self.first_bytes.get(usize::from(*first)).copied().unwrap_or(false) {
            return None;
        }
        let found = self.beginnings.as_ref()?.find(Input::new(text).anchored(Anchored::Yes))?;
        self.groups.get(found.pattern().as_usize())
    }
}

/// A few literals over a whole buffer, with the processor's vector instructions where it has them.
#[derive(Debug)]
enum Finder {
    Vector(packed::Searcher),
    Plain(AhoCorasick),
    Nothing,
}

impl Finder {
    fn new(literals: &BTreeSet<&'static str>) -> Self {
        if let Some(searcher) = packed::Searcher::new(literals) {
            return Finder::Vector(searcher);
        }
        plain(literals).map_or(Finder::Nothing, Finder::Plain)
    }

    fn is_in(&self, text: &[u8]) -> bool {
        match self {
            Finder::Vector(searcher) => searcher.find(text).is_some(),
            Finder::Plain(automaton) => automaton.is_match(text),
            Finder::Nothing => false,
        }
    }

    /// Where they begin, in order.
    fn find(&self, buffer: &[u8]) -> Vec<usize> {
        match self {
            Finder::Vector(searcher) => searcher.find_iter(buffer).map(|m| m.start()).collect(),
            Finder::Plain(automaton) => automaton.find_iter(buffer).map(|m| m.start()).collect(),
            Finder::Nothing => Vec::new(),
        }
    }
}

/// Rules that share a beginning, by their numbers and in their order. Most groups never see a line.
#[derive(Debug)]
struct Group {
    rules: Vec<(usize, &'static Rule)>,
    /// Some rule needs no literal.
    eager: bool,
    search: OnceLock<Search>,
}

/// One search for all literals of a group.
#[derive(Debug)]
struct Search {
    /// Is any literal there? Mostly not, and this is the quick way to know.
    quick: Finder,
    finder: Option<AhoCorasick>,
    /// For each literal, the rules that wait for it, by their place in the group.
    waiting: Vec<Vec<usize>>,
}

impl Group {
    fn new(rules: Vec<(usize, &'static Rule)>) -> Self {
        Self { eager: rules.iter().any(|(_, rule)| rule.has.is_empty()), rules, search: OnceLock::new() }
    }

    /// Numbers of the rules whose pattern is worth trying.
    fn candidates(&self, text: &[u8]) -> impl Iterator<Item = usize> {
        let search = self.search.get_or_init(|| Search::new(&self.rules));
        let found = search.quick.is_in(text);
        let rules = if found || self.eager { self.rules.as_slice() } else { &[] };
        let wanted = if found { search.wanted(text, rules.len()) } else { Vec::new() };
        let is_wanted = move |place: usize| wanted.get(place).copied().unwrap_or(false);
        let worth = move |(place, (_, rule)): &(usize, &(usize, &Rule))| rule.has.is_empty() || is_wanted(*place);
        rules.iter().enumerate().filter(worth).map(|(_, (number, _))| *number)
    }
}

impl Search {
    fn new(rules: &[(usize, &'static Rule)]) -> Self {
        let literals: BTreeSet<&str> = rules.iter().flat_map(|(_, rule)| rule.has.iter().copied()).collect();
        let waits =
            |l: &&str| rules.iter().enumerate().filter(|(_, (_, r))| r.has.contains(l)).map(|(n, _)| n).collect();
        Self {
            quick: Finder::new(&literals),
            waiting: literals.iter().map(waits).collect(),
            finder: (!literals.is_empty()).then(|| plain(&literals)).flatten(),
        }
    }

    fn wanted(&self, text: &[u8], rules: usize) -> Vec<bool> {
        let mut wanted = vec![false; rules];
        let found = self.finder.iter().flat_map(|finder| finder.find_overlapping_iter(text));
        for place in found.filter_map(|m| self.waiting.get(m.pattern().as_usize())).flatten() {
            if let Some(slot) = wanted.get_mut(*place) {
                *slot = true;
            }
        }
        wanted
    }
}

/// For single lines: a prefilter costs more there than it saves.
fn plain(literals: &BTreeSet<&str>) -> Option<AhoCorasick> {
    let kind = Some(aho_corasick::AhoCorasickKind::DFA);
    AhoCorasick::builder().prefilter(false).kind(kind).build(literals).ok()
}

/// A rule and its pattern, compiled when the first line asks for it.
#[derive(Debug)]
struct Entry {
    rule: &'static Rule,
    pattern: OnceLock<Option<(Regex, Vec<Option<String>>)>>,
}

impl Entry {
    fn new(rule: &'static Rule) -> Self {
        Self { rule, pattern: OnceLock::new() }
    }

    fn observe(&self, text: &[u8]) -> Option<Observation> {
        let (pattern, names) = self.pattern.get_or_init(|| compile(self.rule)).as_ref()?;
        self.rule.observe(names, &pattern.captures(text)?, text)
    }
}

/// A test compiles every pattern; at run time one that does not is a rule that never matches.
pub(super) fn compile(rule: &Rule) -> Option<(Regex, Vec<Option<String>>)> {
    let pattern = RegexBuilder::new(rule.pattern).unicode(false).build().ok()?;
    let names = rule::group_names(&pattern);
    Some((pattern, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newlines_are_found_wherever_they_are() {
        for length in 0..100 {
            for at in 0..length {
                let mut text = vec![b'x'; length];
                text[at] = b'\n';
                assert_eq!(newline(&text), Some(at));
                text[at] = b'\n' ^ 0x80;
                assert_eq!(newline(&text), None);
            }
        }
        assert_eq!(lines(b"a\n\nb").collect::<Vec<_>>(), [&b"a"[..], b"", b"b"]);
    }
}
