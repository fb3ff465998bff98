//! The words of enclosures. Sources: SES-3 (T10), element status codes and flags as sg_ses prints them (sg3_utils 1.25 to
//! 1.48), drivers/misc/enclosure.c.

use crate::{Said, Term};
use raidmond_core::model::{PartKind, PartState};

const STATUS: &str = "element status";
const FLAG: &str = "element flag";

pub static TERMS: &[Term] = &[
    term(STATUS, "OK", PartState::Ok),
    term(STATUS, "Non-critical", PartState::Warning),
    term(STATUS, "Critical", PartState::Failed),
    term(STATUS, "Unrecoverable", PartState::Failed),
    term(STATUS, "Not installed", PartState::NotInstalled),
    // The enclosure says nothing of this element.
    term(STATUS, "Unsupported", PartState::NotInstalled),
    // No state is known to the enclosure: of a fan or a power supply that wants a look.
    term(STATUS, "Unknown", PartState::Warning),
    term(STATUS, "Not available", PartState::Warning),
    term(STATUS, "Unavailable", PartState::Warning),
    term(STATUS, "No access allowed", PartState::NotInstalled),
    term(FLAG, "Fail", PartState::Failed),
    term(FLAG, "Fault sensed", PartState::Failed),
    term(FLAG, "AC fail", PartState::Failed),
    term(FLAG, "DC fail", PartState::Failed),
    term(FLAG, "DC overvoltage", PartState::Failed),
    term(FLAG, "DC undervoltage", PartState::Failed),
    term(FLAG, "DC overcurrent", PartState::Failed),
    term(FLAG, "Overtmp fail", PartState::Failed),
    term(FLAG, "Overtemperature fail", PartState::Failed),
    term(FLAG, "OT failure", PartState::Failed),
    term(FLAG, "UT failure", PartState::Failed),
    term(FLAG, "Crit Over", PartState::Failed),
    term(FLAG, "Crit Under", PartState::Failed),
    term(FLAG, "Failure indication", PartState::Failed),
    term(FLAG, "Predicted failure", PartState::Warning),
    term(FLAG, "Temperature warn", PartState::Warning),
    term(FLAG, "OT warning", PartState::Warning),
    term(FLAG, "UT warning", PartState::Warning),
    term(FLAG, "Warn Over", PartState::Warning),
    term(FLAG, "Warn Under", PartState::Warning),
    term(FLAG, "Warning indication", PartState::Warning),
    term(FLAG, "Off", PartState::Warning),
];

const fn term(of: &'static str, word: &'static str, state: PartState) -> Term {
    Term { of, word, means: Said::Part(state) }
}

fn find(of: &str, word: &str) -> Option<PartState> {
    let exact = TERMS.iter().find(|t| t.of == of && t.word.eq_ignore_ascii_case(word.trim()));
    match exact.map(|t| t.means) {
        Some(Said::Part(state)) => Some(state),
        _ => None,
    }
}

/// Of slots and sensors an enclosure often knows no state, by design.
pub fn status(word: &str, kind: PartKind) -> PartState {
    let matters = matches!(kind, PartKind::PowerSupply | PartKind::Fan);
    match find(STATUS, word).unwrap_or(PartState::Unknown) {
        PartState::Warning if !matters && !word.trim().eq_ignore_ascii_case("non-critical") => PartState::NotInstalled,
        state => state,
    }
}

/// A flag that is set.
pub fn flag(word: &str) -> Option<PartState> {
    find(FLAG, word)
}

/// Element types as sg_ses names them.
pub fn kind(word: &str) -> PartKind {
    match word.to_ascii_lowercase().as_str() {
        "array device slot" | "device slot" | "array device" | "device" => PartKind::Slot,
        "power supply" | "uninterruptible power supply" => PartKind::PowerSupply,
        "cooling" => PartKind::Fan,
        "temperature sensor" => PartKind::TemperatureSensor,
        "voltage sensor" => PartKind::VoltageSensor,
        "audible alarm" => PartKind::Alarm,
        _ => PartKind::Other,
    }
}
