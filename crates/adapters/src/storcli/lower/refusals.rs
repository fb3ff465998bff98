//! `Status = Failure`: of the whole command, of one drive, or of something that is not there. What the
//! answer shows besides is read whatever the status says.

use super::{Gathered, Place, disks};
use crate::storcli::parse::{DETAILED_STATUS, Reply, Row, stated};
use crate::storcli::recognise::{ARRAYS, DRIVES, DRIVES_SHORT, OTHER, OVERVIEW, SHOW, SHOW_ALL};
use crate::storcli::vocabulary;
use raidmond_core::model::{ArrayState, CacheState, DiskState, Finding, FindingKind, Path};
use raidmond_core::survey::{Answer, NoteKind, Reading};

pub fn lower(all: &mut Gathered, place: &Place<'_>, answer: &Answer) {
    let rows: Vec<&Row> = place.reply.titled(DETAILED_STATUS).flat_map(|s| &s.rows).collect();
    // Other commands name a drive where they refuse to do something with it.
    let lists_drives = matches!(place.kind, DRIVES | DRIVES_SHORT) || place.reply.has_body();
    for row in rows.iter().filter(|_| lists_drives) {
        if let Some(disk) = row.get("Drive").and_then(disks::path_in) {
            silent_drive(&mut all.reading, &disk, row);
        }
    }
    if place.reply.failed() {
        let reason = reason(place.reply, &rows);
        refused(all, place, answer, &reason);
    }
}

/// One drive that does not answer makes the whole command fail.
fn silent_drive(reading: &mut Reading, disk: &Path, row: &Row) {
    if row.get("Status").is_none_or(|s| s.eq_ignore_ascii_case("success")) {
        return;
    }
    let text = |name: &str| row.stated(name).unwrap_or("-").to_owned();
    let said = format!("the drive does not answer: {}, error {}, {}", text("Status"), text("ErrCd"), text("ErrMsg"));
    reading.findings.push(Finding::new(disk.clone(), FindingKind::ToolReportsFault, said));
}

fn reason(reply: &Reply, rows: &[&Row]) -> String {
    let mut parts: Vec<String> =
        reply.description.iter().filter(|d| stated(d) && !d.eq_ignore_ascii_case("none")).cloned().collect();
    parts
        .extend(rows.iter().filter(|r| r.get("Drive").is_none()).filter_map(|r| r.stated("ErrMsg")).map(str::to_owned));
    parts.dedup();
    if parts.is_empty() { "Failure".to_owned() } else { parts.join(": ") }
}

fn refused(all: &mut Gathered, place: &Place<'_>, answer: &Answer, reason: &str) {
    let lower = reason.to_ascii_lowercase();
    if lower.contains("foreign config") && !lower.contains("no foreign") {
        let finding = Finding::new(place.at.clone(), FindingKind::ForeignConfiguration, reason);
        all.reading.findings.push(finding);
    }
    let at = place.at.clone();
    let said = format!("`{}` was refused: {reason}", answer.asked);
    let essential = matches!(place.kind, OVERVIEW | SHOW | SHOW_ALL | ARRAYS | DRIVES | DRIVES_SHORT | OTHER);
    let nothing_there = vocabulary::NOTHING_THERE.iter().any(|w| lower.contains(w));
    // Host adapters do not know the commands for arrays.
    let adapter = place.kind == ARRAYS && lower.contains("un-supported command");
    let kind = match (essential && !place.reply.has_body(), nothing_there || adapter) {
        (true, false) => NoteKind::CommandRefused,
        _ => NoteKind::Remark,
    };
    if lower.contains("no controller found") || lower.contains("not found") && lower.starts_with("controller") {
        return all.reading.note(NoteKind::FewerThanCounted, at, said);
    }
    if lower.contains("deprecated") || lower.contains("syntax error") {
        let remedy = "this version of the tool knows another syntax; upgrade raidmond or the tool";
        return all.reading.note_with_remedy(kind, at, said, remedy);
    }
    all.reading.note(kind, at, said);
}

/// "Needs Attention" without a reason in sight must not read as well.
pub fn unexplained(reading: &mut Reading, at: Path, word: &str) {
    let said = format!("Controller Status: {word}, and nothing else in the answer says why");
    reading.findings.push(Finding::new(at, FindingKind::ToolReportsFault, said));
}

/// Whether anything in a reading could be why a controller is not content.
pub fn shows_trouble(reading: &Reading) -> bool {
    let arrays = reading.arrays.iter().filter_map(|a| a.state.as_ref()).any(|s| s.state != ArrayState::Optimal);
    let well = [
        DiskState::Online,
        DiskState::HotSpare,
        DiskState::UnconfiguredGood,
        DiskState::Jbod,
        DiskState::SpunDown,
        DiskState::Empty,
    ];
    let disks = reading.disks.iter().any(|d| {
        d.state.as_ref().is_some_and(|s| !well.contains(&s.state))
            || d.predictive.as_ref().is_some_and(|p| p.state)
            || d.foreign == Some(true)
    });
    let good = [CacheState::Optimal, CacheState::NotFitted];
    let caches = reading.caches.iter().filter_map(|c| c.state.as_ref()).any(|s| !good.contains(&s.state));
    let memory = |n: Option<u64>| n.is_some_and(|n| n > 0);
    let cards = reading
        .controllers
        .iter()
        .any(|c| memory(c.memory_correctable_errors) || memory(c.memory_uncorrectable_errors));
    arrays || disks || caches || cards || !reading.findings.is_empty() || !reading.notes.is_empty()
}
