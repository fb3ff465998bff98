//! `/sys/class/raid_devices/H:C:T:L/{level,state,resync}`: what the driver itself says of each volume
//! (drivers/scsi/raid_class.c). Needs no rights and no tool; says nothing of the disks.

use super::vocabulary::kernel_state;
use super::{ATTRIBUTE, RAID_CLASS};
use crate::scan;
use raidmond_core::model::{Alias, ArrayState, Level, Observed, Path, Task, TaskKind, TaskState};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Covers, Heard, Known, NoteKind, Query, Reading, Scope};

const FOLDER: &str = "/sys/class/raid_devices";
const FILES: [&str; 3] = ["level", "state", "resync"];

pub fn kind_of(asked: &Asked) -> Option<AnswerKind> {
    let rest = asked.path().strip_prefix(FOLDER)?;
    match asked {
        Asked::Dir(_) if rest.trim_matches('/').is_empty() => Some(RAID_CLASS),
        Asked::File(_) => FILES.iter().any(|f| rest.ends_with(&format!("/{f}"))).then_some(ATTRIBUTE),
        _ => None,
    }
}

/// Those of one SCSI host, or of all.
pub fn queries(_: &Known, heard: &Heard, host: Option<&str>) -> Vec<Query> {
    let mut queries = vec![Query::dir(RAID_CLASS, FOLDER)];
    for name in devices(heard).iter().filter(|d| host.is_none_or(|h| d.split(':').next() == Some(h))) {
        queries.extend(FILES.map(|file| Query::file(ATTRIBUTE, format!("{FOLDER}/{name}/{file}"))));
    }
    queries
}

fn devices(heard: &Heard) -> Vec<String> {
    let listed = heard.of(RAID_CLASS).filter(|a| a.outcome.ended()).map(Answer::text).collect::<Vec<_>>().join("\n");
    let mut names: Vec<String> = listed.lines().map(|l| l.trim().to_owned()).filter(|n| is_address(n)).collect();
    let told =
        heard.of(ATTRIBUTE).filter_map(|a| a.asked.path().strip_prefix(FOLDER)?.split('/').nth(1).map(str::to_owned));
    names.extend(told);
    names.sort();
    names.dedup();
    names
}

fn is_address(name: &str) -> bool {
    name.split(':').count() == 4 && name.split(':').all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
}

pub fn lower(r: &mut Reading, known: &Known, heard: &Heard) {
    for device in devices(heard) {
        let Some((host, rest)) = device.split_once(':') else { continue };
        let controller = Path::controller(format_args!("host{host}"));
        card(r, known, &controller, host);
        volume(r, heard, &device, &controller.array(rest.replace(':', ".")));
    }
    // Also where the last volume of a host is gone.
    let mine = match &known.scope {
        Scope::Controller(number) if number.starts_with("host") => vec![Path::controller(number)],
        _ => r.controllers.iter().map(|c| c.at.clone()).filter(|at| at.as_str().starts_with("chost")).collect(),
    };
    let listed = heard.of(RAID_CLASS).any(|a| a.outcome.ended());
    for at in mine.iter().filter(|_| listed) {
        r.coverage.add(at, Covers::Arrays);
        r.coverage.add(at, Covers::Tasks);
    }
}

fn card(r: &mut Reading, known: &Known, at: &Path, host: &str) {
    let number = host.parse::<u32>().ok();
    let device = known.pci.iter().find(|d| number.is_some_and(|n| d.scsi_hosts.contains(&n)));
    let alias = device.and_then(|d| Alias::pci(&d.address));
    let card = r.controller(at);
    card.driver = device.and_then(|d| d.driver.clone());
    card.aliases.extend(alias.filter(|a| !card.aliases.contains(a)).into_iter().collect::<Vec<_>>());
}

fn volume(r: &mut Reading, heard: &Heard, device: &str, at: &Path) {
    let value = |file: &str| {
        let path = format!("{FOLDER}/{device}/{file}");
        let answer = heard.of(ATTRIBUTE).find(|a| a.asked.path() == path && a.outcome.ended());
        answer.map(|a| a.text().trim().to_owned()).filter(|t| !t.is_empty())
    };
    let level = value("level");
    let array = r.array(at);
    array.level = level.as_deref().and_then(Level::parse);
    array.level_said = level;
    array.aliases.push(Alias::Hctl(device.to_owned()));
    if let Some(said) = value("state") {
        state(r, at, &said, value("resync").as_deref());
    } else {
        r.note(NoteKind::Unreadable, at.clone(), format!("{FOLDER}/{device}/state says nothing"));
    }
}

fn state(r: &mut Reading, at: &Path, said: &str, resync: Option<&str>) {
    let state = kernel_state(said);
    if state.is_none() {
        r.unknown_word(at.clone(), "raid_class state", said);
    }
    let state = state.unwrap_or(ArrayState::Unknown);
    r.array(at).state = Some(Observed::new(state, said));
    if state == ArrayState::Rebuilding {
        let percent = resync.and_then(scan::percent);
        let state = Observed::new(TaskState::Running, said);
        r.tasks.push(Task { on: at.clone(), kind: TaskKind::Rebuild, state, percent, seconds_left: None });
    }
}
