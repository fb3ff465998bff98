//! Linux software RAID. Where a line names array and member, the member is the object and the array
//! a field, except where the array is what failed.

use super::{Observation, Rule, Sign, device, rule};
use crate::model::Space;

const MD: &[&str] = &["md/raid", "raid"];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("md.fail_new", Sign::DiskFailed, &["md/raid"], &["Disk failure on "],
        r"^md/(?P<lvl>raid\d*):(?P<md>md\w+): Disk failure on (?P<dev>[^,]+), disabling device").space(Space::Kernel),
    rule("md.fail_old", Sign::DiskFailed, &["raid"], &["Disk failure on "],
        r"^(?P<lvl>raid\d+): Disk failure on (?P<dev>\S+), disabling device\.(?:\s*(?:Operation continuing on (?P<left>\d+) devices\.?)?)").space(Space::Kernel),
    rule("md.continuing", Sign::ArrayDegraded, &["md/raid", "raid", " ", "Operation continuing"], &["Operation continuing on "],
        r"^(?:md/raid\d*:(?P<md>\S+): |raid\d+: |\s*)?Operation continuing on (?P<left>\d+) devices\.?").space(Space::Kernel),
    rule("md.cannot", Sign::ArrayFailed, &["md/raid"], &["Cannot continue"],
        r"^md/raid\d*:(?P<md>\S+): Cannot continue operation \((?P<f>\d+)/(?P<n>\d+) failed\)").space(Space::Kernel),
    rule("md.raid0fail", Sign::ArrayFailed, &["md/raid0", "md/linear"], &["failing array"],
        r"^md/(?:raid0|linear):?(?P<md>md\w+): Disk failure on (?P<member>\S+) detected, failing array").space(Space::Kernel),
    rule("md.kick", Sign::DiskMissing, &["md: kicking "], &[], r"^md: kicking (?P<why>non-fresh|faulty) (?P<dev>\S+) from array!").refine(kicked).space(Space::Kernel),
    rule("md.superwrite", Sign::IoError, &["md: super_written"], &[], r"^md: super_written gets error=(?P<e>-?\d+)").inherits().space(Space::Kernel),
    rule("md.sbread", Sign::DiskFailed, &["md: disabled device"], &[], r"^md: disabled device (?P<dev>\S+), could not read superblock").space(Space::Kernel),
    rule("md.readcorr", Sign::Corrected, MD, &["read error corrected"],
        r"^(?:md/)?(?P<lvl>raid\d*):(?P<md>\S+?):? read error corrected \((?P<n>\d+) sectors at (?P<sector>\d+) on (?P<dev>[^)]+)\)").space(Space::Kernel),
    rule("md.readnot", Sign::MediumError, MD, &["read error NOT corrected", "read error not correctable"],
        r"^(?:md/)?raid\d*:(?P<md>\S+): read error (?:NOT corrected!!|not correctable) \(sector (?P<sector>\d+) on (?P<dev>[^)]+)\)").space(Space::Kernel),
    rule("md.readmany", Sign::DiskFailed, MD, &["Too many read errors", "exceeded read_error threshold", "Failing raid device"],
        r"^(?:md/)?raid\d*:(?P<md>\S+): (?:Too many read errors, failing device (?P<dev>[^.]+)\.|(?P<dev2>\S+): (?:Raid device exceeded read_error threshold \[cur (?P<cur>\d+):max (?P<max>\d+)\]|Failing raid device))").space(Space::Kernel),
    rule("md.unrec", Sign::DataLoss, MD, &["unrecoverable I/O"],
        r"^(?:md/)?raid(?:1|10):(?P<md>[^:\s]+): (?P<member>\S+): unrecoverable I/O (?:read )?error for block (?P<block>\d+)").space(Space::Kernel),
    rule("md.redirect", Sign::Corrected, MD, &["redirecting sector"],
        r"^(?:md/)?raid1(?:0)?:(?P<md>[^:\s]+): (?:(?P<dev0>\S+): )?redirecting sector (?P<sector>\d+) to (?:other|another) mirror(?:: (?P<other>\S+))?").space(Space::Kernel),
    rule("md.sync_start", Sign::OtherTask, &["md: "], &["of RAID array"],
        r"^md: (?P<what>resync|recovery|reshape|data-check|requested-resync|check|repair) of RAID array (?P<md>md\w+)").refine(started).space(Space::Kernel),
    rule("md.sync_done", Sign::OtherTask, &["md: md"], &["done.", "interrupted."],
        r"^md: (?P<md>md\w+): (?P<what>resync|recovery|reshape|data-check|requested-resync|check|repair|sync) (?P<res>done|interrupted)\.").refine(done).space(Space::Kernel),
    rule("md.mismatch", Sign::Inconsistency, &["md"], &["mismatch sector"], r"^(?P<md>md\w+): mismatch sector in range (?P<a>\d+)-(?P<b>\d+)").space(Space::Kernel),
    rule("md.active", Sign::Info, &["md/raid"], &["active with "],
        r"^md/raid1?\d*:(?P<md>\S+): (?:raid level (?P<lvl>\d+) )?active with (?P<have>\d+) out of (?P<want>\d+) (?:mirrors|devices)").refine(active).space(Space::Kernel),
    rule("md.noop", Sign::ArrayFailed, &["md/raid"], &["not enough operational", "dirty degraded", "failed to run raid set"],
        r"^md/raid\d*:(?P<md>\S+): (?:not enough operational (?:devices \((?P<f>\d+)/(?P<n>\d+) failed\)|mirrors)|cannot start dirty degraded array\.|failed to run raid set\.|(?P<starting>starting) dirty degraded array)").refine(dirty).space(Space::Kernel),
    rule("md.run", Sign::ArrayFailed, &["md: pers->run() failed"], &[], r"^md: pers->run\(\) failed").inherits().space(Space::Kernel),
];

fn kicked(seen: &mut Observation) {
    if seen.about.field("why") == "faulty" {
        seen.sign = Sign::DiskFailed;
    }
}

fn started(seen: &mut Observation) {
    seen.sign = match seen.about.field("what") {
        "recovery" => Sign::RebuildStarted,
        "data-check" | "check" | "requested-resync" | "repair" => Sign::CheckStarted,
        _ => Sign::OtherTask,
    };
}

/// Interrupted is what a shutdown and a nightly time limit do; what became of the array is polled.
fn done(seen: &mut Observation) {
    seen.sign = match (seen.about.field("what"), seen.about.field("res")) {
        ("recovery", "done") => Sign::RebuildCompleted,
        ("data-check" | "check" | "requested-resync" | "repair", "done") => Sign::CheckCompleted,
        _ => Sign::OtherTask,
    };
}

fn active(seen: &mut Observation) {
    let number = |name| seen.about.field(name).parse::<u32>().ok();
    seen.sign = match number("have").zip(number("want")) {
        Some((have, want)) if have < want => Sign::ArrayDegraded,
        Some(_) => Sign::ArrayOptimal,
        None => Sign::Info,
    };
}

fn dirty(seen: &mut Observation) {
    if !seen.about.field("starting").is_empty() {
        seen.sign = Sign::ArrayDegraded;
        device::name_objects(&mut seen.about);
    }
}
