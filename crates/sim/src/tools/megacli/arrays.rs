//! `-LDInfo` and `-LdPdInfo`.

use super::{Call, disks};
use crate::tools::size;
use crate::world::{Array, ArrayState, Controller, Level, TaskKind, TaskOn};
use std::fmt::Write;

pub fn list(c: &Controller, call: &Call) -> String {
    let shown: Vec<String> = c.arrays.iter().filter(|a| call.takes_array(a.number)).map(|a| array(c, a)).collect();
    if shown.is_empty() {
        return format!("\nAdapter {} -- No Virtual Drive Configured.\n", c.number);
    }
    format!("\nAdapter {} -- Virtual Drive Information:\n{}", c.number, shown.join("\n\n"))
}

fn array(c: &Controller, a: &Array) -> String {
    let state = match a.state {
        ArrayState::Optimal => "Optimal",
        ArrayState::PartlyDegraded => "Partially Degraded",
        ArrayState::Degraded => "Degraded",
        ArrayState::Offline => "Offline",
    };
    let (primary, secondary, qualifier) = match a.level {
        Level::Raid0 => (0, 0, 0),
        Level::Raid1 => (1, 0, 0),
        Level::Raid5 => (5, 0, 3),
        Level::Raid6 => (6, 0, 3),
        Level::Raid10 => (1, 3, 0),
    };
    let redundant = match a.level {
        Level::Raid0 => String::new(),
        Level::Raid1 | Level::Raid10 => format!("Mirror Data         : {}\n", size::lsi(a.bytes())),
        Level::Raid5 | Level::Raid6 => {
            let parity = a.level.tolerance() as u64 * a.bytes() / (a.width() - a.level.tolerance()).max(1) as u64;
            format!("Parity Size         : {}\n", size::lsi(parity))
        }
    };
    let per_span = if a.spans() > 1 { " per span" } else { "    " };
    let mut out = format!(
        "Virtual Drive: {n} (Target Id: {n})\nName                :{name}\nRAID Level          : Primary-{primary}, Secondary-{secondary}, RAID Level Qualifier-{qualifier}\n\
         Size                : {size}\nSector Size         : 512\nIs VD emulated      : No\n{redundant}State               : {state}\nStrip Size          : {strip} KB\n\
         Number Of Drives{per_span}: {drives}\nSpan Depth          : {spans}\n\
         Default Cache Policy: {default}\nCurrent Cache Policy: {current}\nDefault Access Policy: Read/Write\nCurrent Access Policy: Read/Write\n\
         Disk Cache Policy   : Disk's Default\n",
        n = a.number,
        name = a.name,
        size = size::lsi(a.bytes()),
        strip = a.strip_kb,
        drives = a.width() / a.spans().max(1) as usize,
        spans = a.spans(),
        default = policy(a, a.write_back),
        current = policy(a, c.writes_back(a)),
    );
    if let Some(task) = c.task(TaskKind::Check, TaskOn::Array(a.number)) {
        let minutes = (task.percent / task.speed.max(1e-9) / 60.0) as u64;
        let _ = writeln!(
            out,
            "Ongoing Progresses:\n  Check Consistency        : Completed {}%, Taken {minutes} min.",
            task.percent as u64
        );
    }
    let _ = write!(
        out,
        "Encryption Type     : None\nDefault Power Savings Policy: Controller Defined\nCurrent Power Savings Policy: None\nCan spin up in 1 minute: No\n\
         LD has drives that support T10 power conditions: No\nLD's IO profile supports MAX power savings with cached writes: No\nBad Blocks Exist: {}\nPI type: No PI\n\nIs VD Cached: No\n",
        if a.bad_blocks { "Yes" } else { "No" }
    );
    out
}

fn policy(a: &Array, write_back: bool) -> String {
    let write = if write_back { "WriteBack" } else { "WriteThrough" };
    let read = if a.read_ahead { "ReadAhead" } else { "ReadAheadNone" };
    let bad = if a.write_back_always { "Write Cache OK if Bad BBU" } else { "No Write Cache if Bad BBU" };
    format!("{write}, {read}, Direct, {bad}")
}

pub fn with_disks(c: &Controller) -> String {
    let mut out = format!("\nAdapter #{}\n\nNumber of Virtual Disks: {}\n", c.number, c.arrays.len());
    for a in &c.arrays {
        out.push_str(&array(c, a));
        let per_span = a.width() / a.spans().max(1) as usize;
        let _ = writeln!(out, "Number of Spans: {}", a.spans());
        for span in 0..a.spans() {
            let _ = writeln!(out, "Span: {span} - Number of PDs: {per_span}\n");
            for m in a.members.iter().filter(|m| m.span == span) {
                let shown = m.disk.and_then(|id| c.disk(id)).map(|d| disks::disk(c, d)).unwrap_or_default();
                let _ = writeln!(out, "PD: {} Information\n{shown}", m.row);
            }
        }
    }
    out
}
