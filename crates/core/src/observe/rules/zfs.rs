//! The ZFS module's own lines; its event daemon is in `zed`.

use super::{Observation, Rule, Sign, rule};
use crate::model::{Path, Space};

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("zfs.susp", Sign::ArrayFailed, &["WARNING: Pool '", "Pool '"], &["uncorrectable I/O failure"],
        r"^(?:WARNING: )?Pool '(?P<pool>[^']+)' has encountered an uncorrectable I/O failure and has been suspended").space(Space::Zfs).refine(pool),
    rule("zfs.zio", Sign::IoError, &["zio pool="], &[],
        r"^zio pool=(?P<pool>\S+) vdev=(?P<dev>\S+) error=(?P<e>\d+) type=(?P<type>\d+) offset=(?P<off>\d+) size=(?P<size>\d+) flags=(?P<flags>\S+)").space(Space::Zfs),
];

pub(super) fn pool(seen: &mut Observation) {
    seen.about.path = Path::new(seen.about.field("pool"));
}
