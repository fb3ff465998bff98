//! Fans, power supplies, sensors and links.

use super::arrays::source;
use super::{ConditionKind as K, Context, Subject};
use crate::host::Seen;
use crate::model::{Enclosure, ObjectKind, Part, PartKind, PartState};

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for enclosure in &view.enclosures {
        for part in &enclosure.facts.parts {
            let siblings_ok = enclosure.facts.parts.iter().any(|p| p.kind == part.kind && works(p));
            let was_there = remember(cx, enclosure, part);
            let Some(kind) = kind(part, siblings_ok, was_there) else { continue };
            let subject = Subject {
                key: format!("o{}/{}", enclosure.id, part.name),
                name: format!("{} {}", enclosure.name, part.name),
                kind: ObjectKind::Enclosure,
                id: Some(enclosure.id),
            };
            let headline = format!("enclosure {}: {} \"{}\"", enclosure.name, part_words(part), part.state.said);
            cx.find(kind, subject, headline, source(enclosure), &part.state.said);
        }
    }
}

fn works(part: &Part) -> bool {
    matches!(part.state.state, PartState::Ok | PartState::Warning)
}

/// A power supply that was pulled is "not installed", like the place that never had one.
fn remember(cx: &mut Context<'_>, enclosure: &Seen<Enclosure>, part: &Part) -> bool {
    if !matches!(part.kind, PartKind::Fan | PartKind::PowerSupply) {
        return false;
    }
    let known = cx.memory.parts_known.entry(enclosure.id).or_default();
    if works(part) {
        known.insert(part.name.clone());
    }
    known.contains(&part.name)
}

fn kind(part: &Part, siblings_ok: bool, was_there: bool) -> Option<K> {
    let redundant = matches!(part.kind, PartKind::Fan | PartKind::PowerSupply | PartKind::Link);
    match part.state.state {
        PartState::NotInstalled if was_there => Some(if siblings_ok { K::PartMissing } else { K::PartFailedLast }),
        PartState::Ok | PartState::NotInstalled => None,
        PartState::Failed if redundant && !siblings_ok => Some(K::PartFailedLast),
        PartState::Failed => Some(K::PartFailed),
        PartState::Warning => Some(K::PartWarning),
        PartState::Unknown => Some(K::UnknownWord),
    }
}

fn part_words(part: &Part) -> String {
    let noun = match part.kind {
        PartKind::Fan => "fan",
        PartKind::PowerSupply => "power supply",
        PartKind::TemperatureSensor => "temperature sensor",
        PartKind::Link => "link",
        PartKind::VoltageSensor => "voltage sensor",
        PartKind::Alarm => "alarm",
        PartKind::Slot => "slot",
        PartKind::Whole => "enclosure",
        PartKind::Other => return part.name.clone(),
    };
    if part.name.to_lowercase().contains(noun) { part.name.clone() } else { format!("{noun} {}", part.name) }
}
