//! Controllers MegaCli must not be run against.
//!
//! MegaCli ended before the SAS3.5 generation. On SAS39xx cards (firmware 52.x) its `-AdpAllInfo` is
//! reported to fault the firmware, which stops all I/O for minutes (eLvErDe/hwraid issue 136). The
//! whole tool is refused where such a card is in the machine: `-AdpCount` already talks to every card.

use raidmond_core::model::Path;
use raidmond_core::survey::{Known, NoteKind, PciDevice, Reading, Scope};

const LSI: u16 = 0x1000;

/// Ventura, Crusader, Harpoon, Tomcat (94xx, PERC H740) and Aero (95xx, PERC H750/H755), by the ids of
/// the Linux driver megaraid_sas.
const TOO_NEW: [u16; 14] =
    [0x0014, 0x0015, 0x0016, 0x0017, 0x001b, 0x001c, 0x10e0, 0x10e1, 0x10e2, 0x10e3, 0x10e4, 0x10e5, 0x10e6, 0x10e7];

/// Captures are read whatever the card: nothing is run for them.
pub fn refused_for(known: &Known) -> Option<&PciDevice> {
    let asks = known.scope != Scope::Everything;
    known.pci.iter().find(|d| asks && d.vendor == LSI && TOO_NEW.contains(&d.device))
}

pub fn note(reading: &mut Reading, card: &PciDevice) {
    let said = format!(
        "MegaCli is not run here: it can crash the firmware of the controller at {} (PCI id {:04x}:{:04x})",
        card.address, card.vendor, card.device
    );
    let remedy = "storcli64 or perccli64 is used for this controller; install it if raidmond does not find it";
    reading.note_with_remedy(NoteKind::Remark, Path::default(), said, remedy);
}
