//! Answers that end too early. Text says nowhere that it is over, so each question has a line that
//! must be there; JSON that parses is whole. A cut between two complete objects of one list that is
//! not counted cannot be seen here.

use super::{Gathered, Place, controller};
use crate::scan;
use crate::storcli::parse::Reply;
use crate::storcli::recognise::{ARRAYS, DRIVES, DRIVES_SHORT, ENCLOSURES, OTHER, OVERVIEW, SHOW, SHOW_ALL};
use raidmond_core::survey::{Answer, NoteKind};

pub fn lower(all: &mut Gathered, place: &Place<'_>, answer: &Answer, whole: bool) {
    nameless_rows(all, place);
    too_few_controllers(all, place);
    if whole || !answer.outcome.ended() || (place.reply.failed() && !place.reply.has_body()) {
        return;
    }
    if place.reply.sections.iter().any(|s| s.torn) || lacks_its_end(place) {
        let said = format!("the answer of storcli to `{}` is cut off", answer.asked);
        all.reading.note(NoteKind::Unreadable, place.at.clone(), said);
    }
}

fn lacks_its_end(place: &Place<'_>) -> bool {
    let reply = place.reply;
    match place.kind {
        OVERVIEW => reply.property("Number of Controllers").or_else(|| reply.property("Controller Count")).is_none(),
        SHOW | SHOW_ALL => !lists_disks(reply),
        OTHER => controller::is_summary(reply) && !lists_disks(reply),
        ARRAYS | DRIVES | DRIVES_SHORT | ENCLOSURES => !reply.has_body() && says_nothing(reply),
        _ => false,
    }
}

/// The disks are the last of what health needs in a summary; arrays stand before them. Host adapters
/// and some versions print the list without counting it.
fn lists_disks(reply: &Reply) -> bool {
    let counted = ["Physical Drives", "JBOD Drives"].iter().any(|name| reply.property(name).is_some());
    counted || reply.rows_with("EID:Slt").next().is_some()
}

/// "No VDs have been configured" is an answer; "None" is the start of one.
fn says_nothing(reply: &Reply) -> bool {
    reply.description.as_deref().is_none_or(|d| d.trim().is_empty() || d.trim().eq_ignore_ascii_case("none"))
}

/// A row that does not say whose it is must not vanish.
fn nameless_rows(all: &mut Gathered, place: &Place<'_>) {
    for (list, column) in [("VD LIST", "DG/VD"), ("PD LIST", "EID:Slt")] {
        if place.reply.titled(list).flat_map(|s| &s.rows).any(|row| row.get(column).is_none()) {
            let said = format!("a row of {list} has no {column}");
            all.reading.note(NoteKind::Unreadable, place.at.clone(), said);
        }
    }
}

fn too_few_controllers(all: &mut Gathered, place: &Place<'_>) {
    let Some(count) = place.reply.property("Number of Controllers").and_then(scan::count) else { return };
    let listed = place.reply.rows_with("Ctl").count() as u64;
    if listed < count {
        let said = format!("Number of Controllers = {count}, but {listed} are listed");
        all.reading.note(NoteKind::FewerThanCounted, Default::default(), said);
    }
}
