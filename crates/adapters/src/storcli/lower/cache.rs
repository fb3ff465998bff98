//! Battery, CacheVault, energy pack. Values are found by name, bits are tested one by one, "N/A" is no
//! value, and the worst of what is said of a pack stands.

use super::controller::yes;
use super::{Gathered, Place};
use crate::scan;
use crate::storcli::parse::{Row, Section, stated};
use crate::storcli::vocabulary;
use raidmond_core::model::{CacheKind, CacheProtection, CacheState, Observed, Path};
use raidmond_core::survey::Reading;

pub fn lower(all: &mut Gathered, place: &Place<'_>) {
    for (_, row) in place.reply.rows_with("Ctl") {
        overview(&mut all.reading, row);
    }
    for section in &place.reply.sections {
        let title = section.title.to_ascii_lowercase();
        if title.ends_with("_info") && title.contains("design") || title.contains("capacity") {
            continue;
        }
        if let Some(kind) = kind_of(&title) {
            pack(&mut all.reading, place.at, kind, section);
        } else if title.ends_with("firmware_status") {
            firmware(&mut all.reading, place.at, section);
        } else if title == "gasgaugestatus" {
            gauge(&mut all.reading, place.at, section);
        } else if title == "status" {
            mask(&mut all.reading, place.at, section);
        } else if title == "hwcfg" {
            fitted(&mut all.reading, place.at, section);
        }
    }
}

fn kind_of(title: &str) -> Option<CacheKind> {
    match title {
        "cachevault_info" => Some(CacheKind::Supercapacitor),
        "bbu_info" => Some(CacheKind::Battery),
        "energy pack info" | "energy_pack_info" | "energypack_info" => Some(CacheKind::Unknown),
        _ => None,
    }
}

/// The pack of a controller: there is one. Its kind is kept once known.
fn cache<'a>(reading: &'a mut Reading, controller: &Path, kind: CacheKind) -> &'a mut CacheProtection {
    let at = controller.child("battery");
    let index = reading.caches.iter().position(|c| c.at == at).unwrap_or_else(|| {
        reading.caches.push(CacheProtection::new(at, kind));
        reading.caches.len() - 1
    });
    let cache = &mut reading.caches[index];
    if cache.kind == CacheKind::Unknown {
        cache.kind = kind;
    }
    cache
}

fn worsen(cache: &mut CacheProtection, state: CacheState, said: &str) {
    let before = cache.state.as_ref().map_or(-1, |s| rank(s.state));
    if rank(state) > before {
        cache.state = Some(Observed::new(state, said));
    }
}

fn rank(state: CacheState) -> i32 {
    match state {
        CacheState::NotFitted => 0,
        CacheState::Optimal => 1,
        CacheState::Charging => 2,
        CacheState::Learning => 3,
        CacheState::Unknown => 4,
        CacheState::Weak => 5,
        CacheState::Missing => 6,
        CacheState::Failed => 7,
    }
}

fn say(reading: &mut Reading, controller: &Path, kind: CacheKind, field: &str, word: &str) {
    let state = vocabulary::cache_state(word);
    if state.is_none() {
        reading.unknown_word(controller.child("battery"), field, word);
    }
    worsen(cache(reading, controller, kind), state.unwrap_or(CacheState::Unknown), word);
}

/// `BBU` of the overview.
fn overview(reading: &mut Reading, row: &Row) {
    let (Some(number), Some(word)) = (row.get("Ctl"), row.stated("BBU")) else { return };
    let at = Path::controller(number);
    say(reading, &at, CacheKind::Unknown, "battery state", word);
}

/// The short row (`Model State Temp`) or the long list of names and values.
fn pack(reading: &mut Reading, at: &Path, kind: CacheKind, section: &Section) {
    for row in &section.rows {
        if let Some(word) = row.stated("State").or_else(|| row.stated("Status")) {
            say(reading, at, kind, "battery state", word);
        }
        let pack = cache(reading, at, kind);
        pack.model = row.stated("Model").or_else(|| row.stated("Type")).map(str::to_owned).or(pack.model.take());
        pack.temperature_celsius = row.stated("Temp").and_then(scan::number).or(pack.temperature_celsius);
    }
    if section.properties.is_empty() {
        return;
    }
    if let Some(word) = section.property("State").or_else(|| section.property("Battery State")) {
        say(reading, at, kind, "battery state", word);
    }
    let pack = cache(reading, at, kind);
    pack.model = section.property("Type").map(str::to_owned).or(pack.model.take());
    pack.temperature_celsius = section.property("Temperature").and_then(scan::number).or(pack.temperature_celsius);
    pack.voltage_millivolts = section.property("Voltage").and_then(scan::number).or(pack.voltage_millivolts);
}

/// Names that say, by "Yes", that something is amiss with the pack.
const COMPLAINTS: &[(&str, CacheState)] = &[
    ("Battery Pack Missing", CacheState::Missing),
    ("Learn Cycle Timeout", CacheState::Weak),
    ("I2C Errors Detected", CacheState::Weak),
    ("Remaining Capacity Low", CacheState::Weak),
    ("No space to cache offload", CacheState::Weak),
    ("Pack is about to fail & should be replaced", CacheState::Weak),
    ("Replacement required", CacheState::Weak),
];

/// Names whose good value is "OK".
const HEALTHS: &[&str] = &["NVCache State", "Voltage", "Temperature", "Learn Cycle Status"];

fn firmware(reading: &mut Reading, at: &Path, section: &Section) {
    let kind = match section.title.to_ascii_lowercase().as_str() {
        "bbu_firmware_status" => CacheKind::Battery,
        _ => CacheKind::Unknown,
    };
    let battery = at.child("battery");
    for (name, state) in COMPLAINTS {
        let Some(value) = section.property(name).map(str::to_owned) else { continue };
        let Some(complains) = yes(reading, &battery, name, &value) else { continue };
        let said = format!("{name}: {value}");
        let pack = cache(reading, at, kind);
        if complains {
            worsen(pack, *state, &said);
        }
        if name.contains("eplace") && (complains || pack.replace.is_none()) {
            pack.replace = Some(Observed::new(complains, said));
        }
    }
    for name in HEALTHS {
        if let Some(value) = section.property(name).filter(|v| !v.eq_ignore_ascii_case("ok")).filter(|v| stated(v)) {
            worsen(cache(reading, at, kind), CacheState::Weak, &format!("{name}: {value}"));
        }
    }
    if let Some(value) = section.property("Learn Cycle Active").map(str::to_owned) {
        let learning = yes(reading, &battery, "Learn Cycle Active", &value);
        cache(reading, at, kind).learning = learning;
    }
}

fn gauge(reading: &mut Reading, at: &Path, section: &Section) {
    let percent = section.property("Relative State of Charge").and_then(scan::percent);
    if let Some(percent) = percent {
        cache(reading, at, CacheKind::Unknown).charge_percent = Some(percent as u64);
    }
}

/// `BBU Status` and `Energy Pack Status`: a number made of bits.
fn mask(reading: &mut Reading, at: &Path, section: &Section) {
    for (name, kind) in [("BBU Status", CacheKind::Unknown), ("Energy Pack Status", CacheKind::Unknown)] {
        let Some(value) = section.property(name).map(str::to_owned) else { continue };
        match value.trim().parse::<u32>().ok() {
            Some(bits) => status_bits(reading, at, kind, name, bits),
            None => reading.unknown_word(at.child("battery"), name, &value),
        }
    }
}

fn status_bits(reading: &mut Reading, at: &Path, kind: CacheKind, name: &str, bits: u32) {
    let set = |bit: &u32| bits & (1 << bit) != 0;
    let known: Vec<_> = vocabulary::BATTERY_BITS.iter().filter(|(bit, _, _)| set(bit)).collect();
    let words: Vec<&str> = known.iter().map(|(_, word, _)| *word).collect();
    let said =
        if words.is_empty() { format!("{name}: {bits}") } else { format!("{name}: {bits} ({})", words.join(", ")) };
    let strange = (0..u32::BITS).any(|bit| set(&bit) && !vocabulary::BATTERY_BITS.iter().any(|(b, _, _)| *b == bit));
    if strange {
        reading.unknown_word(at.child("battery"), name, &bits.to_string());
    }
    let pack = cache(reading, at, kind);
    worsen(pack, if strange { CacheState::Unknown } else { CacheState::Optimal }, &said);
    for state in known.iter().filter_map(|(_, _, state)| *state) {
        worsen(pack, state, &said);
    }
    if set(&10) {
        pack.replace = Some(Observed::new(true, said));
    }
    if set(&6) {
        pack.learning = Some(true);
    }
}

/// `BBU` or `Energy Pack` of the hardware list.
fn fitted(reading: &mut Reading, at: &Path, section: &Section) {
    let Some(word) = section.property("BBU").or_else(|| section.property("Energy Pack")) else { return };
    let present = word.eq_ignore_ascii_case("present");
    let absent = word.eq_ignore_ascii_case("absent");
    if present || absent {
        reading.controller(at).cache_protection_fitted = Some(present);
    }
    if absent {
        worsen(cache(reading, at, CacheKind::Unknown), CacheState::NotFitted, word);
    }
}

/// After all answers: a pack that is not fitted is not "optimal" because its status word is zero, and
/// what a learn cycle brings with it is no weakness.
pub fn settle(reading: &mut Reading) {
    let Reading { caches, controllers, .. } = reading;
    for pack in caches {
        let root = pack.at.root();
        let absent = controllers.iter().any(|c| c.at == root && c.cache_protection_fitted == Some(false));
        let Some(state) = &mut pack.state else { continue };
        if absent && state.state == CacheState::Optimal {
            *state = Observed::new(CacheState::NotFitted, "Absent");
        }
        // iBBUs say "Unknown" while they learn.
        let unsaid = state.state == CacheState::Unknown && state.said.eq_ignore_ascii_case("unknown");
        let expected = unsaid || matches!(state.state, CacheState::Weak | CacheState::Charging);
        let replace = pack.replace.as_ref().is_some_and(|r| r.state);
        let stuck = ["failed", "timed out", "Timeout", "I2C"].iter().any(|w| state.said.contains(w));
        if pack.learning == Some(true) && expected && !replace && !stuck {
            state.state = CacheState::Learning;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::model::Space;

    fn of_bits(value: &str) -> (Option<CacheState>, bool, usize) {
        let mut reading = Reading::new("storcli", Space::Megaraid);
        let mut section = Section::new("Status");
        section.properties.push(("BBU Status".to_owned(), value.to_owned()));
        mask(&mut reading, &Path::controller(0), &section);
        settle(&mut reading);
        let pack = reading.caches.first();
        let replace = pack.and_then(|p| p.replace.as_ref()).is_some_and(|r| r.state);
        (pack.and_then(|p| p.state.as_ref()).map(|s| s.state), replace, reading.notes.len())
    }

    #[test]
    fn bits_are_tested_one_by_one() {
        use CacheState::*;
        let expected = [
            ("0", Some(Optimal), false, 0),
            ("8", Some(Charging), false, 0),
            ("32", Some(Weak), false, 0),
            ("40", Some(Weak), false, 0),
            ("64", Some(Learning), false, 0),
            ("2112", Some(Learning), false, 0),
            ("192", Some(Weak), false, 0),
            ("1024", Some(Weak), true, 0),
            ("1056", Some(Weak), true, 0),
            ("1088", Some(Weak), true, 0),
            ("2048", Some(Weak), false, 0),
            ("4096", Some(Optimal), false, 0),
            ("NA", None, false, 0),
            ("4104", Some(Charging), false, 0),
            ("1", Some(Missing), false, 0),
            ("32768", Some(Unknown), false, 1),
            ("soon", None, false, 1),
        ];
        for (value, state, replace, notes) in expected {
            assert_eq!(of_bits(value), (state, replace, notes), "{value}");
        }
    }
}
