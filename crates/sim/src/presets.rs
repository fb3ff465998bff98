//! Ready-made hosts and the demo's script.

use crate::world::{
    Array, ArrayState, Battery, BatteryKind, BatteryState, Controller, Disk, DiskState, Enclosure, Event, Family,
    Interface, Level, Member, Part, Pci, Spare, World,
};

/// Where preset time starts; `World::at` moves it.
pub const START: u64 = 1_796_000_000;

/// What `raidmond demo` plays on [`demo`].
pub const DEMO_SCRIPT: &str = "\
# A disk of the big array shows signs, then fails; the spare takes over.
at 8s   disk c0 32:5 media-errors 3
at 20s  disk c0 32:5 predictive
at 35s  io-errors sda 2
at 36s  disk c0 32:5 fails
at 60s  rebuild c0 speed 2%/s
# The rebuild is through; the admin puts a new disk in and makes it the spare.
at 110s disk c0 32:5 replaced Z1Z7N3W5
at 118s disk c0 32:5 spare
# The weekly check of the big array comes at 125 s, by raidmond's schedule, and finds differences.
at 120s check c0 v0 next-finds 3
# The battery of the 3ware card dies.
at 135s battery c1 fails
at 150s disk m0 0:2 fails
# A tool stops answering.
at 165s tool tw_cli hangs
at 195s tool tw_cli works
at 200s log rotates
at 205s battery c1 replaced
at 215s disk m0 0:2 replaced
at 216s rebuild m0 speed 4%/s
";

pub fn demo() -> World {
    let mut world = World::new("db3", START);
    world.controllers = vec![perc(), threeware(), adaptec(), legacy()];
    world.controllers.iter_mut().for_each(|c| c.events = boot_events(c));
    world
}

/// Four MegaRAID cards with 25 disks each: RAID 60, RAID 6, RAID 10 and two spares.
pub fn big() -> World {
    let mut world = World::new("store1", START);
    world.controllers = (0..4).map(big_controller).collect();
    world.controllers.iter_mut().for_each(|c| c.events = boot_events(c));
    world
}

fn perc() -> Controller {
    let mut c = blank("c0", Family::Megaraid, 0);
    c.model = "PERC H730P Mini".into();
    c.serial = "5AT02CQ".into();
    c.firmware = "25.5.9.0001".into();
    c.pci = Pci { bus: 3, device: 0, vendor: 0x1000, id: 0x5d, subvendor: 0x1028, subdevice: 0x1f47 };
    c.sas_address = 0x5b8c_a3a0_f0a3_1100;
    c.dell = true;
    c.memory_mb = 2048;
    c.disks = (0..10).map(perc_disk).collect();
    let slots: Vec<u32> = (1..8).collect();
    c.arrays = vec![
        array(0, "data", Level::Raid5, members(&slots, 1), 7_812_939_776 * 6, "sda"),
        array(1, "boot", Level::Raid1, members(&[8, 9], 1), 584_843_264, "sdb"),
    ];
    c.disks[0].state = DiskState::HotSpare;
    c.disks[0].spare = Some(Spare::Global);
    c.battery = Some(battery(BatteryKind::CacheVault, "CVPM04", 18_223));
    c.enclosures = vec![enclosure(32, 24, "DP", "BP13G+EXP")];
    c
}

/// Device id is the slot here: slot 0 is the spare, 1 to 7 the data array, 8 and 9 the mirror.
fn perc_disk(slot: u32) -> Disk {
    const SERIALS: [&str; 10] = [
        "Z1Z2AAF1", "Z1Z2ABKM", "Z1Z2EFGH", "Z1Z2AC7P", "Z1Z2ADXQ", "Z1Z2ABCD", "Z1Z2AE0R", "Z1Z2AF3S", "S0M4K7TZ",
        "S0M4K81A",
    ];
    let boot = slot >= 8;
    let mut disk = disk(Some(32), slot, slot, Interface::Sas);
    disk.serial = SERIALS.get(slot as usize).copied().unwrap_or("Z1Z2ZZZZ").into();
    disk.model = if boot { "ST300MM0006" } else { "ST4000NM0023" }.into();
    disk.firmware = if boot { "LS0A" } else { "GS15" }.into();
    disk.sectors = if boot { 586_072_368 } else { 7_814_037_168 };
    disk.wwn = 0x5000_c500_5795_1000 + u64::from(slot) * 0x404;
    disk
}

fn threeware() -> Controller {
    let mut c = blank("c1", Family::ThreeWare, 1);
    c.model = "9650SE-8LPML".into();
    c.serial = "L326025B8301234".into();
    c.firmware = "FE9X 4.10.00.027".into();
    c.pci = Pci { bus: 5, device: 0, vendor: 0x13c1, id: 0x1004, subvendor: 0x13c1, subdevice: 0x1004 };
    c.memory_mb = 224;
    c.disks = (0..5).map(threeware_disk).collect();
    c.arrays = vec![array(0, "backup", Level::Raid5, members(&[0, 1, 2, 3], 1), 3_906_248_704 * 3, "sdc")];
    c.disks[4].state = DiskState::HotSpare;
    c.disks[4].spare = Some(Spare::Global);
    c.battery = Some(battery(BatteryKind::Bbu, "3ware BBU", 4711));
    c
}

fn threeware_disk(port: u32) -> Disk {
    let mut disk = disk(None, port, port, Interface::Sata);
    disk.vendor = String::new();
    disk.model = "WDC WD2003FYYS-02W0B0".into();
    disk.firmware = "01.01D01".into();
    disk.serial = format!("WD-WMAY0271{:04}", 3391 + port * 17);
    disk.sectors = 3_907_029_168;
    disk.wwn = 0x5001_4ee0_ae5c_2000 + u64::from(port);
    disk
}

fn adaptec() -> Controller {
    let mut c = blank("a1", Family::Aacraid, 1);
    c.model = "Adaptec 6805".into();
    c.serial = "1A3311A4F2B".into();
    c.firmware = "5.2-0 (19147)".into();
    c.pci = Pci { bus: 7, device: 0, vendor: 0x9005, id: 0x28b, subvendor: 0x9005, subdevice: 0x300 };
    c.memory_mb = 512;
    c.disks = (0..2).map(adaptec_disk).collect();
    c.arrays = vec![array(0, "mail", Level::Raid1, members(&[0, 1], 1), 1_951_170_560, "sdd")];
    c.battery = Some(battery(BatteryKind::CacheVault, "ZMM", 7));
    c
}

fn adaptec_disk(id: u32) -> Disk {
    let mut disk = disk(Some(0), id, id, Interface::Sata);
    disk.vendor = "WDC".into();
    disk.model = "WD1003FBYX-01Y7B1".into();
    disk.firmware = "01.01V02".into();
    disk.serial = format!("WD-WCAW3{:07}", 6_142_005 + id * 31);
    disk.sectors = 1_953_525_168;
    disk
}

fn legacy() -> Controller {
    let mut c = blank("m0", Family::MegaraidLegacy, 0);
    c.model = "LSI Logic MegaRAID SCSI 320-1".into();
    c.serial = "1604".into();
    c.firmware = "1L37:G119".into();
    c.pci = Pci { bus: 9, device: 8, vendor: 0x1000, id: 0x1960, subvendor: 0x1000, subdevice: 0x520 };
    c.memory_mb = 64;
    c.disks = (0..4).map(legacy_disk).collect();
    c.arrays = vec![array(0, "", Level::Raid5, members(&[0, 1, 2, 3], 1), 143_114_240 * 3, "sde")];
    c.battery = Some(battery(BatteryKind::Bbu, "", 1));
    c
}

fn legacy_disk(id: u32) -> Disk {
    let mut disk = disk(Some(0), id, id, Interface::Scsi);
    disk.model = "ST373454LC".into();
    disk.firmware = "D403".into();
    disk.serial = format!("3KP0{:04}", 1100 + id * 7);
    disk.sectors = 143_374_744;
    disk
}

fn big_controller(number: u32) -> Controller {
    let mut c = blank(&format!("c{number}"), Family::Megaraid, number);
    c.model = "AVAGO MegaRAID SAS 9361-8i".into();
    c.serial = format!("SV4363{:04}", 3114 + number * 11);
    c.firmware = "24.21.0-0159".into();
    c.pci = Pci { bus: 0x18 + number, device: 0, vendor: 0x1000, id: 0x5d, subvendor: 0x1000, subdevice: 0x9361 };
    c.scsi_host = number;
    c.sas_address = 0x5006_05b0_0986_d570 + u64::from(number) * 0x10;
    c.memory_mb = 1024;
    c.disks = (0..25).map(|slot| big_disk(number, slot)).collect();
    let ids = |from: u32, to: u32| (from..to).map(|s| 9 + s).collect::<Vec<u32>>();
    let device = |n: u32| format!("sd{}", (b'a' + (number * 3 + n) as u8) as char);
    c.arrays = vec![
        array(0, "tank", Level::Raid6, members(&ids(0, 12), 1), 15_626_928_128 * 10, &device(0)),
        array(1, "vm", Level::Raid10, members(&ids(12, 20), 4), 15_626_928_128 * 4, &device(1)),
        array(2, "log", Level::Raid5, members(&ids(20, 23), 1), 15_626_928_128 * 2, &device(2)),
    ];
    for array in &mut c.arrays {
        array.uid.replace_range(16..20, &format!("{:04x}", 0x1f2c + number));
    }
    for spare in &mut c.disks[23..] {
        spare.state = DiskState::HotSpare;
        spare.spare = Some(Spare::Global);
    }
    c.battery = Some(battery(BatteryKind::CacheVault, "CVPM02", 11_751 + u64::from(number)));
    c.enclosures = vec![enclosure(8, 25, "LSI", "SAS3x36")];
    c
}

fn big_disk(controller: u32, slot: u32) -> Disk {
    let mut disk = disk(Some(8), slot, 9 + slot, Interface::Sas);
    disk.model = "ST8000NM0075".into();
    disk.firmware = "E004".into();
    disk.serial = format!("ZA1{:02}K{:02}", 20 + controller, slot);
    disk.sectors = 15_628_053_168;
    disk.wwn = 0x5000_c500_9300_0000 + u64::from(controller * 256 + slot) * 0x404;
    disk
}

fn blank(id: &str, family: Family, number: u32) -> Controller {
    let host = match family {
        Family::Megaraid => 0,
        Family::ThreeWare => 1,
        Family::Aacraid => 6,
        Family::MegaraidLegacy => 7,
    };
    Controller {
        id: id.to_owned(),
        family,
        number,
        present: true,
        model: String::new(),
        serial: String::new(),
        firmware: String::new(),
        pci: Pci { bus: 0, device: 0, vendor: 0, id: 0, subvendor: 0, subdevice: 0 },
        scsi_host: host,
        sas_address: 0,
        temperature: 58,
        memory_mb: 512,
        memory_correctable: 0,
        memory_uncorrectable: 0,
        auto_rebuild: true,
        dell: false,
        arrays: Vec::new(),
        disks: Vec::new(),
        battery: None,
        enclosures: Vec::new(),
        tasks: Vec::new(),
        rebuild_speed: 0.5,
        check_speed: 2.0,
        schedule: None,
        next_finds: Default::default(),
        refused: Vec::new(),
        events: Vec::new(),
        next_sequence: 3205,
    }
}

/// What a card that runs quietly has in its log since it was switched on.
fn boot_events(c: &Controller) -> Vec<Event> {
    let lines: Vec<(u32, u32, String)> = match c.family {
        Family::Megaraid => vec![
            (0x00, 0x20, format!("Firmware initialization started (PCI ID {:04x}/{:04x})", c.pci.id, c.pci.vendor)),
            (0x01, 0x20, "Firmware version 4.300.00-8352".to_owned()),
            (0x105, 0x20, format!("Package version {}", c.firmware)),
            (0x2c, 0x20, "Time established as 11/23/26 9:17:05; (42 seconds since power on)".to_owned()),
            (0x8d, 0x08, "Battery Present".to_owned()),
            (0x27, 0x20, "Patrol Read started".to_owned()),
            (0x23, 0x20, "Patrol Read complete".to_owned()),
        ],
        Family::ThreeWare => {
            vec![(0x29, 0, "Verify started: unit=0".to_owned()), (0x2b, 0, "Verify completed: unit=0".to_owned())]
        }
        Family::Aacraid | Family::MegaraidLegacy => Vec::new(),
    };
    let first = c.next_sequence - lines.len() as u64;
    let hours = lines.len() as u64;
    let event = |(n, (code, locale, text)): (usize, (u32, u32, String))| Event {
        sequence: first + n as u64,
        time: START - (hours - n as u64) * 3600,
        code,
        class: 0,
        locale,
        text,
        data: Vec::new(),
    };
    lines.into_iter().enumerate().map(event).collect()
}

fn disk(enclosure: Option<u32>, slot: u32, device_id: u32, interface: Interface) -> Disk {
    Disk {
        enclosure,
        slot,
        device_id,
        vendor: "SEAGATE".into(),
        model: String::new(),
        serial: String::new(),
        firmware: String::new(),
        wwn: 0x5000_c500_1000_0000 + u64::from(device_id),
        sectors: 0,
        interface,
        state: DiskState::Online,
        spare: None,
        media_errors: 0,
        other_errors: 0,
        predictive_errors: 0,
        predictive_sequence: 0,
        smart_alert: false,
        reallocated: 0,
        unreadable: 0,
        foreign: false,
        temperature: 31 + i64::from(slot % 4),
        hours: 21_480 + u64::from(slot) * 3,
        locating: false,
    }
}

/// Spreads the disks over `spans` spans, in order.
fn members(disks: &[u32], spans: u32) -> Vec<Member> {
    let per_span = (disks.len() as u32 / spans).max(1);
    let place =
        |(n, id): (usize, &u32)| Member { span: n as u32 / per_span, row: n as u32 % per_span, disk: Some(*id) };
    disks.iter().enumerate().map(place).collect()
}

fn array(number: u32, name: &str, level: Level, members: Vec<Member>, sectors: u64, device: &str) -> Array {
    Array {
        number,
        group: number,
        name: name.to_owned(),
        level,
        strip_kb: 64,
        sectors,
        members,
        write_back: true,
        write_back_always: false,
        read_ahead: true,
        bad_blocks: false,
        device: device.to_owned(),
        uid: format!("61866da0{:08x}1f2c{number:04x}5f0c{:04x}", sectors & 0xffff_ffff, sectors >> 32 & 0xffff),
        created: START - 400 * 86_400,
        inconsistencies: 0,
        state: ArrayState::Optimal,
    }
}

fn battery(kind: BatteryKind, model: &str, serial: u64) -> Battery {
    Battery {
        kind,
        model: model.into(),
        serial,
        state: BatteryState::Optimal,
        temperature: 29,
        millivolts: 3981,
        charge: 98,
    }
}

fn enclosure(id: u32, slots: u32, vendor: &str, product: &str) -> Enclosure {
    let part = |value| Part { ok: true, value };
    Enclosure {
        id,
        slots,
        vendor: vendor.into(),
        product: product.into(),
        fans: vec![part(5100), part(5130)],
        supplies: vec![part(0), part(0)],
        sensors: vec![part(27)],
    }
}
