//! What the rest of the kernel says that may concern storage: hung tasks, PCI Express, IOMMU. `Pci`
//! names whatever device it was: only for a known storage controller does it mean anything here.

use super::{Observation, Rule, Sign, rule};
use crate::model::Alias;

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("hung", Sign::Info, &["INFO: task "], &["blocked "],
        r"^INFO: task (?P<comm>.+?):(?P<pid>\d+) blocked (?:on .*? )?for more than (?P<secs>\d+) seconds\.").refine(hung),
    rule("aer", Sign::LinkError, &["pcieport ", "megaraid_sas ", "mpt", "nvme ", "hpsa ", "smartpqi ", "aacraid ", "ahci ", "3w-", "arcmsr", "mpi3mr ", "mvsas "],
        &["PCIe Bus Error", "rror received", "rror message received"],
        r"^(?:pcieport|\w[\w-]*) (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:AER: )?(?:Multiple )?(?:PCIe Bus Error: severity=(?P<sev>Corrected|Correctable|Uncorrected \((?:Non-Fatal|Fatal)\)|Uncorrectable \((?:Non-Fatal|Fatal)\)), type=(?P<type>[\w ]+)|(?P<sev2>Corrected|Correctable|Uncorrected|Uncorrectable)(?: \([\w-]+\))? error (?:message )?received(?:: | from )(?P<src>\S+))").refine(express),
    rule("dpc", Sign::LinkError, &["pcieport "], &["DPC: "],
        r"^pcieport (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): DPC: (?P<text>(?P<contained>containment event), status:0x[0-9a-f]+.*|(?P<contained2>unmasked uncorrectable error) detected.*|.*)").refine(contained),
    rule("pciehp", Sign::Info, &["pcieport ", "pciehp "], &["Slot("],
        r"^(?:pcieport|pciehp) (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d)(?::pcie\d+)?: (?:pciehp: )?Slot\((?P<pcislot>[^)]+)\): (?P<what>Link Down|Card not present|Link Up|Card present|Button.*|Power fault)").refine(hot_plug),
    rule("iommu", Sign::LinkError, &["DMAR: ", "AMD-Vi: "], &["fault", "IO_PAGE_FAULT"],
        r"^(?:DMAR: \[(?P<t>[^\]]+)\] Request device \[(?P<bdf>[0-9a-f:.]+)\].*fault.*|AMD-Vi: Event logged \[IO_PAGE_FAULT device=(?P<bdf2>[0-9a-f:.]+).*)").refine(iommu),
    rule("irq", Sign::UnspecifiedFault, &["irq "], &["nobody cared"], r"^irq (?P<n>\d+): nobody cared"),
    rule("mce", Sign::Info, &["mce: [Hardware Error]", "EDAC MC", "{"], &[],
        r"^(?:mce: \[Hardware Error\]: (?P<text>.*)|EDAC (?P<mc>MC\d+): (?P<n>\d+) (?P<ce>CE|UE) (?P<rest>.*)|\{\d+\}\[Hardware Error\]: (?P<g>.*))"),
    rule("oom.fs", Sign::Info, &["VFS: "], &["busy inodes", "Can't find"],
        r"^(?:VFS: busy inodes on changed media|VFS: Can't find ext[234] filesystem on dev (?P<dev>\S+?)\.)"),
];

/// Tasks that write to storage; others hang for many reasons.
fn hung(seen: &mut Observation) {
    let comm = seen.about.field("comm");
    let writes =
        ["md", "jbd2", "xfs", "txg_sync", "kworker", "dm", "btrfs", "flush-"].iter().any(|s| comm.starts_with(s));
    if writes {
        seen.sign = Sign::UnspecifiedFault;
    }
    if let Some(array) = comm.split_once('_').map(|(array, _)| array).filter(|a| a.starts_with("md")) {
        let array = Alias::Kernel(array.to_owned());
        seen.about.add_alias(array);
    }
}

/// Corrected errors are counted. The port is an alias only where the device itself spoke.
fn express(seen: &mut Observation) {
    if seen.about.field("sev").starts_with("Correct") {
        seen.sign = Sign::Corrected;
    }
}

fn contained(seen: &mut Observation) {
    if seen.about.field("contained").is_empty() {
        seen.sign = Sign::Info;
    }
}

fn hot_plug(seen: &mut Observation) {
    seen.sign = match seen.about.field("what") {
        "Link Down" | "Card not present" => Sign::DiskRemoved,
        "Card present" => Sign::DiskInserted,
        "Power fault" => Sign::HardwareError,
        _ => Sign::Info,
    };
}

fn iommu(seen: &mut Observation) {
    if let Some(device) = Alias::pci(seen.about.field("bdf")) {
        seen.about.add_alias(device);
    }
}
