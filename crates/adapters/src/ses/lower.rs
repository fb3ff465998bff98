//! From pages and sysfs to facts.

use super::parse::{self, Element, Page, Place};
use super::{ASIDE, ATTRIBUTE, DISK, FOLDER, LIST, MUTATION, NAMES, NODE, SLOTS, STATUS, place, vocabulary};
use raidmond_core::model::{Alias, Enclosure, Observed, Part, PartKind, PartState, Path, Space};
use raidmond_core::survey::{Answer, Asked, Covers, Heard, Known, NoteKind, Reading, Scope};
use std::collections::BTreeMap;

/// What the folder of an enclosure holds beside its slots.
const ASIDE_NAMES: [&str; 6] = ["components", "device", "id", "power", "subsystem", "uevent"];

pub fn listed(heard: &Heard) -> Vec<String> {
    let lists = heard.of(LIST).filter(|a| a.outcome.ended()).map(Answer::text);
    lists
        .flat_map(|list| list.lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>())
        .filter(|n| is_address(n))
        .collect()
}

fn is_address(name: &str) -> bool {
    name.split(':').count() == 4 && name.split(':').all(|p| p.parse::<u32>().is_ok())
}

pub fn slots(names: &str) -> Vec<String> {
    let is_slot = |name: &&str| !name.is_empty() && !ASIDE_NAMES.contains(name) && !name.contains('/');
    names.lines().map(str::trim).filter(is_slot).map(str::to_owned).collect()
}

pub fn read(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("ses", Space::Kernel);
    list(&mut reading, known, heard);
    kernel(&mut reading, heard);
    for answer in heard.of(STATUS) {
        status(&mut reading, heard, answer);
    }
    aside(&mut reading, heard);
    if known.scope != Scope::Everything && known.tool.is_none() && !reading.enclosures.is_empty() {
        let said = "without sg_ses only slots are seen: no fans, power supplies and temperatures";
        reading.note(NoteKind::Remark, Path::default(), said);
    }
    reading
}

fn list(reading: &mut Reading, known: &Known, heard: &Heard) {
    for answer in heard.of(LIST) {
        if !answer.outcome.ended() && !answer.outcome.absent {
            reading.note(NoteKind::ToolFailed, Path::default(), format!("{FOLDER}: {}", answer.outcome.words()));
        } else if known.scope != Scope::Everything {
            reading.coverage.add(&Path::default(), Covers::Enclosures);
        }
    }
}

fn enclosure<'r>(reading: &'r mut Reading, at: &Path) -> &'r mut Enclosure {
    let index = match reading.enclosures.iter().position(|e| e.at == *at) {
        Some(index) => index,
        None => {
            reading.enclosures.push(Enclosure { at: at.clone(), ..Enclosure::default() });
            reading.enclosures.len() - 1
        }
    };
    &mut reading.enclosures[index]
}

/// Slots as the kernel's driver shows them, and the disks in them.
fn kernel(reading: &mut Reading, heard: &Heard) {
    let mut said: BTreeMap<(&str, &str, &str), String> = BTreeMap::new();
    for answer in heard.of(ATTRIBUTE).filter(|a| a.outcome.ended()) {
        let Some((at, rest)) = place(answer.asked.path()) else { continue };
        let (part, file) = rest.rsplit_once('/').unwrap_or(("", rest));
        said.insert((at, part, file), answer.text().trim().to_owned());
    }
    for ((at, part, file), value) in &said {
        let path = Path::new(at);
        match (*part, *file) {
            ("device", "vendor" | "model") => model(enclosure(reading, &path), value),
            (slot, "status") => {
                let fault = said.get(&(*at, slot, "fault")).is_some_and(|f| f != "0" && !f.is_empty());
                slot_part(reading, &path, slot, value, fault);
            }
            _ => {}
        }
    }
    for answer in heard.of(DISK).filter(|a| a.outcome.ended()) {
        let Some((at, rest)) = place(answer.asked.path()) else { continue };
        let slot = rest.trim_end_matches("/device/block");
        let number = said.get(&(at, slot, "slot")).filter(|n| !n.is_empty());
        disk(reading, &answer.text(), at, number.map_or(slot, String::as_str));
    }
}

fn model(enclosure: &mut Enclosure, word: &str) {
    // "model" is heard before "vendor".
    enclosure.model = match enclosure.model.take() {
        Some(model) => Some(format!("{word} {model}")),
        None => Some(word.to_owned()),
    };
}

fn slot_part(reading: &mut Reading, at: &Path, slot: &str, word: &str, fault: bool) {
    let state = match vocabulary::status(word, PartKind::Slot) {
        PartState::Unknown => return reading.unknown_word(at.clone(), &format!("status of {slot}"), word),
        PartState::Ok | PartState::NotInstalled if fault => {
            Observed::new(PartState::Warning, format!("{word}, fault lamp on"))
        }
        state => Observed::new(state, word),
    };
    let part = Part { kind: PartKind::Slot, name: slot.to_owned(), state, value: None };
    enclosure(reading, at).parts.push(part);
}

/// `sdf` is in slot 5 of this enclosure.
fn disk(reading: &mut Reading, names: &str, enclosure: &str, slot: &str) {
    let Some(name) =
        names.lines().map(str::trim).find(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric()))
    else {
        return;
    };
    let disk = reading.disk(&Path::new(name));
    disk.controller = None;
    disk.device = Some(format!("/dev/{name}"));
    disk.aliases.push(Alias::Kernel(name.to_owned()));
    (disk.enclosure, disk.slot) = (Some(enclosure.to_owned()), Some(slot.to_owned()));
}

/// `/dev/sg4` of a command.
fn device(answer: &Answer) -> Option<&str> {
    let Asked::Cmd(argv) = &answer.asked else { return None };
    argv.iter().find_map(|w| w.strip_prefix("/dev/"))
}

/// The enclosure with this generic device; in a capture of the tool alone it goes by the device.
fn address(heard: &Heard, answer: &Answer) -> Path {
    let name = device(answer).unwrap_or("enclosure");
    let node = heard.of(NODE).find(|a| a.text().lines().any(|l| l.trim() == name));
    Path::new(node.and_then(|a| place(a.asked.path())).map_or(name, |(at, _)| at))
}

fn status(reading: &mut Reading, heard: &Heard, answer: &Answer) {
    let at = address(heard, answer);
    if !answer.outcome.ended() {
        reading.note(NoteKind::ToolFailed, at, format!("`{}`: {}", answer.asked, answer.outcome.words()));
        return;
    }
    let page = parse::page(&answer.text());
    if !page.elements.iter().any(|e| e.status.is_some()) {
        let stderr = answer.stderr_text();
        let why = stderr.lines().find(|l| !l.trim().is_empty()).unwrap_or("is empty or not understood");
        reading.note(NoteKind::Unreadable, at, format!("`{}`: {why}", answer.asked));
        return;
    }
    if let Some(cut) = &page.cut {
        reading.note(NoteKind::Partial, at.clone(), format!("`{}`: {cut}", answer.asked));
    }
    let names = names(heard, answer);
    for element in page.elements.iter().filter(|e| e.at.1.is_some()) {
        match part(element, &names) {
            Some(part) => enclosure(reading, &at).parts.push(part),
            None => {
                let said = format!("{} has no status: the page is cut off", element.kind);
                reading.note(NoteKind::Partial, at.clone(), said);
            }
        }
    }
    whole(enclosure(reading, &at), &page);
}

/// Names of elements by their places, from the page of descriptors of the same device.
fn names(heard: &Heard, answer: &Answer) -> BTreeMap<Place, String> {
    let same = |a: &&Answer| device(a) == device(answer) && a.outcome.ended();
    let elements = heard.of(NAMES).find(same).map(|a| parse::page(&a.text()).elements).unwrap_or_default();
    let plain = |n: &String| !n.is_empty() && !n.starts_with('<');
    elements.into_iter().filter_map(|e| Some((e.at, e.name.filter(plain)?))).collect()
}

fn part(element: &Element, names: &BTreeMap<Place, String>) -> Option<Part> {
    let kind = vocabulary::kind(&element.kind);
    let status = element.status.as_deref()?;
    let mut state = Observed::new(vocabulary::status(status, kind), status);
    // A place without a part has no faults.
    let counts = state.state != PartState::NotInstalled || status.eq_ignore_ascii_case("unsupported");
    for word in element.flags.iter().filter(|_| counts) {
        let Some(said) = vocabulary::flag(word) else { continue };
        let worse = said == PartState::Failed || state.state != PartState::Failed;
        state = Observed::new(if worse { said } else { state.state }, format!("{}, {word}", state.said));
    }
    let number = element.at.1.unwrap_or(0);
    let name = element.name.as_ref().or_else(|| names.get(&element.at)).cloned();
    let name = name.unwrap_or_else(|| format!("{} {number}", element.kind));
    Some(Part { kind, name: name.chars().filter(|c| !c.is_control()).collect(), state, value: element.value })
}

/// The enclosure's own sum counts where no part explains it.
fn whole(enclosure: &mut Enclosure, page: &Page) {
    let has = |flag: &str| page.flags.iter().any(|f| f == flag);
    let state = match () {
        () if has("UNRECOV") || has("CRIT") => PartState::Failed,
        () if has("NON-CRIT") => PartState::Warning,
        () => PartState::Ok,
    };
    let told = |p: &Part| matches!(p.state.state, PartState::Failed | PartState::Warning | PartState::Unknown);
    if state == PartState::Ok || enclosure.parts.iter().any(told) {
        return;
    }
    let state = Observed::new(state, page.flags.join(", "));
    enclosure.parts.push(Part { kind: PartKind::Whole, name: "enclosure".to_owned(), state, value: None });
}

fn aside(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(ASIDE) {
        reading.note(NoteKind::Remark, Path::default(), format!("`{}` tells nothing of states", answer.asked));
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` is not a question", answer.asked));
    }
    let empty = heard.of(SLOTS).filter(|a| !a.outcome.ended() && !a.outcome.absent);
    for answer in empty {
        reading.note(NoteKind::ToolFailed, Path::default(), format!("{}: {}", answer.asked, answer.outcome.words()));
    }
}
