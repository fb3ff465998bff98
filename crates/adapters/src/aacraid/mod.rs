//! Adaptec, Microsemi and Microchip RAID; PERC 2 and 3; IBM ServeRAID 7 and 8: the cards arcconf speaks
//! to, and what the aacraid driver shows without it.
//!
//! Arrays and disks come from arcconf alone; the driver gives a heartbeat of the firmware. Controllers
//! carry arcconf's number, which starts at 1. Not here: ServeRAID 4 to 6 (ips), boss (mvcli), the PHY
//! error log, and anything that writes.

mod afacli;
mod kernel;
mod logs;
mod lower;
mod lower_array;
mod lower_controller;
mod lower_disk;
mod lower_task;
mod maintenance;
mod parse;
mod place;
mod recognise;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Maintenance, Step, Term, Tool};
use parse::Kind;
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{
    Answer, AnswerKind, Asked, Covers, Deadline, Heard, Known, NoteKind, Query, Reading, Scope,
};
use recognise::{AFACLI, CONFIG, LIST, LOGS, MUTATION, STATUS, VERSION};
use std::collections::BTreeSet;

const HOW_TO_GET: &str = "arcconf: Microchip Adaptec downloads, \"maxView Storage Manager\" or the ARCCONF package \
                          for your card; hwraid.le-vert.net packages it for Debian";

pub struct Aacraid;

pub static AACRAID: Aacraid = Aacraid;

impl Adapter for Aacraid {
    fn family(&self) -> &'static str {
        "aacraid"
    }

    fn tools(&self) -> &'static [Tool] {
        &[Tool {
            names: &["arcconf"],
            paths: &[
                "/usr/Arcconf",
                "/usr/StorMan",
                "/usr/Adaptec_Event_Monitor",
                "/usr/RaidMan",
                "/opt/StorMan",
                "/usr/local/sbin",
            ],
            how_to_get: HOW_TO_GET,
        }]
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["aacraid", "smartpqi"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        recognise::recognise(asked, head)
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(read(known, heard));
        let queries = wanted(known, heard, &reading);
        if queries.is_empty() { Step::Done(reading) } else { Step::Ask { queries, so_far: reading } }
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintenance::ARCCONF)
    }
}

/// LIST is younger than GETVERSION; both number the cards.
fn wanted(known: &Known, heard: &Heard, reading: &Reading) -> Vec<Query> {
    let tool = known.tool.as_ref().map_or("arcconf", |t| t.name.as_str());
    let mut queries = Vec::new();
    match &known.scope {
        Scope::Everything => {}
        Scope::Discover if !heard.has(LIST) => {
            queries.push(Query::cmd(LIST, &[tool, "LIST"]));
            queries.extend(kernel::queries(known));
        }
        Scope::Discover if !heard.has(VERSION) && !reading.coverage.has(&Path::default(), Covers::Controllers) => {
            queries.push(Query::cmd(VERSION, &[tool, "GETVERSION"]));
        }
        Scope::Discover => {}
        Scope::Controller(n) if !heard.has(CONFIG) => {
            queries.push(Query::cmd(CONFIG, &[tool, "GETCONFIG", n, "AL"]));
            queries.push(Query::cmd(STATUS, &[tool, "GETSTATUS", n]));
            let logs = Query::cmd(LOGS, &[tool, "GETLOGS", n, "DEVICE", "TABULAR"]);
            queries.push(logs.slow().deadline(Deadline::Long));
            queries.extend(kernel::queries(known));
        }
        Scope::Controller(_) => {}
    }
    queries
}

fn read(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("aacraid", Space::Aacraid);
    inventory(&mut reading, known, heard);
    for number in numbers(known, heard) {
        let of = |kind| heard.of(kind).filter(|a| number_of(known, a) == number).collect::<Vec<_>>();
        let (config, status) = (of(CONFIG), of(STATUS));
        let controller = lower::Heard { number: number.clone(), config, status };
        lower::controller(&mut reading, &controller);
        for log in of(LOGS) {
            logs::all(&mut reading, &Path::controller(&number), log);
        }
    }
    for answer in heard.of(AFACLI) {
        afacli::lower(&mut reading, answer);
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` changes something; not judged", answer.asked));
    }
    kernel::lower(&mut reading, known, heard.of(kernel::HOST));
    silent(&mut reading, heard);
    reading
}

/// Something was heard and nothing came of it: say so.
fn silent(reading: &mut Reading, heard: &Heard) {
    let answered = heard.all().filter(|(_, a)| !a.outcome.not_captured);
    let asked: Vec<String> = answered.map(|(_, a)| a.asked.to_string()).collect();
    if reading.notes.is_empty() && reading.bears_no_health() && reading.controllers.is_empty() && !asked.is_empty() {
        reading.note(NoteKind::Remark, Path::default(), format!("nothing to judge in `{}`", asked.join("`, `")));
    }
}

fn numbers(known: &Known, heard: &Heard) -> BTreeSet<String> {
    let answers = [CONFIG, STATUS, LOGS].into_iter().flat_map(|kind| heard.of(kind));
    answers.map(|a| number_of(known, a)).collect()
}

/// The answer does not say which controller it is of; the question does. Captures without one are of
/// the first.
fn number_of(known: &Known, answer: &Answer) -> String {
    let said = answer.asked.args_lower().get(1).filter(|n| n.parse::<u32>().is_ok()).cloned();
    let scope = match &known.scope {
        Scope::Controller(n) => Some(n.clone()),
        _ => None,
    };
    said.or(scope).unwrap_or_else(|| "1".to_owned())
}

/// LIST and GETVERSION: which controllers there are.
fn inventory(reading: &mut Reading, known: &Known, heard: &Heard) {
    for answer in heard.of(LIST) {
        // An arcconf too old for LIST is asked GETVERSION.
        let output = parse::arcconf(&answer.text());
        let superseded = output.listed.is_empty() && heard.of(VERSION).next().is_some();
        if !superseded {
            count(reading, known, answer, &output, output.listed.len() as u64);
        }
        for (number, row) in &output.listed {
            listed(reading, &Path::controller(number), row);
        }
    }
    for answer in heard.of(VERSION) {
        let output = parse::arcconf(&answer.text());
        count(reading, known, answer, &output, output.of(Kind::Version).count() as u64);
        for block in output.of(Kind::Version) {
            lower_controller::identity(reading.controller(&Path::controller(&block.id)), block);
        }
    }
}

fn count(reading: &mut Reading, known: &Known, answer: &Answer, output: &parse::Output, listed: u64) {
    let nowhere = Path::default();
    let found = output.controllers_found;
    let expected = !kernel::hosts(known).is_empty() || known.scope == Scope::Everything;
    if lower::failed(reading, &nowhere, answer) {
        return;
    }
    let said = format!("`{}` finds {} controllers and lists {listed}", answer.asked, found.unwrap_or(0));
    match found {
        None => reading.note(NoteKind::Unreadable, nowhere, format!("`{}` gave no list of controllers", answer.asked)),
        Some(0) if expected => reading.note(NoteKind::FewerThanCounted, nowhere, said),
        Some(n) if n > listed => reading.note(NoteKind::FewerThanCounted, nowhere, said),
        Some(_) if !output.completed => lower::cut_off(reading, &nowhere, answer, NoteKind::Unreadable),
        // Versions alone, given as a capture, say nothing of health.
        Some(_) if known.scope == Scope::Everything && output.listed.is_empty() => {}
        Some(_) => reading.coverage.add(&nowhere, Covers::Controllers),
    }
}

/// "Optimal, Slot 8, HBA, NAME, SERIAL, WWN".
fn listed(reading: &mut Reading, at: &Path, row: &str) {
    let cells: Vec<&str> = row.split(',').map(str::trim).collect();
    let [status, _, mode, name @ .., serial, wwn] = cells.as_slice() else {
        reading.note(NoteKind::Unreadable, at.clone(), format!("controller row not understood: {row}"));
        return;
    };
    let state = lower_controller::state(reading, at, status);
    let controller = reading.controller(at);
    controller.state = Some(state);
    controller.makes_arrays = lower_controller::makes_arrays(Some(mode), false);
    controller.model = Some(name.join(", ")).filter(|n| !n.is_empty());
    controller.serial = Some((*serial).to_owned());
    let aliases = [raidmond_core::model::Alias::serial(serial), raidmond_core::model::Alias::sas_address(wwn)];
    for alias in aliases.into_iter().flatten() {
        lower_controller::add_alias(&mut controller.aliases, alias);
    }
}
