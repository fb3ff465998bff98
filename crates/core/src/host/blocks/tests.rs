use super::super::SourceKey;
use super::*;
use crate::diagnose::{self, ConditionKind, Memory, Policy};
use crate::model::{Array, ArrayState, Disk, DiskState, Observed, Path};
use crate::observe::{Observation, Sign};
use crate::survey::Reading;
use jiff::Timestamp;

const PCI: &str = "0000:03:00.0";

fn host(family: &str, space: Space, pci: Option<&str>) -> Host {
    let mut r = Reading::new(family, space);
    let c0 = Path::controller(0);
    r.controller(&c0).aliases.extend(pci.and_then(Alias::pci));
    for n in [0, 1] {
        let mut array = Array { at: c0.array(n), controller: Some(c0.clone()), ..Array::default() };
        array.state = Some(Observed::new(ArrayState::Optimal, "Optl"));
        r.arrays.push(array);
        let at = c0.slot(Some("32"), n);
        let id = Some((n + 9).to_string());
        let state = Some(Observed::new(DiskState::Online, "Onln"));
        r.disks.push(Disk { at, controller: Some(c0.clone()), device_id: id, state, ..Disk::default() });
    }
    let mut host = Host::default();
    host.apply(&SourceKey { family: family.into(), about: "c0".into() }, &r, Timestamp::UNIX_EPOCH);
    host
}

fn block(name: &str, hctl: &str, driver: &str) -> Block {
    let (hctl, driver) = (Some(hctl.to_owned()), Some(driver.to_owned()));
    Block { name: name.into(), hctl, driver, pci: Some(PCI.into()), ..Block::default() }
}

fn with(mut host: Host, blocks: Vec<Block>) -> Host {
    let driver = blocks.iter().find_map(|b| b.driver.clone()).unwrap_or_default();
    host.blocks = blocks;
    host.scsi_hosts = vec![ScsiHost { number: 0, driver, pci: Some(PCI.into()) }];
    host
}

fn owner(host: &Host, alias: &Alias) -> Option<String> {
    let view = host.view();
    host.shown_by(&view, host.block_named(alias)?).map(|id| host.name(id))
}

fn kernel(name: &str) -> Alias {
    Alias::Kernel(name.into())
}

/// What an I/O error on this name amounts to: (subject, kind).
fn io_error(host: &Host, aliases: &[Alias], fields: &[(&str, &str)]) -> Vec<(String, ConditionKind)> {
    let mut line = Observation::new(Sign::IoError, "blk.plain", "I/O error");
    line.about.aliases = aliases.to_vec();
    line.about.fields = fields.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let (mut memory, view) = (Memory::default(), host.view());
    memory.observe(host, &view, &[line], &crate::diagnose::Rates::new(), "kernel", Timestamp::UNIX_EPOCH);
    let (found, _) = diagnose::diagnose(host, &memory, &Policy::default(), Timestamp::UNIX_EPOCH);
    found.into_iter().map(|c| (c.subject.name, c.kind)).collect()
}

#[test]
fn megaraid_logical_drives_and_disks_by_channel() {
    let blocks = vec![
        block("sda", "0:2:1:0", "megaraid_sas"),
        block("sdb", "0:0:9:0", "megaraid_sas"),
        block("sdc", "0:2:7:0", "megaraid_sas"),
    ];
    let host = with(host("storcli", Space::Megaraid, Some(PCI)), blocks);
    assert_eq!(owner(&host, &kernel("sda")).as_deref(), Some("c0/v1"));
    assert_eq!(owner(&host, &Alias::Hctl("0:2:1:0".into())).as_deref(), Some("c0/v1"));
    assert_eq!(owner(&host, &kernel("sdb")).as_deref(), Some("c0/32:0"), "device id, not slot");
    assert_eq!(owner(&host, &kernel("sdc")), None);
}

#[test]
fn io_errors_on_a_logical_drive_are_critical_and_on_a_disk_are_not() {
    let blocks = vec![
        block("sda", "0:2:1:0", "megaraid_sas"),
        block("sdb", "0:0:9:0", "megaraid_sas"),
        block("sdc", "0:2:7:0", "megaraid_sas"),
        block("sdd", "0:0:99:0", "megaraid_sas"),
        block("sde", "0:0:0:0", "hpsa"),
        block("sdf", "0:0:0:0", "ahci"),
    ];
    let host = with(host("storcli", Space::Megaraid, Some(PCI)), blocks);
    use ConditionKind::{IoErrors, IoErrorsArray};
    let expected = [
        ("sda", "c0/v1", IoErrorsArray),
        ("sdb", "c0/32:0", IoErrors),
        ("sdc", "sdc", IoErrorsArray),
        ("sdd", "sdd", IoErrors),
        ("sde", "sde", IoErrorsArray),
        ("sdf", "sdf", IoErrors),
        ("sdz", "sdz", IoErrors),
    ];
    for (name, subject, kind) in expected {
        assert_eq!(io_error(&host, &[kernel(name)], &[]), [(subject.to_owned(), kind)], "{name}");
    }
}

#[test]
fn units_and_containers_by_target_where_one_card_stands_for_itself() {
    let tw = with(host("tw_cli", Space::ThreeWare, None), vec![block("sda", "4:0:1:0", "3w-9xxx")]);
    assert_eq!(owner(&tw, &kernel("sda")).as_deref(), Some("c0/v1"));
    let blocks = vec![block("sda", "4:0:1:0", "aacraid"), block("sdb", "4:1:9:0", "aacraid")];
    let aac = with(host("aacraid", Space::Aacraid, None), blocks);
    assert_eq!(owner(&aac, &kernel("sda")).as_deref(), Some("c0/v1"));
    assert_eq!(owner(&aac, &kernel("sdb")).as_deref(), Some("c0/32:0"));
}

#[test]
fn a_volume_is_known_by_its_unique_id_before_its_number() {
    let mut host = host("storcli", Space::Megaraid, Some(PCI));
    let mut r = Reading::new("storcli", Space::Megaraid);
    let c0 = Path::controller(0);
    let uid = Alias::array_uid("600508b1001c0ff1").into_iter().collect();
    r.arrays.push(Array { at: c0.array(1), controller: Some(c0), aliases: uid, ..Array::default() });
    host.apply(&SourceKey { family: "storcli".into(), about: "c0".into() }, &r, Timestamp::UNIX_EPOCH);
    let sda = Block { wwid: Some("naa.600508B1001C0FF1".into()), ..block("sda", "0:2:0:0", "megaraid_sas") };
    let host = with(host, vec![sda]);
    assert_eq!(owner(&host, &kernel("sda")).as_deref(), Some("c0/v1"));
}

#[test]
fn with_two_cards_nothing_is_guessed() {
    let mut host = with(host("tw_cli", Space::ThreeWare, None), vec![block("sda", "4:0:1:0", "3w-9xxx")]);
    host.scsi_hosts.push(ScsiHost { number: 1, driver: "3w-9xxx".into(), pci: Some("0000:04:00.0".into()) });
    assert_eq!(owner(&host, &kernel("sda")), None);
}

#[test]
fn device_mapper_leads_to_the_one_device_below_and_md_does_not() {
    let mapped = |name: &str, slaves: &[&str]| Block {
        name: name.into(),
        slaves: slaves.iter().map(|s| (*s).to_owned()).collect(),
        ..Block::default()
    };
    let blocks = vec![
        block("sda", "0:2:0:0", "megaraid_sas"),
        mapped("dm-0", &["sda"]),
        mapped("dm-1", &["dm-0"]),
        mapped("dm-2", &["sda", "sdb"]),
        mapped("dm-3", &["dm-3"]),
        mapped("md0", &["sda"]),
    ];
    let host = with(host("storcli", Space::Megaraid, Some(PCI)), blocks);
    assert_eq!(owner(&host, &kernel("dm-1")).as_deref(), Some("c0/v0"));
    assert_eq!(owner(&host, &kernel("dm-2")), None);
    assert_eq!(owner(&host, &kernel("dm-3")), None);
    assert_eq!(io_error(&host, &[kernel("md0")], &[]), [("md0".to_owned(), ConditionKind::IoErrorsArray)]);
}

#[test]
fn arrays_get_device_and_mounts_and_keep_what_they_stated() {
    let mut sda = block("sda", "0:2:0:0", "megaraid_sas");
    sda.mounts = vec!["/srv".into()];
    let host = with(host("storcli", Space::Megaraid, Some(PCI)), vec![sda]);
    let view = host.view();
    let of = |n: usize| (view.arrays[n].facts.device.as_deref(), view.arrays[n].facts.mounts.clone());
    assert_eq!(of(0), (Some("/dev/sda"), vec!["/srv".to_owned()]));
    assert_eq!(of(1), (None, Vec::new()));
}

#[test]
fn a_host_number_names_the_card_and_what_is_behind_it() {
    let host = with(host("tw_cli", Space::ThreeWare, None), vec![block("sda", "0:0:1:0", "3w-9xxx")]);
    let card = Alias::ScsiHost("0".into());
    let subject = |fields: &[(&str, &str)]| io_error(&host, std::slice::from_ref(&card), fields)[0].0.clone();
    assert_eq!(subject(&[]), "c0");
    assert_eq!(subject(&[("unit", "u1")]), "c0/v1");
    assert_eq!(subject(&[("enclosure", "32"), ("slot", "1")]), "c0/32:1");
    let by_id = io_error(&host, &[Alias::DeviceId("10".into()), card.clone()], &[]);
    assert_eq!(by_id[0].0, "c0/32:1");
    assert_eq!(io_error(&host, &[Alias::ScsiHost("3".into())], &[])[0].0, "3", "no such host: nobody's");
}

#[test]
fn a_disk_that_is_just_a_kernel_name_gets_what_stands_on_its_label() {
    let mut r = Reading::new("md", Space::Kernel);
    let at = Path::new("md0/sdb");
    r.disks.push(Disk { at, device: Some("/dev/sdb".into()), ..Disk::default() });
    let mut host = Host::default();
    host.apply(&SourceKey { family: "md".into(), about: String::new() }, &r, Timestamp::UNIX_EPOCH);
    let plain = Block { serial: Some("Z1".into()), model: Some("M".into()), ..block("sdb", "2:0:0:0", "ahci") };
    let disk = |host: &Host| host.view().disks.first().map(|d| (d.facts.serial.clone(), d.facts.model.clone()));
    let behind_raid = Block { driver: Some("hpsa".into()), ..plain.clone() };
    assert_eq!(disk(&with(host.clone(), vec![plain])), Some((Some("Z1".into()), Some("M".into()))));
    assert_eq!(disk(&with(host, vec![behind_raid])), Some((None, None)), "a logical drive's label is not a disk's");
}
