//! Volumes as the card itself gives them to the kernel: SCSI INQUIRY page 0xC3 of each volume, fetched by
//! `sg_vpd` of sg3-utils where no tool of HP's is installed. The driver asks the same page (hpsa.c, smartpqi).
//!
//! The page holds the state of the volume and nothing else: disks, spares, cache and battery stay unseen, and
//! that is said. Tested on written answers only: no card was at hand.

use super::ask_vol_status::{GENERIC, answer, host_of, is_controller, listed};
use super::lower_array::level;
use super::{SG_BLOCK, SG_HOST, SG_LEVEL, SG_LIST, SG_TYPE, VOLUME_PAGE, vocabulary as words};
use raidmond_core::model::{ArrayState, Finding, Observed, Path, Task};
use raidmond_core::survey::{Answer, Asked, Covers, Heard, Known, NoteKind, Query, Reading, Scope};

const DISK: &str = "0";
const PAGE: u8 = 0xc3;
/// The word is the one cciss_vol_status has for the same number.
const STATES: [(u8, &str); 19] = [
    (0, "OK"),
    (1, "FAILED"),
    (2, "Not configured"),
    (3, "Using interim recovery mode"),
    (4, "Ready for recovery operation"),
    (5, "Currently recovering"),
    (6, "Wrong physical drive was replaced"),
    (7, "A physical drive is not properly connected"),
    (8, "Hardware is overheating"),
    (9, "Hardware was overheated"),
    (10, "Currently expanding"),
    (11, "Not yet available"),
    (12, "Queued for Expansion"),
    (13, "Disabled"),
    (14, "Offline"),
    (15, "Erase In Progress"),
    (17, "Predictive Spare Rebuild Ready"),
    (18, "Rapid Parity Initialization In Progress"),
    (19, "Rapid Parity Initialization Pending"),
];

/// Every disk of the card's SCSI host that the driver calls a volume.
pub fn queries(heard: &Heard, tool: &str, controller: &str) -> Vec<Query> {
    let mut queries = vec![Query::dir(SG_LIST, GENERIC)];
    for node in listed(heard, GENERIC) {
        queries.push(Query::file(SG_TYPE, format!("{GENERIC}/{node}/device/type")));
        queries.push(Query::dir(SG_HOST, format!("{GENERIC}/{node}/device/scsi_device")));
        if is_disk_of(heard, &node, controller) {
            queries.push(Query::file(SG_LEVEL, format!("{GENERIC}/{node}/device/raid_level")));
            queries.push(Query::dir(SG_BLOCK, format!("{GENERIC}/{node}/device/block")));
        }
        if is_volume_of(heard, &node, controller) {
            let node = format!("/dev/{node}");
            queries.push(Query::cmd(VOLUME_PAGE, &[tool, "--page=0xc3", "--hex", &node]));
        }
    }
    queries
}

fn is_disk_of(heard: &Heard, node: &str, controller: &str) -> bool {
    let disk = answer(heard, &format!("{GENERIC}/{node}/device/type")).is_some_and(|t| t.trim() == DISK);
    let host = host_of(heard, node);
    disk && host.is_some() && host == host_of(heard, controller)
}

/// A disk that the card hands through as it is has the level "N/A".
fn is_volume_of(heard: &Heard, node: &str, controller: &str) -> bool {
    is_disk_of(heard, node, controller) && level_said(heard, node).is_some_and(|l| !l.eq_ignore_ascii_case("n/a"))
}

fn level_said(heard: &Heard, node: &str) -> Option<String> {
    let said = answer(heard, &format!("{GENERIC}/{node}/device/raid_level"))?.trim().to_owned();
    (!said.is_empty()).then_some(said)
}

pub fn read(reading: &mut Reading, known: &Known, heard: &Heard) {
    let pages: Vec<&Answer> = heard.of(VOLUME_PAGE).filter(|a| !a.outcome.not_captured).collect();
    let Some(controller) = controller_of(known, heard).filter(|_| !pages.is_empty()) else { return };
    let at = Path::controller(&controller);
    reading.controller(&at).makes_arrays = Some(true);
    let whole = pages.into_iter().map(|page| volume(reading, heard, &at, page)).fold(true, |all, one| all & one);
    if whole {
        reading.coverage.add(&at, Covers::Arrays);
        reading.coverage.add(&at, Covers::Tasks);
    }
    let said = "only the state of each volume is seen: disks, hot spares, cache and battery are not";
    let remedy = "install ssacli, or cciss_vol_status (Debian: cciss-vol-status)";
    reading.note_with_remedy(NoteKind::Partial, at, said.to_owned(), remedy);
}

/// A transcript need not say whom it asks: the one controller that its sysfs answers show.
fn controller_of(known: &Known, heard: &Heard) -> Option<String> {
    match &known.scope {
        Scope::Controller(node) => Some(node.clone()),
        _ => listed(heard, GENERIC).into_iter().find(|node| is_controller(heard, node)).or(Some("0".to_owned())),
    }
}

/// `false` when the page was not read.
fn volume(reading: &mut Reading, heard: &Heard, controller: &Path, page: &Answer) -> bool {
    let node = node_of(page);
    let at = controller.array(number(heard, &node).unwrap_or_else(|| node.clone()));
    let Some(code) = status(&page.text()).filter(|_| page.outcome.ended() && page.outcome.exit == 0) else {
        let why = if page.outcome.ended() { "holds no state of a volume".to_owned() } else { page.outcome.words() };
        let remedy = "the card may be too old for this page: install ssacli, hpacucli or cciss_vol_status";
        reading.note_with_remedy(NoteKind::Unreadable, at, format!("`{}`: {why}", page.asked), remedy);
        return false;
    };
    let word = STATES.iter().find(|(number, _)| *number == code).map(|(_, word)| *word);
    let said = word.map_or_else(|| format!("state {code} of page 0xC3"), str::to_owned);
    let state = words::array_state(words::VOLUME, &said).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::VOLUME, &said);
        ArrayState::Unknown
    });
    if let Some(kind) = words::volume_finding(&said) {
        reading.findings.push(Finding::new(at.clone(), kind, said.clone()));
    }
    if let Some((kind, state)) = words::task_of(words::VOLUME_TASK, &said) {
        let state = Observed::new(state, &said);
        reading.tasks.push(Task { on: at.clone(), kind, state, percent: None, seconds_left: None });
    }
    let device = listed(heard, &format!("{GENERIC}/{node}/device/block")).into_iter().next();
    let level_said = level_said(heard, &node);
    let array = reading.array(&at);
    array.state = Some(Observed::new(state, &said));
    array.level = level_said.as_deref().and_then(level);
    array.level_said = level_said;
    array.device = device.map(|d| format!("/dev/{d}"));
    true
}

fn node_of(page: &Answer) -> String {
    let Asked::Cmd(argv) = &page.asked else { return String::new() };
    argv.iter().find_map(|a| a.strip_prefix("/dev/")).unwrap_or_default().to_owned()
}

/// The LUN of `2:1:0:3` is the number cciss_vol_status gives the volume.
fn number(heard: &Heard, node: &str) -> Option<String> {
    let address = listed(heard, &format!("{GENERIC}/{node}/device/scsi_device")).into_iter().next()?;
    address.rsplit(':').next().map(str::to_owned)
}

/// Byte 4 of the page, if these bytes are that page: an emulated or an old card may answer anything.
fn status(dump: &str) -> Option<u8> {
    let bytes = bytes(dump);
    let length = u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]);
    let is_page = bytes.get(1) == Some(&PAGE) && length >= 1 && bytes.len() >= usize::from(length.min(8)) + 4;
    is_page.then(|| bytes.get(4).copied()).flatten()
}

/// ` 00     00 c3 00 08 03 00 00 00  00 00 00 00    ............`: offset, bytes, the same as letters.
fn bytes(dump: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in dump.lines() {
        let mut words = line.split_whitespace();
        let offset = words.next().and_then(|w| usize::from_str_radix(w, 16).ok());
        if offset != Some(bytes.len()) {
            continue;
        }
        let row = words.map_while(|w| (w.len() == 2).then(|| u8::from_str_radix(w, 16).ok()).flatten());
        bytes.extend(row.take(16));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_that_is_the_page_has_a_state() {
        let dump = |bytes: &str| status(&format!("VPD page=0xc3\n 00     {bytes}    ............\n"));
        assert_eq!(dump("00 c3 00 08 03 00 00 00  00 00 00 00"), Some(3));
        assert_eq!(dump("00 83 00 08 00 00 00 00  00 00 00 00"), None, "another page");
        assert_eq!(dump("00 00 00 00 00 00 00 00  00 00 00 00"), None, "an untouched buffer");
        assert_eq!(dump("00 c3 00 08"), None, "cut off");
        assert_eq!(status("Illegal request\n"), None);
    }

    #[test]
    fn every_state_has_a_meaning() {
        for (number, word) in STATES {
            assert!(words::array_state(words::VOLUME, word).is_some(), "{number} {word}");
        }
    }
}
