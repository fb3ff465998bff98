//! From the driver's files to facts.

use super::parse::{self, Link, Page};
use super::{BOND, BONDS, FOLDER, bond_of, vocabulary};
use raidmond_core::model::{Bond, BondLink, Observed, PartState, Path, Space};
use raidmond_core::survey::{Answer, Covers, Heard, Known, NoteKind, Reading, Scope};

/// Names of the bonds there are.
pub fn listed(heard: &Heard) -> Vec<String> {
    let lists = heard.of(BONDS).filter(|a| a.outcome.ended()).map(Answer::text);
    let plain = |name: &&str| !name.is_empty() && !name.contains('/') && !name.starts_with('.');
    lists.flat_map(|list| list.lines().map(str::trim).filter(plain).map(str::to_owned).collect::<Vec<_>>()).collect()
}

pub fn read(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("bond", Space::Kernel);
    for answer in heard.of(BONDS) {
        if answer.outcome.ended() || answer.outcome.absent {
            // Without the folder the driver is not loaded: there are no bonds.
            reading.coverage.add(&Path::default(), Covers::Bonds);
        } else {
            reading.note(NoteKind::ToolFailed, Path::default(), format!("{FOLDER}: {}", answer.outcome.words()));
        }
    }
    let mut gone = false;
    for answer in heard.of(BOND) {
        gone |= answer.outcome.absent;
        bond(&mut reading, answer);
    }
    if gone || known.scope == Scope::Everything {
        // A bond that went between the list and the look, or files somebody picked.
        reading.coverage = Default::default();
    }
    if !reading.bonds.is_empty() {
        // Lets the poller go on asking when the driver is not loaded any more.
        reading.cursor = Some("bonds seen".to_owned());
    }
    reading
}

fn bond(reading: &mut Reading, answer: &Answer) {
    let at = Path::new(bond_of(answer.asked.path()).unwrap_or("bond"));
    if !answer.outcome.ended() {
        if !answer.outcome.absent {
            reading.note(NoteKind::ToolFailed, at, format!("{}: {}", answer.asked, answer.outcome.words()));
        }
        return;
    }
    let page = parse::page(&answer.text());
    let Some(mode) = page.mode.clone() else {
        let said = match page.begun {
            true => "no bonding mode in it",
            false => "is empty or not understood",
        };
        reading.note(NoteKind::Unreadable, at, format!("{}: {said}", answer.asked));
        return;
    };
    if vocabulary::spreads(&mode).is_none() {
        reading.unknown_word(at.clone(), "bonding mode", &mode);
    }
    if page.status.is_none() {
        reading.note(NoteKind::Partial, at.clone(), format!("{}: is cut off: no status of the bond", answer.asked));
    }
    whole(reading, &at, &page);
    let group = group(&page);
    let links = page.links.iter().map(|l| link(reading, &at, l, group)).collect();
    let partner = partner(&page);
    reading.bonds.push(Bond { at, spreads: vocabulary::spreads(&mode), mode: Some(mode), partner, links });
}

/// The bond as a whole sums up its links; its word counts where it says worse than they do.
fn whole(reading: &mut Reading, at: &Path, page: &Page) {
    let Some(word) = &page.status else { return };
    let state = vocabulary::state(vocabulary::STATUS, word);
    let works =
        |l: &Link| l.status.as_deref().is_some_and(|s| vocabulary::state(vocabulary::STATUS, s) == PartState::Ok);
    if state == PartState::Unknown {
        reading.unknown_word(at.clone(), "status of the bond", word);
    } else if state == PartState::Failed && page.links.iter().any(works) {
        use raidmond_core::model::{Finding, FindingKind};
        let said = format!("the bond is {word}, though a link of it is up");
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
    } else if page.links.is_empty() {
        reading.note(NoteKind::Remark, at.clone(), format!("{at} has no links"));
    }
}

/// The group that carries: as stated to root, else the one most links are in.
fn group(page: &Page) -> Option<u64> {
    let ids: Vec<u64> = page.links.iter().filter_map(|l| l.aggregator).collect();
    let size = |id: &u64| ids.iter().filter(|other| *other == id).count();
    page.aggregator.or_else(|| ids.iter().copied().max_by_key(|id| (size(id), std::cmp::Reverse(*id))))
}

fn is_nobody(mac: &str) -> bool {
    !mac.is_empty() && mac.chars().all(|c| c == '0' || c == ':')
}

/// Stated of the group that carries; where it is not, of the links' own partners.
fn partner(page: &Page) -> Option<Observed<bool>> {
    if let Some(mac) = page.partner.as_deref().filter(|mac| !mac.is_empty()) {
        return Some(Observed::new(!is_nobody(mac), format!("Partner Mac Address: {mac}")));
    }
    let own: Vec<&str> = page.links.iter().filter_map(|l| l.partner.as_deref()).collect();
    let nobody = own.iter().all(|mac| is_nobody(mac));
    (!own.is_empty()).then(|| Observed::new(!nobody, format!("partner system mac address: {}", own.join(", "))))
}

fn link(reading: &mut Reading, at: &Path, l: &Link, group: Option<u64>) -> BondLink {
    let word = l.status.as_deref().unwrap_or("");
    if l.status.is_none() {
        reading.note(NoteKind::Partial, at.clone(), format!("no status of link {}: the file is cut off", l.name));
    }
    let known = l.status.is_some();
    // What is not stated is noted above.
    let state = if known { vocabulary::state(vocabulary::STATUS, word) } else { PartState::NotInstalled };
    let duplex = l.duplex.as_deref().map(|d| Observed::new(vocabulary::state(vocabulary::DUPLEX, d), d));
    let named = |mac: &String| is_nobody(mac).then(|| (false, format!("{}: partner {mac}", l.name)));
    let told = |id: u64, own: u64| (id == own, format!("{}: Aggregator ID {own}, that of the active one {id}", l.name));
    let in_group = match (group, l.aggregator) {
        (Some(id), Some(own)) if id != own => Some(told(id, own)),
        (id, own) => l.partner.as_ref().and_then(named).or_else(|| Some(told(id?, own?))),
    };
    BondLink {
        name: l.name.chars().filter(|c| !c.is_control()).collect(),
        state: Observed::new(state, word),
        speed_mbps: l.speed.as_deref().and_then(crate::scan::number).and_then(|n| u64::try_from(n).ok()),
        duplex: duplex.filter(|d| d.state != PartState::NotInstalled),
        failures: l.failures,
        in_group: in_group.map(|(state, said)| Observed::new(state, said)),
    }
}
