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
    let by_path = || about.space.and_then(|space| host.any_by_path(space, &about.path));
    let by_block = || block.and_then(|b| host.shown_by(view, b));
    let by_name = || about.aliases.iter().find_map(|a| stated_device(view, a));
    let found = by_path()
        .or_else(|| member_of_array(view, about))
        .or_else(by_block)
        .or_else(by_name)
        .or_else(|| behind_controller(host, view, about))
        .or_else(|| by_alias(host, about))
        .or_else(|| about.aliases.iter().find_map(|a| host.controller_named(view, a)));
    match (found, block) {
        (Some(id), _) => {
            let kind = host.registry.get(id).map_or(ObjectKind::Source, |e| e.kind);
            Subject::object(id, kind, host.name(id))
        }
        (None, Some(block)) => device(block),
        (None, None) => unplaced(observation),
    }
}

/// A line of md names the array and the member in it: `md0` and `sdb1`.
fn member_of_array(view: &View, about: &About) -> Option<ObjectId> {
    let name = |field: &str| Some(about.field(field).trim_start_matches("/dev/")).filter(|n| !n.is_empty());
    let at = Path::new(name("md").or_else(|| name("array"))?).child(name("dev")?);
    let is = |d: &&Seen<Disk>| d.facts.at == at && d.facts.controller.is_none();
    view.disks.iter().find(is).map(|d| d.id)
}

/// The kernel name as a source of the array states it, where sysfs is not known.
fn stated_device(view: &View, alias: &Alias) -> Option<ObjectId> {
    let Alias::Kernel(name) = alias else { return None };
    let is = |device: &Option<String>| device.as_deref().map(|d| d.trim_start_matches("/dev/")) == Some(name.as_str());
    let array = view.arrays.iter().find(|a| is(&a.facts.device)).map(|a| a.id);
    array.or_else(|| view.disks.iter().find(|d| is(&d.facts.device)).map(|d| d.id))
}

/// A line that names a card *and* a unit, slot, port or device id is about the latter.
fn behind_controller(host: &Host, view: &View, about: &About) -> Option<ObjectId> {
    let controller = about.aliases.iter().find_map(|a| host.controller_named(view, a))?;
    let number = |field: &str| number_in(about, field);
    let disk = |leaf: String| host.child(controller, ObjectKind::Disk, &leaf);
    let device_id = about.aliases.iter().find_map(|a| if let Alias::DeviceId(id) = a { Some(id) } else { None });
    let array = || number("vd").or_else(|| number("unit")).or_else(|| number("container"));
    let by_slot = || disk(format!("{}:{}", number("enclosure")?, number("slot")?));
    let by_port = || disk(format!("p{}", number("port")?));
    let by_array = || host.child(controller, ObjectKind::Array, &format!("v{}", array()?));
    device_id
        .and_then(|id| disk_with_device_id(view, controller, id))
        .or_else(by_array)
        .or_else(by_slot)
        .or_else(by_port)
}

/// `u0`, `p13`, `01` → 0, 13, 1.
fn number_in(about: &About, field: &str) -> Option<u32> {
    let (_, said) = about.fields.iter().find(|(name, _)| name == field)?;
    said.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

fn by_alias(host: &Host, about: &About) -> Option<ObjectId> {
    let kinds = [ObjectKind::Disk, ObjectKind::Array, ObjectKind::Controller];
    kinds.iter().find_map(|k| host.registry.find(*k, about.space, &about.path, &about.aliases))
}

/// A device no source speaks of: errors on what a RAID driver shows are errors on an array.
fn device(block: &Block) -> Subject {
    let mut subject = Subject::named("device", &block.name);
    subject.kind = if block.is_array_device() { ObjectKind::Array } else { ObjectKind::Disk };
    subject
}

fn unplaced(observation: &Observation) -> Subject {
    let about = &observation.about;
    let array_words = matches!(observation.sign, Sign::ArrayDegraded | Sign::ArrayFailed | Sign::ArrayOptimal);
    let name = match about.aliases.first() {
        Some(alias) if about.path.as_str().is_empty() => alias.value().to_owned(),
        Some(alias) => format!("{} {}", alias.value(), about.path),
        None if about.path.as_str().is_empty() => observation.rule.split(['.', ':']).next().unwrap_or("log").to_owned(),
        None => about.path.to_string(),
    };
    let mut subject = Subject::named("device", &name);
    if array_words {
        subject.kind = ObjectKind::Array;
    }
    subject
}
