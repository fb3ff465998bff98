//! Device mapper targets and bcache.

use super::{Observation, Rule, Sign, by_words, device, rule};

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("dm.mpath", Sign::DeviceOffline, &["device-mapper: multipath: "], &[" path "],
        r"^device-mapper: multipath: (?:(?P<map>\d+:\d+): )?(?P<what>Failing|Reinstating) path (?P<number>\d+:\d+|\S+?)\.").refine(path),
    rule("dm.mirror", Sign::ArrayDegraded, &["device-mapper: raid1: "], &[],
        r"^device-mapper: raid1: (?P<text>Mirror read failed.*|All replicated volumes dead.*|All sides of mirror have failed\.|Primary mirror \((?P<member>[^)]+)\) failed.*|Write error during recovery.*|Read failure on mirror device (?P<member2>[^.]+)\..*|Unable to read primary mirror during recovery)").refine(mirror),
    rule("dm.raid", Sign::Info, &["device-mapper: raid: "], &[],
        r"^device-mapper: raid: (?P<text>Failed to read superblock of device at position (?P<pos>\d+)|.*)").refine(by_words),
    rule("dm.thin", Sign::Info, &["device-mapper: thin: "], &["switching pool", "metadata operation", "no free space", "low water mark"],
        r"^device-mapper: thin: (?P<map>\S+): (?:switching pool to (?P<mode>.+?) mode|metadata operation '(?P<op>[^']+)' failed: error = (?P<e>-?\d+)|.*(?P<full>no free space).*|reached low water mark.*)").refine(pool),
    rule("dm.cache", Sign::FilesystemError, &["device-mapper: cache: "], &["switching cache", "metadata operation"],
        r"^device-mapper: cache: (?P<map>\S+): (?:switching cache to (?P<mode>[\w-]+) mode|metadata operation '(?P<op>[^']+)' failed: error = (?P<e>-?\d+))").refine(pool),
    rule("dm.integrity", Sign::MediumError, &["device-mapper: integrity: "], &["Checksum failed"],
        r"^device-mapper: integrity: (?:(?P<dev>\S+): )?Checksum failed at sector 0x(?P<sector>[0-9a-f]+)"),
    rule("bcache", Sign::IoError, &["bcache: "], &["error", "IO error", "disabling caching", "Can't", "stop"],
        r"^bcache: (?:bch_\w+\(\) )?(?P<text>.*(?:IO error|error on|too many IO errors|Can't|disabling caching|stop).*)").refine(by_words),
];

fn map(seen: &mut Observation) {
    if let Some(name) = device::disk_of_pair(seen.about.field("map")) {
        seen.about.set("dm", name);
    }
}

/// The path is the object: `8:16` is sdb.
fn path(seen: &mut Observation) {
    if seen.about.field("what") == "Reinstating" {
        seen.sign = Sign::Info;
    }
    super::block::numbered(seen);
    map(seen);
}

fn mirror(seen: &mut Observation) {
    if seen.about.field("text").starts_with("All ") {
        seen.sign = Sign::ArrayFailed;
    }
}

/// A pool that turned read-only or ran out of space fails the file systems on it.
fn pool(seen: &mut Observation) {
    let has = |field| !seen.about.field(field).is_empty();
    seen.sign = match seen.about.field("mode") {
        "write" => Sign::Info,
        "" if !has("op") && !has("full") => Sign::Info,
        _ => Sign::FilesystemError,
    };
    if let Some(name) = device::disk_of_pair(seen.about.field("map")) {
        seen.about.set("dev", name);
        device::name_objects(&mut seen.about);
    }
}
