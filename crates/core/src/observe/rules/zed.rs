//! The ZFS event daemon in syslog: `eid=12 class=statechange pool='tank' vdev=sdb1 vdev_state=FAULTED`.

use super::{Observation, Rule, Sign, device, rule};
use crate::model::Space;

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("zed", Sign::Info, &["eid="], &["class="],
        r"^eid=(?P<eid>\d+) class=(?P<class>[\w.]+)(?: .*?pool='?(?P<pool>[^'\s]+)'?)?").space(Space::Zfs).refine(event),
];

fn event(seen: &mut Observation) {
    super::zfs::pool(seen);
    let word = |name: &str| value(&seen.said, name).map(str::to_owned);
    let (vdev, state) = (word("vdev"), word("vdev_state"));
    seen.sign = match (seen.about.field("class").rsplit('.').next().unwrap_or(""), state.as_deref()) {
        ("statechange", Some("FAULTED")) => Sign::DiskFailed,
        ("statechange", Some("UNAVAIL" | "REMOVED")) => Sign::DiskMissing,
        ("statechange", Some("OFFLINE")) => Sign::DeviceOffline,
        ("statechange", Some("DEGRADED")) => Sign::ArrayDegraded,
        ("io", _) => Sign::IoError,
        ("checksum", _) => Sign::MediumError,
        ("data", _) => Sign::DataLoss,
        ("io_failure" | "zpool", _) => Sign::ArrayFailed,
        ("delay" | "deadman", _) => Sign::Timeout,
        ("vdev_remove" | "removed", _) => Sign::DiskRemoved,
        ("scrub_start", _) => Sign::CheckStarted,
        ("scrub_finish", _) => Sign::CheckCompleted,
        ("resilver_start", _) => Sign::RebuildStarted,
        ("resilver_finish", _) => Sign::RebuildCompleted,
        _ => Sign::Info,
    };
    if let Some(vdev) = vdev {
        seen.about.set("dev", vdev);
        device::name_objects(&mut seen.about);
    }
}

/// Value of ` name=value`, quotes off.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let word = text.split(' ').find_map(|w| w.strip_prefix(name)?.strip_prefix('='))?;
    Some(word.trim_matches('\'')).filter(|w| !w.is_empty())
}
