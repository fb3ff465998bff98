//! Bonded network links: lost ones, idle ones, those of another speed. Nothing here looks at traffic.
//!
//! All that is wrong with one bond is one incident.

use super::arrays::source;
use super::{ConditionKind as K, Context, Subject};
use crate::host::Seen;
use crate::model::{Bond, BondLink, ObjectKind, PartState};

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for bond in &view.bonds {
        links_of(cx, bond);
        partner_of(cx, bond);
        speeds_of(cx, bond);
        lost_links(cx, bond);
    }
    gone(cx);
}

fn subject(bond: &Seen<Bond>) -> Subject {
    Subject::object(bond.id, ObjectKind::Bond, &bond.name)
}

fn link(bond: &Seen<Bond>, name: &str) -> Subject {
    let key = format!("o{}/{name}", bond.id);
    Subject { key, name: format!("{} {name}", bond.name), kind: ObjectKind::Bond, id: Some(bond.id) }
}

fn find(cx: &mut Context<'_>, bond: &Seen<Bond>, about: (K, Subject), headline: String, said: &str) {
    let mut condition = cx.condition(about.0, about.1, headline).because(source(bond), said);
    condition.anchor = subject(bond);
    cx.found.push(condition);
}

fn works(link: &BondLink) -> bool {
    link.state.state == PartState::Ok
}

fn links_of(cx: &mut Context<'_>, bond: &Seen<Bond>) {
    let links = &bond.facts.links;
    for l in links {
        let said = format!("{} \"{}\"", l.name, l.state.said);
        let (kind, words) = match l.state.state {
            PartState::Ok | PartState::NotInstalled => continue,
            PartState::Unknown => (K::UnknownWord, format!("link {}: state \"{}\" is not known", l.name, l.state.said)),
            _ => (K::BondLinkDown, format!("link {} is {}", l.name, l.state.said)),
        };
        find(cx, bond, (kind, link(bond, &l.name)), format!("{}: {words}", bond.name), &said);
    }
    links.iter().for_each(|l| failures_of(cx, bond, l));
    if !links.is_empty() && !links.iter().any(works) {
        let headline = format!("{}: none of its {} links is up", bond.name, links.len());
        find(cx, bond, (K::BondDown, subject(bond)), headline, "no link is up");
    }
}

fn failures_of(cx: &mut Context<'_>, bond: &Seen<Bond>, l: &BondLink) {
    let Some(value) = l.failures else { return };
    let about = link(bond, &l.name);
    let memory = cx.memory.count_named(&about.key, value, cx.now).clone();
    let recent = memory.grown.filter(|g| cx.now.duration_since(g.last_at) < cx.policy.growth_quiet);
    let (kind, words) = match recent {
        Some(g) => (K::BondLinkFailuresGrowing, format!("was lost {value} times (+{})", value - g.from)),
        None if value > 0 => (K::BondLinkFailures, format!("was lost {value} times, not lately")),
        None => return,
    };
    let headline = format!("{}: link {} {words}", bond.name, l.name);
    find(cx, bond, (kind, about), headline, &format!("{} link failures {value}", l.name));
}

/// Where nobody bonds at the other end each link is a group of its own: told once, of the bond.
fn partner_of(cx: &mut Context<'_>, bond: &Seen<Bond>) {
    if let Some(partner) = bond.facts.partner.as_ref().filter(|p| !p.state) {
        let headline = format!("{}: nobody bonds its links at the other end", bond.name);
        find(cx, bond, (K::BondNoPartner, subject(bond)), headline, &partner.said);
        return;
    }
    for l in bond.facts.links.iter().filter(|l| works(l)) {
        let Some(group) = l.in_group.as_ref().filter(|g| !g.state) else { continue };
        let headline = format!("{}: link {} is up and carries nothing", bond.name, l.name);
        find(cx, bond, (K::BondLinkIdle, link(bond, &l.name)), headline, &group.said);
    }
}

fn speeds_of(cx: &mut Context<'_>, bond: &Seen<Bond>) {
    let links: Vec<&BondLink> = bond.facts.links.iter().filter(|l| works(l)).collect();
    let fastest = links.iter().filter_map(|l| l.speed_mbps).max();
    for l in links {
        let about = |kind| (kind, link(bond, &l.name));
        match l.duplex.as_ref().map(|d| (d.state, d.said.as_str())) {
            None | Some((PartState::Ok, _)) => {}
            Some((PartState::Unknown, said)) => {
                let headline = format!("{}: duplex \"{said}\" of {} is not known", bond.name, l.name);
                find(cx, bond, about(K::UnknownWord), headline, said);
            }
            Some((_, said)) => {
                let headline = format!("{}: link {} is {said} duplex", bond.name, l.name);
                find(cx, bond, about(K::BondLinkMismatch), headline, &format!("{} duplex {said}", l.name));
            }
        }
        let (Some(speed), Some(fastest)) = (l.speed_mbps, fastest) else { continue };
        if speed < fastest {
            let kind = if bond.facts.spreads == Some(false) { K::BondSpeedsDiffer } else { K::BondLinkMismatch };
            let headline = format!("{}: link {} runs at {speed} Mbps, another at {fastest}", bond.name, l.name);
            find(cx, bond, about(kind), headline, &format!("{} {speed} Mbps", l.name));
        }
    }
}

/// A network card that dies takes its link out of the bond: what is left looks well.
fn lost_links(cx: &mut Context<'_>, bond: &Seen<Bond>) {
    let known = cx.memory.parts_known.entry(bond.id).or_default();
    known.extend(bond.facts.links.iter().map(|l| l.name.clone()));
    let lost: Vec<String> =
        known.iter().filter(|name| !bond.facts.links.iter().any(|l| l.name == **name)).cloned().collect();
    if bond.facts.links.is_empty() && !lost.is_empty() {
        let headline = format!("{}: has no links any more", bond.name);
        find(cx, bond, (K::BondDown, subject(bond)), headline, "no links");
    }
    for name in lost {
        let headline = format!("{}: link {name} is not part of it any more", bond.name);
        find(cx, bond, (K::PartMissing, link(bond, &name)), headline, &format!("{name} was part of {}", bond.name));
    }
}

fn gone(cx: &mut Context<'_>) {
    for gone in cx.view.gone.iter().filter(|g| g.kind == ObjectKind::Bond) {
        let headline = format!("bond {} is not there any more", gone.name);
        let subject = Subject::object(gone.id, ObjectKind::Bond, &gone.name);
        cx.find(K::BondMissing, subject, headline, "raidmond", "the kernel does not list it");
    }
}
