//! Machines built as small trees of files.

use super::*;
use crate::discover::others::Replaced;
use std::os::unix::fs::{PermissionsExt, symlink};

pub(crate) struct Tree(pub tempfile::TempDir);

impl Tree {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    pub fn tool(&self, path: &str) -> &Self {
        self.file(path, "#!/bin/sh\n");
        let path = self.0.path().join(path);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// vendor, device, subsystem vendor, subsystem device
    pub fn card(&self, address: &str, class: &str, ids: [&str; 4], driver: &str) -> &Self {
        let at = format!("sys/devices/pci0000:00/{address}");
        for (name, id) in ["vendor", "device", "subsystem_vendor", "subsystem_device"].iter().zip(ids) {
            self.file(&format!("{at}/{name}"), format!("0x{id}\n"));
        }
        self.file(&format!("{at}/class"), format!("{class}\n"));
        if !driver.is_empty() {
            self.link(&format!("{at}/driver"), &format!("../../../bus/pci/drivers/{driver}"));
        }
        self.link(&format!("sys/bus/pci/devices/{address}"), &format!("../../../devices/pci0000:00/{address}"))
    }

    pub fn host(&self, number: u32, address: &str, driver: &str) -> &Self {
        let at = format!("sys/devices/pci0000:00/{address}/host{number}");
        self.file(&format!("{at}/scsi_host/host{number}/proc_name"), format!("{driver}\n"));
        self.link(&format!("{at}/scsi_host/host{number}/device"), &format!("../../../host{number}"));
        let target = format!("../../devices/pci0000:00/{address}/host{number}/scsi_host/host{number}");
        self.link(&format!("sys/class/scsi_host/host{number}"), &target)
    }

    /// A disk with one partition.
    pub fn disk(&self, name: &str, address: &str, hctl: &str, vendor: &str, model: &str) -> &Self {
        let host = hctl.split(':').next().unwrap();
        let device = format!("sys/devices/pci0000:00/{address}/host{host}/target0/{hctl}");
        self.file(&format!("{device}/vendor"), format!("{vendor:<8}\n"));
        self.file(&format!("{device}/model"), format!("{model:<16}\n"));
        self.file(&format!("{device}/block/{name}/size"), "2097152\n");
        self.file(&format!("{device}/block/{name}/{name}1/partition"), "1\n");
        self.link(&format!("{device}/block/{name}/device"), &format!("../../../{hctl}"));
        self.link(&format!("sys/block/{name}"), &format!("../{device}/block/{name}").replace("sys/", ""))
    }

    pub fn inventory(&self) -> Inventory {
        discover(self.0.path(), &[])
    }
}

pub(crate) const PERC: [&str; 4] = ["1000", "005d", "1028", "1f47"];
const SAS39: [&str; 4] = ["1000", "10e2", "1000", "4010"];

pub(crate) fn perc() -> Tree {
    let tree = Tree::new();
    tree.card("0000:03:00.0", "0x010400", PERC, "megaraid_sas").host(0, "0000:03:00.0", "megaraid_sas");
    tree.disk("sda", "0000:03:00.0", "0:2:0:0", "DELL", "PERC H730P Mini");
    tree.file("proc/mounts", "/dev/sda1 / ext4 rw 0 0\n/dev/dm-0 /srv\\040x ext4 rw 0 0\nproc /proc proc rw 0 0\n");
    tree.file("sys/devices/virtual/block/dm-0/size", "8\n").link("sys/block/dm-0", "../devices/virtual/block/dm-0");
    let sda = "sys/devices/pci0000:00/0000:03:00.0/host0/target0/0:2:0:0/block/sda";
    tree.link(&format!("{sda}/sda1/holders/dm-0"), "/nowhere");
    tree.link(
        "sys/devices/virtual/block/dm-0/slaves/sda1",
        "../../../../pci0000:00/0000:03:00.0/host0/target0/0:2:0:0/block/sda/sda1",
    );
    tree
}

pub(crate) fn adaptec() -> Tree {
    let tree = Tree::new();
    tree.card("0000:07:00.0", "0x010400", ["9005", "028b", "9005", "0300"], "aacraid");
    tree.host(2, "0000:07:00.0", "aacraid");
    let host = "sys/devices/pci0000:00/0000:07:00.0/host2/scsi_host/host2";
    tree.file(&format!("{host}/vendor"), "Adaptec\n").file(&format!("{host}/model"), "6805\n");
    tree
}

pub(crate) fn plain_hba() -> Tree {
    let tree = Tree::new();
    tree.card("0000:05:00.0", "0x010700", ["1000", "0097", "1000", "3090"], "mpt3sas");
    tree.host(1, "0000:05:00.0", "mpt3sas");
    tree.disk("sdb", "0000:05:00.0", "1:0:0:0", "SEAGATE", "ST4000NM0023");
    tree.disk("sdc", "0000:05:00.0", "1:0:1:0", "SEAGATE", "ST4000NM0023");
    tree.card("0000:00:17.0", "0x010601", ["8086", "a102", "8086", "a102"], "ahci");
    tree
}

fn watches(inventory: &Inventory) -> Vec<String> {
    let words = |f: &Found| match &f.watch {
        Watch::Watched { by } => {
            let via = |v: &Via| format!("{}:{}", v.family, v.tool.as_deref().unwrap_or("files"));
            format!("watched {}", by.iter().map(via).collect::<Vec<_>>().join(" "))
        }
        Watch::Plain { why } => format!("plain {why}"),
        Watch::Blind { why, .. } => format!("blind {why}"),
        Watch::Refused { .. } => "refused".to_owned(),
    };
    inventory.controllers.iter().map(words).collect()
}

#[test]
fn a_perc_with_its_tool_is_watched() {
    let tree = perc();
    tree.tool("opt/MegaRAID/perccli/perccli64");
    let inventory = tree.inventory();
    assert_eq!(watches(&inventory), ["watched storcli:perccli64"]);
    let found = &inventory.controllers[0];
    assert_eq!(found.title(), "PERC H730P Mini (megaraid_sas, PCI 03:00.0)");
    assert_eq!((found.pci.scsi_hosts.clone(), found.pci.subsystem_device), (vec![0], 0x1f47));
    assert_eq!(inventory.tool("storcli").unwrap().path, "/opt/MegaRAID/perccli/perccli64");
}

#[test]
fn a_block_device_knows_its_card_and_every_mount_on_it() {
    let blocks = perc().inventory().blocks;
    let sda = blocks.iter().find(|b| b.name == "sda").unwrap();
    assert_eq!((sda.hctl.as_deref(), sda.scsi_host, sda.size_bytes), (Some("0:2:0:0"), Some(0), Some(1 << 30)));
    assert_eq!((sda.driver.as_deref(), sda.pci.as_deref()), (Some("megaraid_sas"), Some("0000:03:00.0")));
    assert_eq!((sda.vendor.as_deref(), sda.model.as_deref()), (Some("DELL"), Some("PERC H730P Mini")));
    assert_eq!(sda.mounts, ["/", "/srv x"]);
    let mapped = blocks.iter().find(|b| b.name == "dm-0").unwrap();
    assert_eq!(mapped.slaves, ["sda"], "the disk, not its partition");
}

#[test]
fn without_a_tool_a_raid_card_is_a_blind_spot_with_a_next_step() {
    for (tree, tool, page) in [(adaptec(), "arcconf", "aacraid"), (perc(), "perccli64", "storcli")] {
        let inventory = tree.inventory();
        assert_eq!(watches(&inventory), [format!("blind arrays not readable, {tool} is missing")]);
        let spots = blind_spots(&inventory, &[]);
        assert_eq!(spots.len(), 1);
        let remedy = spots[0].1.remedy.clone().unwrap();
        assert!(remedy.contains(&format!("docs/adapters/{page}.md")), "{remedy}");
    }
}

#[test]
fn a_tool_that_may_not_be_executed_is_not_a_tool() {
    let tree = adaptec();
    tree.file("usr/Arcconf/arcconf", "");
    let watch = &tree.inventory().controllers[0].watch;
    assert!(
        matches!(watch, Watch::Blind { remedy, .. } if remedy.contains("chmod 755 /usr/Arcconf/arcconf")),
        "{watch:?}"
    );
}

#[test]
fn plain_cards_are_not_blind_and_their_volumes_are() {
    let tree = plain_hba();
    let expected =
        ["plain makes no arrays, no disk on it", "plain makes no arrays, its 2 disks show themselves to the kernel"];
    assert_eq!(watches(&tree.inventory()), expected);
    assert_eq!(blind_spots(&tree.inventory(), &[]), []);
    tree.disk("sdd", "0000:05:00.0", "1:1:0:0", "LSI", "Logical Volume");
    assert!(tree.inventory().controllers[1].watch.is_blind());
    tree.file("sys/class/raid_devices/1:1:0:0/state", "active\n");
    assert_eq!(watches(&tree.inventory())[1], "watched lsi_ir:files", "the driver tells without a tool");
}

#[test]
fn a_tool_that_leaves_out_a_plain_adapter_is_no_blind_spot() {
    let tree = plain_hba();
    tree.tool("usr/sbin/sas2ircu").tool("usr/sbin/sas3ircu");
    let inventory = tree.inventory();
    assert_eq!(inventory.tool("lsi_ir").map(|t| t.name.as_str()), Some("sas3ircu"));
    assert_eq!(watches(&inventory)[1], "watched lsi_ir:sas3ircu");
    assert_eq!(blind_spots(&inventory, &[]), []);
}

#[test]
fn a_96xx_is_raid_or_plain_by_its_class() {
    let tree = Tree::new();
    tree.card("0000:03:00.0", "0x010400", ["1000", "00a5", "1028", "2115"], "mpi3mr");
    tree.card("0000:04:00.0", "0x010700", ["1000", "00a5", "1000", "4600"], "mpi3mr");
    let inventory = tree.inventory();
    assert_eq!(inventory.blind().count(), 1, "{:?}", watches(&inventory));
    tree.tool("opt/MegaRAID/perccli2/perccli2");
    let expected = ["watched storcli2:perccli2", "plain makes no arrays, no disk on it"];
    assert_eq!(watches(&tree.inventory()), expected);
}

#[test]
fn a_boss_card_hides_a_mirror_behind_one_disk() {
    let tree = Tree::new();
    tree.card("0000:01:00.0", "0x010601", ["1b4b", "9230", "1028", "1fe2"], "ahci");
    tree.card("0000:02:00.0", "0x010601", ["1b4b", "9230", "1b4b", "9230"], "ahci");
    let inventory = tree.inventory();
    assert_eq!(inventory.blind().count(), 1, "{:?}", watches(&inventory));
    tree.tool("opt/marvell/storage/cli/mvcli");
    let expected = ["watched boss:mvcli", "plain makes no arrays, no disk on it"];
    assert_eq!(watches(&tree.inventory()), expected);
}

#[test]
fn openmanage_stands_back_or_is_all_there_is() {
    let tree = perc();
    tree.tool("opt/dell/srvadmin/bin/omreport");
    assert_eq!(watches(&tree.inventory()), ["watched omreport:omreport"]);
    tree.tool("usr/sbin/perccli64");
    assert_eq!(watches(&tree.inventory()), ["watched storcli:perccli64"]);
}

#[test]
fn intel_raid_mode_and_vmd_are_not_blind_but_an_unknown_raid_driver_is() {
    let tree = Tree::new();
    tree.card("0000:00:17.0", "0x010400", ["8086", "2822", "8086", "0"], "ahci");
    tree.card("0000:00:18.0", "0x010400", ["8086", "201d", "8086", "0"], "vmd");
    tree.card("0000:00:19.0", "0x010400", ["1af4", "9999", "1", "1"], "newraid");
    tree.card("0000:00:1a.0", "0x010400", ["103c", "323a", "103c", "3245"], "hpsa");
    tree.card("0000:00:1b.0", "0x010400", ["1000", "0016", "1028", "1fcd"], "");
    tree.card("0000:00:1c.0", "0x020000", ["8086", "1", "1", "1"], "e1000");
    let blind: Vec<String> = tree.inventory().blind().map(Found::title).collect();
    let expected = [
        "RAID controller 1af4:9999 (newraid, PCI 00:19.0)",
        "Smart Array P410i (hpsa, PCI 00:1a.0)",
        "PERC H740P Mini (no driver, PCI 00:1b.0)",
    ];
    assert_eq!(blind, expected);
}

#[test]
fn megacli_stands_back_is_refused_or_is_all_there_is() {
    let tree = perc();
    tree.tool("opt/MegaRAID/MegaCli/MegaCli64");
    assert_eq!(watches(&tree.inventory()), ["watched megacli:MegaCli64"]);
    tree.tool("usr/sbin/storcli64");
    assert_eq!(watches(&tree.inventory()), ["watched storcli:storcli64"]);
    tree.card("0000:04:00.0", "0x010400", ["1000", "0060", "1028", "1f0b"], "megaraid_sas");
    assert_eq!(watches(&tree.inventory())[0], "watched storcli:storcli64 megacli:MegaCli64", "a PERC 6 needs it");
    let new = Tree::new();
    new.card("0000:03:00.0", "0x010400", SAS39, "megaraid_sas").tool("usr/sbin/MegaCli64");
    assert_eq!(watches(&new.inventory()), ["refused"]);
    assert!(blind_spots(&new.inventory(), &[])[0].1.said.contains("can crash the firmware"));
}

#[test]
fn fewer_controllers_than_the_bus_has_are_named() {
    let tree = perc();
    tree.card("0000:04:00.0", "0x010400", PERC, "megaraid_sas").tool("usr/sbin/perccli64");
    let inventory = tree.inventory();
    let read = |pci: &[Option<&str>]| -> Vec<(Option<String>, String)> {
        pci.iter().map(|p| (p.map(str::to_owned), "storcli".to_owned())).collect()
    };
    let names = |read: &[(Option<String>, String)]| -> Vec<String> {
        blind_spots(&inventory, read).into_iter().map(|(_, f)| f.name).collect()
    };
    assert_eq!(names(&read(&[Some("0000:03:00.0"), Some("0000:04:00.0")])), [] as [&str; 0]);
    assert_eq!(names(&read(&[None, None])), [] as [&str; 0]);
    assert_eq!(names(&read(&[Some("0000:03:00.0")])), ["PCI 0000:04:00.0"]);
    assert_eq!(names(&read(&[None])), ["driver megaraid_sas"]);
    assert_eq!(names(&[]).len(), 2);
    assert!(blind_spots(&inventory, &read(&[None]))[0].1.said.contains("1 of the 2"));
}

#[test]
fn linux_2_4_shows_its_cards_in_proc() {
    let tree = Tree::new();
    let pci = "PCI devices found:\n  Bus  0, device   1, function  0:\n    IDE interface: Intel PIIX4 (rev 1).\n  \
               Bus  1, device   4, function  0:\n    RAID bus controller: American Megatrends Inc. MegaRAID (rev 32).\n  \
               Bus  2, device   0, function  0:\n    RAID bus controller: PCI device 9005:0285 (rev 1).\n";
    tree.file("proc/pci", pci)
        .file("proc/scsi/megaraid/0", "")
        .file("proc/scsi/aacraid/1", "x")
        .file("proc/scsi/ips/2", "x");
    tree.file("proc/megaraid/hba0/config", "x");
    let inventory = tree.inventory();
    let titles: Vec<String> = inventory.controllers.iter().map(Found::title).collect();
    let expected =
        ["RAID controller (megaraid, PCI 01:04.0)", "RAID controller (aacraid, PCI 02:00.0)", "RAID controller (ips)"];
    assert_eq!(titles, expected);
    assert_eq!(watches(&inventory)[0], "watched megaraid_legacy:files");
    assert!(inventory.controllers[1..].iter().all(|c| c.watch.is_blind()));
}

#[test]
fn other_monitors_are_seen_wherever_they_are_started_from() {
    let tree = Tree::new();
    tree.file("proc/812/cmdline", "/sbin/mdadm\0--monitor\0--scan\0")
        .file("proc/813/cmdline", "mdadm\0--detail\0md0\0");
    tree.file("proc/900/cmdline", "").file("proc/900/comm", "smartd\n");
    tree.file("proc/901/cmdline", "/usr/bin/python3\0/usr/sbin/megaclisas-status\0");
    tree.file("proc/902/cmdline", "node_exporter\0--collector.textfile.directory=/x\0");
    tree.file("proc/903/cmdline", "vi\0/etc/smartd.conf\0");
    tree.link("etc/systemd/system/multi-user.target.wants/zfs-zed.service", "/lib/systemd/system/zfs-zed.service");
    tree.file(
        "etc/cron.d/raid",
        "# storcli\n*/5 * * * * root MegaCli -PDList -aALL | grep -i fail\n5 5 * * * root true\n",
    );
    let others = tree.inventory().others;
    let names: Vec<(&str, &str)> = others.iter().map(|o| (o.name.as_str(), o.seen[0].as_str())).collect();
    let expected = [
        ("mdadm --monitor", "process 812"),
        ("smartd", "process 900"),
        ("zed", "zfs-zed.service"),
        ("megaclisas-status", "process 901"),
        ("node_exporter", "process 902"),
        ("cron", "/etc/cron.d/raid: */5 * * * * root MegaCli -PDList -aALL | grep -i fail"),
    ];
    assert_eq!(names, expected);
    assert!(others.iter().all(|o| o.seen.len() == 1));
    assert_eq!(others[3].replaced, Replaced::Wholly);
}

#[test]
fn rights_are_asked_only_for_what_is_here() {
    let tree = Tree::new();
    tree.card("0000:01:00.0", "0x010400", ["1000", "0409", "1000", "3008"], "megaraid_mbox");
    let whats = |i: &Inventory| i.rights.iter().map(|r| (r.what.clone(), r.ok)).collect::<Vec<_>>();
    let before = whats(&tree.inventory());
    assert_eq!(before[1..], [("/dev/kmsg".to_owned(), false), ("/dev/megadev0".to_owned(), false)]);
    tree.file("dev/kmsg", "").file("dev/megadev0", "");
    assert!(whats(&tree.inventory())[1..].iter().all(|(_, ok)| *ok));
}

/// smartpqi drives HPE's cards and Microchip's own: each is read by its own tool.
#[test]
fn smartpqi_cards_are_read_by_their_makers_tool() {
    for (subsystem, expected) in
        [("1590", "watched hp:ssacli"), ("103c", "watched hp:ssacli"), ("9005", "watched aacraid:arcconf")]
    {
        let tree = Tree::new();
        tree.card("0000:5c:00.0", "0x010700", ["9005", "028f", subsystem, "0600"], "smartpqi");
        tree.tool("usr/sbin/ssacli").tool("usr/Arcconf/arcconf");
        assert_eq!(watches(&tree.inventory()), [expected], "{subsystem}");
    }
    let tree = Tree::new();
    tree.card("0000:05:00.0", "0x010400", ["103c", "323a", "103c", "3245"], "hpsa").tool("usr/bin/cciss_vol_status");
    assert_eq!(watches(&tree.inventory()), ["watched hp:cciss_vol_status"]);
    tree.tool("usr/sbin/hpssacli");
    assert_eq!(watches(&tree.inventory()), ["watched hp:hpssacli"]);
}
