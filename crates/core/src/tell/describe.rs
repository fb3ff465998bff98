//! Objects in words.

use crate::diagnose::{Condition, redundancy};
use crate::host::{Seen, View};
use crate::model::{Array, ArrayState, Disk};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

/// "Array data (c0/v0, RAID 5 of 7 disks, 21.8 TiB, /dev/sda on /srv) runs degraded."
pub(crate) fn array_now(view: &View, array: &Seen<Array>) -> String {
    let facts = &array.facts;
    let mut parts = vec![array.name.clone()];
    // One known member of several says nothing of how many there are.
    let counted = Some(view.members(array).count() as u32).filter(|n| *n > 1);
    let disks = facts.width.or(counted).unwrap_or(0);
    if let Some(level) = facts.level {
        parts.push(if disks > 0 { format!("{} of {disks} disks", level.word()) } else { level.word().to_owned() });
    }
    parts.extend(facts.size_bytes.map(bytes));
    if let Some(device) = &facts.device {
        let on = if facts.mounts.is_empty() { String::new() } else { format!(" on {}", facts.mounts.join(", ")) };
        parts.push(format!("{device}{on}"));
    }
    let name = facts.name.as_deref().map(|n| format!(" {n}")).unwrap_or_default();
    let r = redundancy(view, array);
    let how = match facts.state.as_ref().map(|s| s.state) {
        Some(ArrayState::Failed) => "does not serve its data".to_owned(),
        _ if r.restoring => {
            format!("is being rebuilt{}", r.percent.map(|p| format!(" ({p:.0} %)")).unwrap_or_default())
        }
        _ if r.reduced() => "runs degraded".to_owned(),
        Some(ArrayState::Optimal) => "is optimal".to_owned(),
        Some(_) => format!("is in state \"{}\"", facts.state.as_ref().map(|s| s.said.as_str()).unwrap_or("")),
        None => "has no known state".to_owned(),
    };
    format!("Array{name} ({}) {how}.", parts.join(", "))
}

/// The same when newer lines may contradict it: with the time of the look, where that showed health.
pub(crate) fn array_before(view: &View, array: &Seen<Array>, zone: &TimeZone) -> String {
    let now = array_now(view, array);
    match now.strip_suffix(" is optimal.") {
        Some(start) => {
            let at = array.at.to_zoned_datetime(zone.clone()).strftime("%H:%M:%S");
            format!("{start} was optimal when last read, at {at}.")
        }
        None => now,
    }
}

/// "disk 32:5 (enclosure 32, slot 5, SEAGATE ST4000NM0023, serial Z1Z2ABCD)".
pub(crate) fn disk(view: &View, disk: &Seen<Disk>) -> String {
    let f = &disk.facts;
    let mut parts = Vec::new();
    parts.extend(f.enclosure.as_deref().filter(|e| !e.is_empty()).map(|e| format!("enclosure {e}")));
    parts.extend(f.slot.as_deref().map(|s| format!("slot {s}")));
    let model = [f.vendor.as_deref(), f.model.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    if !model.is_empty() {
        parts.push(model);
    }
    parts.extend(f.serial.as_deref().map(|s| format!("serial {s}")));
    parts.extend(f.device_id.as_deref().map(|d| format!("Device Id {d}")));
    let label = view.disk_label(&disk.name);
    if parts.is_empty() { format!("disk {label}") } else { format!("disk {label} ({})", parts.join(", ")) }
}

/// The condition's headline with the disk fully named.
pub(crate) fn disk_condition(view: &View, seen: &Seen<Disk>, condition: &Condition) -> String {
    if seen.facts.at.is_missing_member() {
        return condition.headline.clone();
    }
    let short = format!("disk {}", view.disk_label(&seen.name));
    match condition.headline.strip_prefix(&short) {
        Some(rest) => format!("{}{rest}", disk(view, seen)),
        None => format!("{}: {}", disk(view, seen), condition.headline),
    }
}

pub(crate) fn time(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
}

/// Binary units, as tools count them.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit < UNITS.len() - 1 {
        value /= 1024.0;
        unit += 1;
    }
    if value < 10.0 && unit > 0 {
        format!("{value:.2} {}", UNITS[unit])
    } else if value < 100.0 && unit > 0 {
        format!("{value:.1} {}", UNITS[unit])
    } else {
        format!("{value:.0} {}", UNITS[unit])
    }
}

/// As disks are sold: "4.0 TB".
pub fn sold_size(n: u64) -> String {
    if n >= 1_000_000_000_000 { format!("{:.1} TB", n as f64 / 1e12) } else { format!("{:.0} GB", n as f64 / 1e9) }
}

/// "4 s", "12 min", "3 h", "5 days".
pub fn duration(d: SignedDuration) -> String {
    let s = d.as_secs().max(0);
    match s {
        0..=119 => format!("{s} s"),
        120..=7199 => format!("{} min", (s + 30) / 60),
        7200..=172_799 => format!("{} h", (s + 1800) / 3600),
        _ => format!("{} days", (s + 43_200) / 86_400),
    }
}
