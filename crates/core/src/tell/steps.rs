//! What to do about it, step by step. Commands are those of the tool that reads the controller.

use crate::diagnose::{Condition, ConditionKind as K, Topic, redundancy};
use crate::host::{Seen, View};
use crate::incident::{Incident, Settings};
use crate::model::{Array, Disk, DiskState, Interface, Level};

pub(super) fn to_do(settings: &Settings, view: &View, incident: &Incident) -> Vec<String> {
    let faults: Vec<&Condition> = incident.conditions.iter().filter(|c| c.severity.is_fault()).collect();
    let mut steps: Vec<String> = remedies(&faults);
    // What cannot be read is no reason to touch a disk.
    let of_redundancy = incident.key.topic == Topic::Redundancy;
    if let Some(array) = incident.anchor.id.and_then(|id| view.array(id)).filter(|_| of_redundancy) {
        steps.extend(array_steps(settings, view, array, incident));
    }
    let anchor = incident.anchor.id.and_then(|id| view.array(id));
    let reduced = anchor.is_some_and(|a| redundancy(view, a).reduced());
    for condition in faults {
        let disk = condition.subject.id.and_then(|id| view.disk(id));
        // What to do with the disks of an array that lacks one is said above, as a whole.
        if reduced && disk.is_some() {
            continue;
        }
        steps.extend(
            kind_steps(settings, view, condition.kind, disk).into_iter().map(|step| {
                step.replace("OBJECT", &condition.subject.name).replace("INCIDENT", &incident.id.to_string())
            }),
        );
    }
    if steps.is_empty() && matches!(incident.key.topic, Topic::Source | Topic::Vocabulary) {
        steps.extend(unread_steps().map(str::to_owned));
    }
    let mut seen = std::collections::BTreeSet::new();
    steps.retain(|s| seen.insert(s.clone()));
    steps.truncate(8);
    steps
}

/// For a source that said nothing itself of what to do.
fn unread_steps() -> [&'static str; 3] {
    [
        "See whether the tool is there and what watches the card: raidmond doctor",
        "See what it answers, word for word: raidmond probe --explain",
        "Until it is read again, look after the arrays with the controller's own tool.",
    ]
}

/// What the source itself said to do about a blind spot.
fn remedies(faults: &[&Condition]) -> Vec<String> {
    faults.iter().flat_map(|c| &c.evidence).filter(|e| e.source == "remedy").map(|e| e.said.clone()).collect()
}

fn array_steps(settings: &Settings, view: &View, array: &Seen<Array>, incident: &Incident) -> Vec<String> {
    let r = redundancy(view, array);
    let mut steps = Vec::new();
    if r.failed {
        steps.push(
            "Stop writing to it and do not power-cycle or rebuild anything before you know which disks are missing."
                .to_owned(),
        );
        steps.push("Reseat cables and the missing disks; look at the controller's event log before you bring disks back online.".to_owned());
        return steps;
    }
    if r.restoring && r.reduced() {
        steps.push("Leave the other disks of this array alone until the rebuild has ended.".to_owned());
    }
    let lost: Vec<&Seen<Disk>> = view
        .disks
        .iter()
        .filter(|d| r.lost.contains(&d.id) && !is(d, DiskState::Rebuilding) && !is(d, DiskState::Missing))
        .collect();
    for disk in &lost {
        steps.extend(replace_steps(settings, disk));
    }
    for id in &r.alone {
        if let Some(partner) = view.disk(*id) {
            steps.push(format!(
                "Do not pull {}: it is the only copy left of its mirror.",
                super::describe::disk(view, partner)
            ));
        }
    }
    for condition in incident.conditions.iter().filter(|c| super::is_disk(c)) {
        let suspect = matches!(condition.kind, K::DiskPredictive | K::MediaErrorsGrowing);
        let disk = condition.subject.id.and_then(|id| view.disk(id)).filter(|d| !r.lost.contains(&d.id));
        if let (true, Some(disk)) = (suspect, disk) {
            steps.push(format!(
                "Leave disk {} in until the rebuild has ended: it is in service. Make a backup now.",
                view.disk_label(&disk.name)
            ));
        }
    }
    if !r.restoring && !lost.is_empty() {
        steps.push(rebuild_step(view, array));
    }
    if lost.is_empty() && r.reduced() && !r.restoring {
        steps.push(
            "Find the missing member in the tool's disk list, put a good disk in its place and start the rebuild."
                .to_owned(),
        );
    }
    steps
}

fn is(disk: &Seen<Disk>, state: DiskState) -> bool {
    disk.facts.state.as_ref().is_some_and(|s| s.state == state)
}

/// "Starts by itself" only when the controller says so.
fn rebuild_step(view: &View, array: &Seen<Array>) -> String {
    let auto = array.parent.and_then(|c| view.controller(c)).and_then(|c| c.facts.auto_rebuild);
    match auto {
        Some(true) => "Put the new disk in. Auto-rebuild is on for this controller: the rebuild starts by itself. You will hear from me when redundancy is back.".to_owned(),
        Some(false) => "Put the new disk in and start the rebuild with the controller's tool: auto-rebuild is off. You will hear from me when redundancy is back.".to_owned(),
        None => "Put the new disk in. If no rebuild is seen in `raidmond status` within a minute, start it with the controller's tool. You will hear from me when redundancy is back.".to_owned(),
    }
}

fn replace_steps(settings: &Settings, disk: &Seen<Disk>) -> Vec<String> {
    let f = &disk.facts;
    let kind = match f.interface {
        Some(Interface::Sas) => "SAS ",
        Some(Interface::Sata | Interface::Ata) => "SATA ",
        Some(Interface::Scsi) => "SCSI ",
        Some(Interface::Nvme) => "NVMe ",
        None => "",
    };
    let size = f.size_bytes.map(|b| format!(" of {} or more", super::describe::sold_size(b))).unwrap_or_default();
    let mut steps = vec![format!("Get a {kind}disk{size}.")];
    let source = disk.sources.first().map_or("", String::as_str);
    if let Some(command) = (settings.locator)(source, f) {
        steps.push(format!("Blink the slot:   {command}"));
    }
    let place = match (f.enclosure.as_deref().filter(|e| !e.is_empty()), f.slot.as_deref()) {
        (Some(e), Some(s)) => format!("slot {s} of enclosure {e}"),
        (None, Some(s)) => format!("slot {s}"),
        _ => format!("disk {}", disk.name),
    };
    let serial = f.serial.as_deref().map(|s| format!(" (serial {s})")).unwrap_or_default();
    steps.push(format!("Pull only {place}{serial}."));
    steps
}

fn kind_steps(settings: &Settings, view: &View, kind: K, disk: Option<&Seen<Disk>>) -> Vec<String> {
    let one = |text: &str| vec![text.to_owned()];
    match kind {
        K::DiskPredictive
        | K::LogDiskPredictive
        | K::MediaErrorsGrowing
        | K::DiskFailed
        | K::SpareFailed
        | K::DiskUnconfiguredBad => {
            let Some(disk) = disk else {
                return one("Find the disk by its number in the controller's tool and replace it.");
            };
            let raid0 =
                view.array_of(disk).is_some_and(|a| matches!(a.facts.level, Some(Level::Raid0 | Level::Single)));
            let mut steps = replace_steps(settings, disk);
            let in_service = disk.facts.state.as_ref().is_some_and(|s| s.state == DiskState::Online);
            if in_service && !raid0 && view.array_of(disk).is_some() {
                steps.insert(
                    0,
                    "See that the backup is current; replace this disk while its array is whole, and no other with it."
                        .to_owned(),
                );
            }
            if raid0 {
                steps.insert(0, "Its array has no redundancy: copy the data away before you pull it.".to_owned());
            }
            steps
        }
        K::UnreadableSectors | K::SelfTestFailed => one(
            "Let the array be checked: a check writes such sectors anew from the other disks. If the count stays or comes back, replace the disk while its array is whole.",
        ),
        K::DiskWorn => one("Plan its replacement; it is no emergency. If it may stay: raidmond ack INCIDENT"),
        K::RecoveryTime => recovery_steps(disk),
        K::RecoveryTimeBehindRaid => one(
            "Use disks made for RAID behind this controller; a check of the array finds bad sectors before a rebuild meets them.",
        ),
        K::OtherErrorsGrowing | K::LinkErrorsRepeated => {
            one("Look at cable, backplane and slot; reseat the disk; watch whether the count goes on growing.")
        }
        K::ForeignConfiguration => one(
            "Do not clear the foreign configuration before you know what it holds; look at it with the controller's tool, then import or clear it.",
        ),
        K::SparesShort => one("Put a new hot spare in, or say that this number is right: raidmond accept OBJECT"),
        K::DiskMissing | K::ArrayMissing | K::ControllerMissing => {
            one("Look whether it was taken out on purpose; if so: raidmond accept OBJECT")
        }
        K::SectorsLost | K::DataLoss | K::CacheDiscarded => one(
            "Find the files hit and restore them from a backup; replacing disks does not repair it. Then: raidmond close INCIDENT --comment \"...\"",
        ),
        K::BatteryFailed | K::BatteryReplace | K::BatteryMissing | K::BatteryWeak => one(
            "Order a new battery or capacitor; until then keep write-through: with write-back a power loss would lose writes.",
        ),
        K::WriteBackLost => one("Look at the battery or capacitor; writes stay slow until it is well again."),
        K::Inconsistencies => {
            one("Run the check again; if inconsistencies come back, suspect a disk, cable or the controller's memory.")
        }
        K::IoErrors | K::IoErrorsArray | K::DeviceOffline => {
            one("Look at the kernel log around the time shown, then at disk, cable and controller.")
        }
        K::Timeouts | K::ControllerResets => {
            one("Look for one slow disk, the cabling and the firmware version of the controller.")
        }
        K::BondLinkDown | K::BondDown | K::BondLinkFailuresGrowing | K::BondLinkMismatch => {
            one("Look at cable, transceiver and switch port of the link that is named.")
        }
        K::BondNoPartner | K::BondLinkIdle => {
            one("Look at the switch: the ports of this bond must be in one LACP group there, all of one speed.")
        }
        K::PartMissing | K::BondMissing => {
            one("Look whether it was taken out on purpose; if so: raidmond accept OBJECT")
        }
        K::PartFailed | K::PartFailedLast | K::PartWarning => {
            one("Look at the enclosure: replace the part that is named.")
        }
        K::FoundInPast => {
            one("Look at the lines below and at what they name. This is told once and closes after a day.")
        }
        K::ChannelFailing => one("See `raidmond doctor`, then `raidmond notify test`."),
        _ => Vec::new(),
    }
}

/// Both are gone after the next start, so the rule that sets them again belongs to it.
fn recovery_steps(disk: Option<&Seen<Disk>>) -> Vec<String> {
    use crate::model::ErrorRecovery;
    let name = disk.and_then(|d| d.facts.device.as_deref()).unwrap_or("/dev/sdX").trim_start_matches("/dev/");
    let said = disk.and_then(|d| d.facts.error_recovery.as_ref());
    let can =
        said.is_none_or(|s| matches!(s.state, ErrorRecovery::Limited { .. }) || !s.said.contains("not supported"));
    let wait = format!("echo 180 > /sys/block/{name}/device/timeout");
    let rule = "ACTION==\"add\", SUBSYSTEM==\"block\", KERNEL==\"sd?\"";
    let (now, then) = match can {
        true => (
            format!("Limit the disk's own tries:   smartctl -l scterc,70,70 /dev/{name}   (if it refuses: {wait})"),
            format!("{rule}, RUN+=\"/usr/sbin/smartctl -l scterc,70,70 /dev/%k\""),
        ),
        false => (format!("Let the kernel wait longer:   {wait}"), format!("{rule}, ATTR{{device/timeout}}=\"180\"")),
    };
    vec![now, format!("To keep it after a restart, in /etc/udev/rules.d/60-raid-timeout.rules:   {then}")]
}
