//! Words of storcli2 and perccli2 that storcli does not have: a disk's state is two words, `State` (what it
//! is used for) and `Status` (how it is), joined here by a blank.
//!
//! Sources: the legend storcli2 008.0011 prints below its tables, captures, and drive states as read by
//! scality's raidmgmt. A pair that is not here is quoted in a note.

use crate::Term;
use crate::storcli::vocabulary::{COMMON, disk, joined};
use raidmond_core::model::DiskState;

pub const DISKS: [Term; 38] = [
    disk("Conf Online", DiskState::Online),
    disk("Conf Rebuild", DiskState::Rebuilding),
    disk("Conf Replace", DiskState::CopyingBack),
    disk("Conf Failed", DiskState::Failed),
    disk("Conf Offline", DiskState::Offline),
    disk("Conf Missing", DiskState::Missing),
    disk("ConfShld Online", DiskState::Busy),
    disk("ConfSntz Online", DiskState::Busy),
    disk("ConfDgrd Failed", DiskState::Failed),
    disk("ConfDgrd Offline", DiskState::Offline),
    disk("UConf Good", DiskState::UnconfiguredGood),
    disk("UConf Bad", DiskState::UnconfiguredBad),
    disk("UConf Failed", DiskState::UnconfiguredBad),
    disk("UConf Unusable", DiskState::UnconfiguredBad),
    disk("UConfUnsp Good", DiskState::UnconfiguredGood),
    disk("UConfUnsp Bad", DiskState::UnconfiguredBad),
    disk("UConfUnsp Unusable", DiskState::UnconfiguredBad),
    disk("UConfShld Good", DiskState::Busy),
    disk("UConfSntz Good", DiskState::Busy),
    disk("UConfDgrd Bad", DiskState::UnconfiguredBad),
    disk("Unusbl Unusable", DiskState::UnconfiguredBad),
    disk("GHS Good", DiskState::HotSpare),
    disk("GHS Online", DiskState::HotSpare),
    disk("GHS Failed", DiskState::Failed),
    disk("GHS Missing", DiskState::Missing),
    disk("GHSShld Good", DiskState::Busy),
    disk("GHSSntz Good", DiskState::Busy),
    disk("DHS Good", DiskState::HotSpare),
    disk("DHS Online", DiskState::HotSpare),
    disk("DHS Failed", DiskState::Failed),
    disk("DHS Missing", DiskState::Missing),
    disk("DHSShld Good", DiskState::Busy),
    disk("DHSSntz Good", DiskState::Busy),
    disk("JBOD Online", DiskState::Jbod),
    disk("JBOD Good", DiskState::Jbod),
    disk("JBOD Failed", DiskState::Failed),
    disk("JBOD Offline", DiskState::Offline),
    disk("JBODSntz Online", DiskState::Busy),
];

pub static TERMS: &[Term] = &joined::<{ COMMON.len() }, { DISKS.len() }, { COMMON.len() + DISKS.len() }>(COMMON, DISKS);
