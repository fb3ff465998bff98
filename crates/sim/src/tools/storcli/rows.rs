//! The rows of storcli's tables, which several commands share.

use super::doc::{Props, Value, props};
use crate::tools::size;
use crate::world::{
    Array, ArrayState, Battery, BatteryKind, BatteryState, Controller, Disk, DiskState, Enclosure, Interface, Level,
    Spare, TaskOn,
};

pub fn vd(c: &Controller, a: &Array) -> Props {
    let cache = format!("{}{}D", read_word(a), write_word(c, a));
    props([
        ("DG/VD", Value::from(format!("{}/{}", a.group, a.number))),
        ("TYPE", level(a.level).into()),
        ("State", vd_state(a.state).into()),
        ("Access", "RW".into()),
        ("Consist", "Yes".into()),
        ("Cache", cache.into()),
        ("Cac", "-".into()),
        ("sCC", "ON".into()),
        ("Size", size::lsi(a.bytes()).into()),
        ("Name", a.name.as_str().into()),
    ])
}

pub fn level(level: Level) -> String {
    format!("RAID{}", level.number())
}

fn read_word(a: &Array) -> &'static str {
    if a.read_ahead { "R" } else { "NR" }
}

fn write_word(c: &Controller, a: &Array) -> &'static str {
    match (c.writes_back(a), a.write_back_always) {
        (true, true) => "AWB",
        (true, false) => "WB",
        (false, _) => "WT",
    }
}

pub fn vd_state(state: ArrayState) -> &'static str {
    match state {
        ArrayState::Optimal => "Optl",
        ArrayState::PartlyDegraded => "Pdgd",
        ArrayState::Degraded => "Dgrd",
        ArrayState::Offline => "OfLn",
    }
}

pub fn pd(c: &Controller, d: &Disk) -> Props {
    let group = group(c, d).map_or_else(|| Value::from(if d.foreign { "F" } else { "-" }), Value::from);
    props([
        ("EID:Slt", Value::from(slot(d))),
        ("DID", d.device_id.into()),
        ("State", pd_state(d).into()),
        ("DG", group),
        ("Size", size::lsi(size::coerced(d.sectors) * 512).into()),
        ("Intf", interface(d).into()),
        ("Med", "HDD".into()),
        ("SED", "N".into()),
        ("PI", "N".into()),
        ("SeSz", "512B".into()),
        ("Model", d.model.as_str().into()),
        ("Sp", "U".into()),
        ("Type", "-".into()),
    ])
}

fn group(c: &Controller, d: &Disk) -> Option<u32> {
    match d.spare {
        Some(Spare::Dedicated(array)) => c.array(array).map(|a| a.group),
        _ => c.array_of(d.device_id).map(|a| a.group),
    }
}

pub fn slot(d: &Disk) -> String {
    format!("{}:{}", d.enclosure.map_or_else(|| " ".to_owned(), |e| e.to_string()), d.slot)
}

fn interface(d: &Disk) -> &'static str {
    match d.interface {
        Interface::Sas => "SAS",
        Interface::Sata | Interface::Scsi => "SATA",
    }
}

pub fn pd_state(d: &Disk) -> &'static str {
    match d.state {
        DiskState::Online => "Onln",
        DiskState::Failed => "Failed",
        DiskState::Offline => "Offln",
        DiskState::Rebuilding => "Rbld",
        DiskState::CopyingBack => "Cpybck",
        DiskState::HotSpare if matches!(d.spare, Some(Spare::Dedicated(_))) => "DHS",
        DiskState::HotSpare => "GHS",
        DiskState::Good => "UGood",
        DiskState::Bad => "UBad",
        DiskState::Jbod => "JBOD",
    }
}

/// Group line, span lines, member lines; spares stand at the end without a group.
pub fn topology(c: &Controller) -> Vec<Props> {
    let mut rows = Vec::new();
    for a in &c.arrays {
        rows.push(group_row(c, a, "-".into()));
        for span in 0..a.spans() {
            rows.push(group_row(c, a, span.into()));
            rows.extend(a.members.iter().filter(|m| m.span == span).map(|m| member_row(c, a, m.span, m.row, m.disk)));
        }
    }
    rows.extend(c.disks.iter().filter(|d| d.state == DiskState::HotSpare).map(spare_row));
    rows
}

fn group_row(c: &Controller, a: &Array, span: Value) -> Props {
    let busy = c.rebuild_in(a).is_some() || c.tasks.iter().any(|t| t.on == TaskOn::Array(a.number));
    let start = [a.group.into(), span, "-".into(), "-".into(), "-".into()];
    topology_row(start, level(a.level), vd_state(a.state), busy, a.bytes())
}

fn member_row(c: &Controller, a: &Array, span: u32, row: u32, id: Option<u32>) -> Props {
    let disk = id.and_then(|id| c.disk(id));
    let slot = Value::from(disk.map_or_else(|| "-".to_owned(), slot));
    let id = disk.map_or_else(|| Value::from("-"), |d| d.device_id.into());
    let state = disk.map_or("Msng", pd_state);
    let bytes = disk.map_or(a.bytes() / a.width().max(1) as u64, |d| size::coerced(d.sectors) * 512);
    let busy = disk.is_some_and(|d| c.tasks.iter().any(|t| t.on == TaskOn::Disk(d.device_id)));
    topology_row([a.group.into(), span.into(), row.into(), slot, id], "DRIVE".into(), state, busy, bytes)
}

fn spare_row(d: &Disk) -> Props {
    let start = ["-".into(), "-".into(), "-".into(), slot(d).into(), d.device_id.into()];
    topology_row(start, "DRIVE".into(), pd_state(d), false, size::coerced(d.sectors) * 512)
}

fn topology_row(start: [Value; 5], kind: String, state: &str, busy: bool, bytes: u64) -> Props {
    let [group, span, row, slot, id] = start;
    let free = if kind == "DRIVE" { "-" } else { "N" };
    props([
        ("DG", group),
        ("Arr", span),
        ("Row", row),
        ("EID:Slot", slot),
        ("DID", id),
        ("Type", kind.into()),
        ("State", state.into()),
        ("BT", if busy { "Y" } else { "N" }.into()),
        ("Size", size::lsi(bytes).into()),
        ("PDC", "dflt".into()),
        ("PI", "N".into()),
        ("SED", "N".into()),
        ("DS3", "dflt".into()),
        ("FSpace", free.into()),
        ("TR", "N".into()),
    ])
}

pub fn enclosure(c: &Controller, e: &Enclosure) -> Props {
    let disks = c.disks.iter().filter(|d| d.enclosure == Some(e.id)).count();
    props([
        ("EID", Value::from(e.id)),
        ("State", "OK".into()),
        ("Slots", e.slots.into()),
        ("PD", disks.into()),
        ("PS", e.supplies.len().into()),
        ("Fans", e.fans.len().into()),
        ("TSs", e.sensors.len().into()),
        ("Alms", 0u32.into()),
        ("SIM", 1u32.into()),
        ("Port#", "00 & 01".into()),
        ("ProdID", e.product.as_str().into()),
        ("VendorSpecific", " ".into()),
    ])
}

/// The battery's line in `show all`, and the title of its table.
pub fn battery(b: &Battery, learn: String) -> (&'static str, Props) {
    let (model, temp) = (Value::from(b.model.as_str()), Value::from(format!("{}C", b.temperature)));
    let state = Value::from(battery_word(b));
    if b.kind == BatteryKind::CacheVault {
        let row = props([
            ("Model", model),
            ("State", state),
            ("Temp", temp),
            ("Mode", "-".into()),
            ("MfgDate", "2015/03/17".into()),
        ]);
        return ("Cachevault_Info", row);
    }
    let row = props([
        ("Model", model),
        ("State", state),
        ("RetentionTime", if b.protects() { "48 hours +" } else { "0 hour(s)" }.into()),
        ("Temp", temp),
        ("Mode", "4".into()),
        ("MfgDate", "2015/03/17".into()),
        ("Next Learn", learn.into()),
    ]);
    ("BBU_Info", row)
}

pub fn battery_word(b: &Battery) -> &'static str {
    match b.state {
        BatteryState::Optimal => "Optimal",
        BatteryState::Learning => "Learning",
        BatteryState::Failed => "Failed",
        BatteryState::Missing => "Missing",
    }
}
