//! All adapters: a plain slice. A new family is a `mod` line and a slice line.

use crate::Adapter;

#[rustfmt::skip]
pub static ADAPTERS: &[&dyn Adapter] = &[
    &crate::aacraid::AACRAID,
    &crate::areca::Areca,
    &crate::bond::Bond,
    &crate::boss::Boss,
    &crate::btrfs::Btrfs,
    &crate::dpt::Dpt,
    &crate::gdth::Gdth,
    &crate::hp::Hp,
    &crate::ips::Ips,
    &crate::lsi_ir::LsiIr,
    &crate::lvm::Lvm,
    &crate::md::Md,
    &crate::megacli::MegaCli,
    &crate::megaraid_legacy::MegaraidLegacy,
    &crate::omreport::Omreport,
    &crate::ses::Ses,
    &crate::smart::Smart,
    &crate::storcli::Storcli,
    &crate::storcli2::Storcli2,
    &crate::tw_cli::TwCli,
    &crate::zfs::Zfs,
];

pub fn by_family(family: &str) -> Option<&'static dyn Adapter> {
    ADAPTERS.iter().find(|a| a.family() == family).copied()
}
