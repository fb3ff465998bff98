//! `mdadm --monitor` in syslog: `Fail event detected on md device /dev/md0, component device /dev/sdb1`.

use super::{Observation, Rule, Sign, device, rule};
use crate::model::Space;

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("mdadm", Sign::UnspecifiedFault, &[], &[" event detected on md device "],
        r"^(?P<event>\w+) event detected on md device (?P<array>[^,\s]+)(?:,\s*(?:component device\s+(?P<dev>\S+)|(?P<text>.*)))?").space(Space::Kernel).refine(event),
];

fn event(seen: &mut Observation) {
    let about_member = !seen.about.field("dev").is_empty();
    seen.sign = match seen.about.field("event") {
        "Fail" => Sign::DiskFailed,
        "FailSpare" | "SparesMissing" => Sign::SpareFailed,
        "DegradedArray" => Sign::ArrayDegraded,
        "DeviceDisappeared" => Sign::ArrayFailed,
        "RebuildStarted" => Sign::RebuildStarted,
        "RebuildFinished" => Sign::OtherTask,
        "SpareActive" => Sign::RebuildCompleted,
        "MoveSpare" => Sign::SpareUsed,
        "NewArray" | "TestMessage" => Sign::Info,
        event if event.starts_with("Rebuild") => Sign::OtherTask,
        _ => Sign::UnspecifiedFault,
    };
    if !about_member {
        let array = seen.about.field("array").trim_start_matches("/dev/").to_owned();
        seen.about.set("md", array);
        device::name_objects(&mut seen.about);
    }
}
