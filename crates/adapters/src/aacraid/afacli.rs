//! afacli and aaccli: `container list /full` and `task list` of PERC 2/3 and Adaptec 2xxx to 5xxx.
//!
//! The tool is a shell of its own; it has no form that takes its command as an argument, so raidmond
//! reads what a script captured and starts it never. Columns are fixed; State is blank for containers
//! that are not redundant, so a blank is not a fault there. Layout as in the captures and the
//! "Command Line Interface Reference Guide" of Adaptec.

use super::lower_controller::fault;
use super::vocabulary::{self, CONTAINER, OPERATION, PROGRESS};
use crate::{Said, scan};
use raidmond_core::model::{ArrayState, DiskState, FindingKind, Level, Member, Observed, Path, Task};
use raidmond_core::model::{TaskKind, TaskState};
use raidmond_core::survey::{Answer, Covers, NoteKind, Reading};

pub fn lower(reading: &mut Reading, answer: &Answer) {
    let text = scan::clean(&answer.text());
    let at = Path::controller(controller(&text, answer));
    let mut tables = 0;
    for table in tables_of(&text) {
        tables += usize::from(read_table(reading, &at, &table));
    }
    if !super::lower::failed(reading, &at, answer) && tables == 0 {
        let said = format!("`{}` gave no table: {}", answer.asked, text.lines().next().unwrap_or("").trim());
        reading.note(NoteKind::Unreadable, at, said);
    }
}

/// "AAC0>" is arcconf's controller 1.
fn controller(text: &str, answer: &Answer) -> u32 {
    let command = answer.asked.to_string();
    let words = text.split_whitespace().chain(command.split_whitespace());
    let mut opened = words.filter_map(|word| {
        let word = word.to_ascii_lowercase();
        let number = word.strip_prefix("aac").or_else(|| word.strip_prefix("afa"))?;
        number.trim_end_matches(['>', ';', '"']).parse::<u32>().ok()
    });
    opened.next_back().map_or(1, |n| n.saturating_add(1))
}

struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| scan::same_word(n, name))
    }
}

fn cell(row: &[String], column: Option<usize>) -> &str {
    column.and_then(|c| row.get(c)).map_or("", String::as_str)
}

/// Tables begin at a rule of dashes in columns; the line above names them; a blank line ends them.
fn tables_of(text: &str) -> Vec<Table> {
    let lines: Vec<&str> = text.lines().collect();
    let mut tables = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let columned = scan::is_rule(line) && line.trim().contains(' ');
        let Some(header) = index.checked_sub(1).and_then(|i| lines.get(i)).filter(|_| columned) else { continue };
        let spans = spans(line);
        let rows = lines.iter().skip(index + 1).take_while(|l| !l.trim().is_empty() && !l.contains('>'));
        let rows = rows.map(|l| slice(l, &spans)).collect();
        tables.push(Table { names: slice(header, &spans), rows });
    }
    tables
}

fn spans(rule: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut start = None;
    for (index, c) in rule.chars().chain([' ']).enumerate() {
        match (start, c == '-') {
            (None, true) => start = Some(index),
            (Some(from), false) => {
                spans.push((from, index));
                start = None;
            }
            _ => {}
        }
    }
    spans
}

fn slice(line: &str, spans: &[(usize, usize)]) -> Vec<String> {
    let part = |(from, to): &(usize, usize)| {
        let cut: String = line.chars().skip(*from).take(to - from).collect();
        cut.trim().to_owned()
    };
    spans.iter().map(part).collect()
}

fn read_table(reading: &mut Reading, at: &Path, table: &Table) -> bool {
    if table.column("Label").is_some() && table.column("State").is_some() {
        if table.rows.is_empty() {
            return false;
        }
        containers(reading, at, table);
    } else if table.column("TaskId").is_some() {
        tasks(reading, at, table);
    } else {
        return table.column("Device Type").is_some();
    }
    true
}

fn containers(reading: &mut Reading, at: &Path, table: &Table) {
    let mut current: Option<Container> = None;
    for row in &table.rows {
        if let Ok(number) = cell(row, table.column("Label")).parse::<u32>() {
            finish(reading, current.take());
            current = Some(Container::new(at.array(number), row, table));
        }
        if let Some(container) = &mut current {
            container.partition(reading, row, table);
        }
    }
    finish(reading, current);
    reading.coverage.add(at, Covers::Arrays);
}

struct Container {
    path: Path,
    kind: String,
    size: String,
    usage: String,
    members: Vec<Member>,
    words: Vec<String>,
    states: Vec<Option<DiskState>>,
}

impl Container {
    fn new(path: Path, row: &[String], table: &Table) -> Self {
        let text = |name: &str| cell(row, table.column(name)).to_owned();
        let (kind, size, usage) = (text("Type"), text("Size"), text("Usage"));
        Self { path, kind, size, usage, members: Vec::new(), words: Vec::new(), states: Vec::new() }
    }

    fn partition(&mut self, reading: &mut Reading, row: &[String], table: &Table) {
        let place = cell(row, table.column("C:ID:L").or_else(|| table.column("B:ID:L")));
        let numbers: Vec<u32> = place.split(':').filter_map(|n| n.parse().ok()).collect();
        let [channel, id, _] = numbers.as_slice() else { return };
        let word = cell(row, table.column("State"));
        let state = match vocabulary::meaning(CONTAINER, word) {
            Some(Said::Disk(state)) => Some(state),
            _ if word.is_empty() => None,
            _ => {
                reading.unknown_word(self.path.clone(), CONTAINER, word);
                Some(DiskState::Unknown)
            }
        };
        let disk = self.path.root().child(format_args!("ch{channel}:{id}"));
        reading.disk(&disk).array = Some(self.path.clone());
        if let Some(state) = state {
            reading.disk(&disk).state = Some(Observed::new(state, word));
        }
        self.members.push(Member { disk, group: 0, in_sync: state.map(|s| s == DiskState::Online) });
        self.states.push(state);
        self.words.push(word.to_owned());
        task(reading, &self.path, cell(row, table.column("Task")), "RUN", cell(row, table.column("Done%")));
    }

    fn level(&self) -> Option<Level> {
        Level::parse(&self.kind)
    }

    /// Blank states are right where there is nothing to be redundant with, if the container is in use.
    fn state(&self) -> Option<ArrayState> {
        let redundant = self.level().is_none_or(|l| l.tolerance() > 0);
        let blank = self.states.iter().all(Option::is_none);
        let any = |wanted: &[DiskState]| self.states.iter().flatten().any(|s| wanted.contains(s));
        if any(&[DiskState::Missing, DiskState::Failed, DiskState::Offline]) {
            return Some(if redundant { ArrayState::Degraded } else { ArrayState::Failed });
        }
        if any(&[DiskState::Rebuilding]) {
            return Some(ArrayState::Rebuilding);
        }
        let in_use = ["Valid", "Open"].contains(&self.usage.as_str());
        let normal = self.states.iter().all(|s| *s == Some(DiskState::Online));
        let good = in_use && !self.states.is_empty() && (normal || (blank && !redundant));
        good.then_some(ArrayState::Optimal)
    }
}

fn finish(reading: &mut Reading, container: Option<Container>) {
    let Some(container) = container else { return };
    let said = format!("{} {}", container.usage, container.words.join(" ")).trim().to_owned();
    let state = container.state();
    if state.is_none() {
        reading.unknown_word(container.path.clone(), "container", &said);
    }
    let level = container.level();
    let array = reading.array(&container.path);
    array.state = Some(Observed::new(state.unwrap_or(ArrayState::Unknown), said));
    array.level = level;
    array.size_bytes = scan::size_bytes(&container.size, true);
    array.width = (level != Some(Level::Single)).then_some(container.members.len() as u32);
    array.members = container.members;
    array.level_said = Some(container.kind);
}

fn tasks(reading: &mut Reading, at: &Path, table: &Table) {
    for row in &table.rows {
        let on = cell(row, table.column("Container")).parse::<u32>().map_or_else(|_| at.clone(), |n| at.array(n));
        let text = |name: &str| cell(row, table.column(name));
        task(reading, &on, text("Function"), text("State"), text("Done%"));
    }
    reading.coverage.add(at, Covers::Tasks);
}

fn task(reading: &mut Reading, on: &Path, function: &str, state: &str, done: &str) {
    if function.is_empty() || reading.tasks.iter().any(|t| t.on == *on && t.state.said.starts_with(function)) {
        return;
    }
    let kind = match vocabulary::meaning(OPERATION, function) {
        Some(Said::Task(kind, _)) => kind,
        _ => {
            reading.unknown_word(on.clone(), OPERATION, function);
            TaskKind::Unknown
        }
    };
    let progress = match vocabulary::meaning(PROGRESS, state) {
        Some(Said::Task(_, state)) => state,
        _ => {
            fault(reading, on, FindingKind::ToolReportsNotice, format!("task {function}: state {state}"));
            TaskState::Running
        }
    };
    let state = Observed::new(progress, format!("{function} {state}"));
    reading.tasks.push(Task { on: on.clone(), kind, state, percent: scan::percent(done), seconds_left: None });
}
