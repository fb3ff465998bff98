//! Fans, power supplies, sensors and links.

use super::arrays::source;
use super::{ConditionKind as K, Context, Subject};
use crate::model::{ObjectKind, Part, PartKind, PartState};

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for enclosure in &view.enclosures {
        for part in &enclosure.facts.parts {
            let works = |p: &Part| matches!(p.state.state, PartState::Ok | PartState::Warning);
            let siblings_ok = enclosure.facts.parts.iter().any(|p| p.kind == part.kind && works(p));
            let Some(kind) = kind(part, siblings_ok) else { continue };
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

fn kind(part: &Part, siblings_ok: bool) -> Option<K> {
    let redundant = matches!(part.kind, PartKind::Fan | PartKind::PowerSupply | PartKind::Link);
    match part.state.state {
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
        PartKind::Whole => "enclosure",
    };
    if part.name.to_lowercase().contains(noun) { part.name.clone() } else { format!("{noun} {}", part.name) }
}
