//! Whose line is it? From what a log line names to the object whose incident it belongs to.
//!
//! Most exact first: a path in the vendor's numbers, the array or disk behind a kernel name or SCSI
//! address, a unit or slot behind a card, an alias. What cannot be placed stays a device of its own.

use super::Subject;
use crate::host::blocks::disk_with_device_id;
use crate::host::{Block, Host, Seen, View};
use crate::identity::ObjectId;
use crate::model::{Alias, Disk, ObjectKind, Path};
use crate::observe::{About, Observation, Sign};

pub(super) fn subject_of(host: &Host, view: &View, observation: &Observation) -> Subject {
    let about = &observation.about;
    let block = about.aliases.iter().find_map(|a| host.block_named(a));
    let by_path = about.space.and_then(|space| host.any_by_path(space, &about.path));
    let is_card = |id: &ObjectId| host.registry.get(*id).is_some_and(|e| e.kind == ObjectKind::Controller);
    let card = about.aliases.iter().find_map(|a| host.controller_named(view, a)).or(by_path.filter(is_card));
    let by_block = || block.and_then(|b| host.shown_by(view, b));
    let by_name = || about.aliases.iter().find_map(|a| stated_device(view, a));
    let found = by_path
        .filter(|id| !is_card(id))
        .or_else(|| member_of_array(view, about))
        .or_else(by_block)
        .or_else(by_name)
        .or_else(|| behind_controller(host, view, observation, card?))
        .or_else(|| by_alias(host, about, card));
    match (found, card, part_of(observation)) {
        // A part raidmond has no object for must not be taken for the card, or for another part.
        (None, Some(card), Some((kind, leaf))) => part_behind(&format!("o{card}"), &host.name(card), kind, &leaf),
        (None, Some(card), None) => object(host, card),
        (Some(id), _, _) => object(host, id),
        (None, None, part) => match (block, part) {
            (Some(block), _) => device(block),
            (None, Some((kind, leaf))) if !names_device(about) => {
                let card = unplaced(observation);
                part_behind(&card.key, &card.name, kind, &leaf)
            }
            (None, _) => unplaced(observation),
        },
    }
}

/// A line of md names the array and the member in it: `md0` and `sdb1`.
fn member_of_array(view: &View, about: &About) -> Option<ObjectId> {
    let name = |field: &str| Some(about.field(field).trim_start_matches("/dev/")).filter(|n| !n.is_empty());
    let at = Path::new(name("md").or_else(|| name("array"))?).child(name("dev")?);
    let is = |d: &&Seen<Disk>| d.facts.at == at && d.facts.controller.is_none();
    view.disks.iter().find(is).map(|d| d.id)
}

fn object(host: &Host, id: ObjectId) -> Subject {
    let kind = host.registry.get(id).map_or(ObjectKind::Source, |e| e.kind);
    Subject::object(id, kind, host.name(id))
}

fn part_behind(card_key: &str, card: &str, kind: ObjectKind, leaf: &str) -> Subject {
    Subject { key: format!("{card_key}/{leaf}"), name: format!("{card}/{leaf}"), kind, id: None }
}

/// The alias is the object itself, not the card it is behind.
fn names_device(about: &About) -> bool {
    let itself = |a: &Alias| !matches!(a, Alias::Pci(_) | Alias::ScsiHost(_) | Alias::DeviceId(_));
    about.aliases.iter().any(itself) || about.path.as_str().contains('/')
}

/// Which part behind its card a line names, as adapters name it.
fn part_of(observation: &Observation) -> Option<(ObjectKind, String)> {
    let number = |field: &str| number_in(&observation.about, field);
    let slot = || Some(format!("{}:{}", number("enclosure")?, number("slot")?));
    let port = || Some(format!("p{}", number("port")?));
    let unit = number("unit").map(|n| format!("u{n}"));
    let array = || unit.or_else(|| Some(format!("v{}", array_number(&observation.about)?)));
    let array = || array().map(|leaf| (ObjectKind::Array, leaf));
    let disk = || slot().or_else(port).map(|leaf| (ObjectKind::Disk, leaf));
    if of_array(observation.sign) { array().or_else(disk) } else { disk().or_else(array) }
}

fn array_number(about: &About) -> Option<u32> {
    ["vd", "unit", "container", "logical-drive"].iter().find_map(|field| number_in(about, field))
}

/// `Degraded unit: unit=0, port=3` names a port, too, and is about the unit.
fn of_array(sign: Sign) -> bool {
    matches!(
        sign,
        Sign::ArrayDegraded
            | Sign::ArrayFailed
            | Sign::ArrayOptimal
            | Sign::Inconsistency
            | Sign::CheckStarted
            | Sign::CheckCompleted
            | Sign::CheckFailed
    )
}

/// The kernel name as a source of the array states it, where sysfs is not known.
fn stated_device(view: &View, alias: &Alias) -> Option<ObjectId> {
    let Alias::Kernel(name) = alias else { return None };
    let is = |device: &Option<String>| device.as_deref().map(|d| d.trim_start_matches("/dev/")) == Some(name.as_str());
    let array = view.arrays.iter().find(|a| is(&a.facts.device)).map(|a| a.id);
    array.or_else(|| view.disks.iter().find(|d| is(&d.facts.device)).map(|d| d.id))
}

/// A line that names a card *and* a unit, slot, port or device id is about the latter.
fn behind_controller(host: &Host, view: &View, observation: &Observation, card: ObjectId) -> Option<ObjectId> {
    let about = &observation.about;
    let number = |field: &str| number_in(about, field);
    let named = |leaf: String| host.child(card, ObjectKind::Disk, &leaf);
    let device_id = about.aliases.iter().find_map(|a| if let Alias::DeviceId(id) = a { Some(id) } else { None });
    let by_id = || device_id.and_then(|id| disk_with_device_id(view, card, id));
    let by_slot = || named(format!("{}:{}", number("enclosure")?, number("slot")?));
    // Enclosure 255 stands for none; tools print nothing there.
    let direct = || number("enclosure").filter(|e| [0xff, 0xffff].contains(e));
    let by_slot_alone = || direct().and_then(|_| named(format!(":{}", number("slot")?)));
    let by_port = || named(format!("p{}", number("port")?));
    let disk = || by_id().or_else(by_slot).or_else(by_slot_alone).or_else(by_port);
    let array = || host.array_behind(card, array_number(about)?);
    if of_array(observation.sign) { array().or_else(disk) } else { disk().or_else(array) }
}

/// `u0`, `p13`, `01` → 0, 13, 1.
fn number_in(about: &About, field: &str) -> Option<u32> {
    let (_, said) = about.fields.iter().find(|(name, _)| name == field)?;
    said.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

/// Device ids repeat on every card: where the card is known, nothing behind another one is meant.
fn by_alias(host: &Host, about: &About, card: Option<ObjectId>) -> Option<ObjectId> {
    if card.is_none() && !names_device(about) && !about.aliases.is_empty() {
        return None;
    }
    let kinds = [ObjectKind::Disk, ObjectKind::Array, ObjectKind::Controller];
    let elsewhere = |id: &ObjectId| {
        let parent = host.registry.get(*id).and_then(|e| e.parent);
        card.is_some_and(|card| *id != card && parent != Some(card))
    };
    let find = |k: &ObjectKind| host.registry.find(*k, about.space, &about.path, &about.aliases);
    kinds.iter().find_map(|k| find(k).filter(|id| !elsewhere(id) && Some(*id) != card))
}

/// A device no source speaks of: errors on what a RAID driver shows are errors on an array.
fn device(block: &Block) -> Subject {
    let mut subject = Subject::named("device", &block.name);
    subject.kind = if block.is_array_device() { ObjectKind::Array } else { ObjectKind::Disk };
    subject
}

fn unplaced(observation: &Observation) -> Subject {
    let about = &observation.about;
    let name = match about.aliases.first() {
        Some(alias) if about.path.as_str().is_empty() => alias.value().to_owned(),
        Some(alias) => format!("{} {}", alias.value(), about.path),
        None if about.path.as_str().is_empty() => observation.rule.split(['.', ':']).next().unwrap_or("log").to_owned(),
        None => about.path.to_string(),
    };
    let mut subject = Subject::named("device", &name);
    // The address stays the key, as the lines of drivers have nothing else; people know the name.
    if let (Some(Alias::Hctl(_)), Some(kernel)) =
        (about.aliases.first(), about.aliases.iter().find(|a| matches!(a, Alias::Kernel(_))))
    {
        subject.name = format!("{} ({name})", kernel.value());
    }
    if of_array(observation.sign) {
        subject.kind = ObjectKind::Array;
    }
    subject
}
