//! All adapters: a plain slice. A new family is a `mod` line and a slice line.

use crate::Adapter;

#[rustfmt::skip]
pub static ADAPTERS: &[&dyn Adapter] = &[
    &crate::aacraid::AACRAID,
    &crate::btrfs::Btrfs,
    &crate::hp::Hp,
    &crate::lvm::Lvm,
    &crate::md::Md,
    &crate::megacli::MegaCli,
    &crate::megaraid_legacy::MegaraidLegacy,
    &crate::storcli::Storcli,
    &crate::tw_cli::TwCli,
    &crate::zfs::Zfs,
];

pub fn by_family(family: &str) -> Option<&'static dyn Adapter> {
    ADAPTERS.iter().find(|a| a.family() == family).copied()
}
