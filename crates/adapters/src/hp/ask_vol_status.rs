//! What cciss_vol_status is asked, and of which node; sg_vpd finds its controllers the same way.
//!
//! It wants the node of the controller: `/dev/cciss/cNd0` of the old block driver, or the generic SCSI
//! node of a RAID controller (SCSI type 12) on a host of hpsa or smartpqi, which sysfs tells. The node
//! names the controller: `c0`, `csg0`; no slot is known here.

use super::{SG_BLOCK, SG_HOST, SG_LEVEL, SG_LIST, SG_TYPE, VOL_STATUS, VOLUMES, volume_page};
use raidmond_core::model::Path;
use raidmond_core::survey::{Asked, Heard, Known, Query, Scope};

pub(super) const GENERIC: &str = "/sys/class/scsi_generic";
const CCISS: &str = "/dev/cciss";
const RAID_CONTROLLER: &str = "12";

pub fn queries(known: &Known, heard: &Heard, tool: &str) -> Vec<Query> {
    match &known.scope {
        Scope::Everything => Vec::new(),
        Scope::Controller(number) if tool == VOL_STATUS => vec![Query::cmd(VOLUMES, &[tool, "-V", &node_of(number)])],
        Scope::Controller(number) => volume_page::queries(heard, tool, number),
        Scope::Discover => discover(heard),
    }
}

fn discover(heard: &Heard) -> Vec<Query> {
    let mut queries = vec![Query::dir(SG_LIST, GENERIC), Query::dir(SG_LIST, CCISS)];
    for node in listed(heard, GENERIC) {
        queries.push(Query::file(SG_TYPE, format!("{GENERIC}/{node}/device/type")));
        if is_controller(heard, &node) {
            queries.push(Query::dir(SG_HOST, format!("{GENERIC}/{node}/device/scsi_device")));
        }
    }
    queries
}

/// `/dev/cciss/c0d0` of "0", `/dev/sg0` of "sg0".
fn node_of(number: &str) -> String {
    match number.bytes().all(|b| b.is_ascii_digit()) {
        true => format!("{CCISS}/c{number}d0"),
        false => format!("/dev/{number}"),
    }
}

pub fn kind_of(asked: &Asked) -> Option<raidmond_core::survey::AnswerKind> {
    let path = asked.path();
    let generic = path.strip_prefix(GENERIC);
    match asked {
        Asked::Dir(_) if path == CCISS || generic == Some("") => Some(SG_LIST),
        Asked::Dir(_) => generic
            .filter(|p| p.ends_with("/device/scsi_device"))
            .map(|_| SG_HOST)
            .or_else(|| generic.filter(|p| p.ends_with("/device/block")).map(|_| SG_BLOCK)),
        Asked::File(_) => generic
            .filter(|p| p.ends_with("/device/type"))
            .map(|_| SG_TYPE)
            .or_else(|| generic.filter(|p| p.ends_with("/device/raid_level")).map(|_| SG_LEVEL)),
        _ => None,
    }
}

pub(super) fn answer(heard: &Heard, path: &str) -> Option<String> {
    let mut all = heard.all().filter(|(_, a)| a.asked.path() == path && a.outcome.ended());
    all.next().map(|(_, a)| a.text())
}

pub(super) fn listed(heard: &Heard, path: &str) -> Vec<String> {
    answer(heard, path).unwrap_or_default().lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect()
}

pub(super) fn is_controller(heard: &Heard, node: &str) -> bool {
    answer(heard, &format!("{GENERIC}/{node}/device/type")).is_some_and(|t| t.trim() == RAID_CONTROLLER)
}

/// The SCSI host of a generic node: 2 of `2:0:0:0`.
pub(super) fn host_of(heard: &Heard, node: &str) -> Option<u32> {
    listed(heard, &format!("{GENERIC}/{node}/device/scsi_device")).first()?.split(':').next()?.parse().ok()
}

/// Controllers by their nodes, each with the PCI address where the bus tells it.
pub fn found(known: &Known, heard: &Heard) -> Vec<(Path, Option<String>)> {
    let cciss = listed(heard, CCISS);
    let mut numbers: Vec<&str> =
        cciss.iter().filter_map(|n| n.strip_prefix('c')?.strip_suffix("d0")).filter(|n| !n.is_empty()).collect();
    numbers.sort_unstable();
    let mut found: Vec<(Path, Option<String>)> = numbers.iter().map(|n| (Path::controller(n), None)).collect();
    for node in listed(heard, GENERIC).iter().filter(|n| is_controller(heard, n)) {
        let host = host_of(heard, node);
        let device = known.pci.iter().find(|d| host.is_some_and(|h| d.scsi_hosts.contains(&h)));
        let ours = |driver: &str| matches!(driver, "hpsa" | "smartpqi");
        let by_bus = device.and_then(|d| d.driver.as_deref()).is_some_and(ours);
        let by_host = known.scsi_hosts.iter().any(|(n, driver)| Some(*n) == host && ours(driver));
        if by_bus || by_host {
            found.push((Path::controller(node), device.map(|d| d.address.clone())));
        }
    }
    found
}
