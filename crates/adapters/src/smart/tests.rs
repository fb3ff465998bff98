use super::targets::targets;
use super::*;
use crate::{Conversation, testkit};
use raidmond_core::host::Block;
use raidmond_core::survey::{KnownDisk, Outcome, PciDevice, ToolFound};

#[test]
fn fixtures() {
    testkit::check_cases(&Smart);
}

#[test]
fn robust() {
    testkit::check_robustness(&Smart);
}

fn listed(space: Space, at: &str, id: Option<&str>, serial: &str) -> KnownDisk {
    KnownDisk {
        space,
        at: at.into(),
        controller: Some(Path::from(at).root()),
        pci: None,
        device_id: id.map(str::to_owned),
        serial: Some(serial.to_owned()),
        wwn: None,
        device: None,
    }
}

fn behind(space: Space, hosts: &[(u32, &str)], disks: Vec<KnownDisk>) -> Known {
    let scsi_hosts = hosts.iter().map(|(n, d)| (*n, (*d).to_owned())).collect();
    let number = disks[0].controller.as_ref().unwrap().as_str().trim_start_matches('c').to_owned();
    let tool = Some(ToolFound { name: "smartctl".into(), path: "/usr/sbin/smartctl".into(), version: None });
    Known { scope: Scope::Controller(number), space: Some(space), tool, scsi_hosts, disks, ..Known::default() }
}

fn addresses(known: &Known) -> Vec<String> {
    targets(known, &Heard::default()).iter().map(|t| t.words.join(" ")).collect()
}

#[test]
fn disks_behind_a_card_are_asked_by_what_their_card_calls_them() {
    let mega = listed(Space::Megaraid, "c1/32:4", Some("21"), "A1B2C3D4");
    let mut known = behind(Space::Megaraid, &[(0, "ahci"), (3, "megaraid_sas"), (5, "megaraid_sas")], vec![mega]);
    assert_eq!(addresses(&known), ["-d megaraid,21 /dev/bus/5"], "by the order of the hosts");
    known.disks[0].pci = Some("0000:03:00.0".into());
    known.pci = vec![PciDevice { address: "0000:03:00.0".into(), scsi_hosts: vec![3], ..PciDevice::default() }];
    assert_eq!(addresses(&known), ["-d megaraid,21 /dev/bus/3"], "by the PCI address");
    let ware = listed(Space::ThreeWare, "c0/p3", None, "A1B2C3D4");
    assert_eq!(addresses(&behind(Space::ThreeWare, &[(2, "3w-sas")], vec![ware])), ["-d 3ware,3 /dev/twl0"]);
    let adaptec = listed(Space::Aacraid, "c1/ch0:3", Some("0,3"), "A1B2C3D4");
    assert_eq!(addresses(&behind(Space::Aacraid, &[(0, "aacraid")], vec![adaptec])), ["-d aacraid,0,0,3 /dev/aac0"]);
    let twice = vec![
        listed(Space::Megaraid, "c0/32:4", Some("4"), "A1B2"),
        listed(Space::Megaraid, "c0/32:4", Some("4"), "A1B2C3"),
    ];
    assert_eq!(addresses(&behind(Space::Megaraid, &[(0, "megaraid_sas")], twice)).len(), 1, "two tools list it");
}

#[test]
fn areca_is_asked_through_its_own_generic_device() {
    let disks = vec![
        listed(Space::Areca, "c1/2:5", Some("6"), "ACM40001"),
        listed(Space::Areca, "c1/2:ext01", Some("9"), "ACM40002"),
        listed(Space::Areca, "c1/:3", Some("3"), "ACM40003"),
    ];
    let known = behind(Space::Areca, &[(0, "ahci"), (4, "arcmsr")], disks);
    let (asked, reading) = talk(&known, |w| match w {
        "/sys/bus/scsi/devices/4:0:16:0/scsi_generic" => ("sg7\n".to_owned(), 0),
        _ => ata(w),
    });
    let disks: Vec<&str> = asked.iter().filter(|w| w.contains("-a")).map(String::as_str).collect();
    let expected = ["smartctl -j -n standby -a -d areca,5/2 /dev/sg7", "smartctl -j -n standby -a -d areca,3 /dev/sg7"];
    assert_eq!(disks, expected);
    assert_eq!((reading.disks.len(), reading.disks[0].at.as_str()), (1, "c1/2:5"));
    let (asked, reading) = talk(&known, |_| (String::new(), 127));
    assert_eq!((asked.len(), reading.disks.len(), reading.notes.len()), (1, 0, 0), "{asked:?} {:?}", reading.notes);
}

#[test]
fn smart_arrays_are_counted_through_and_recognised_by_serial() {
    let disks = vec![listed(Space::Hp, "c0/1I:1:1", None, "HPA0001"), listed(Space::Hp, "c0/1I:1:2", None, "HPA0002")];
    let mut known = behind(Space::Hp, &[(0, "hpsa")], disks);
    known.blocks =
        vec![Block { name: "sda".into(), scsi_host: Some(0), driver: Some("hpsa".into()), ..Block::default() }];
    assert_eq!(addresses(&known), ["-d cciss,0 /dev/sda", "-d cciss,1 /dev/sda"]);
    let first = &targets(&known, &Heard::default())[0];
    assert_eq!(first.place(Some("HPA0002         "), None), Some("c0/1I:1:2".into()));
    assert_eq!((first.place(Some("ELSE0001"), None), first.place(None, None)), (None, None));
}

#[test]
fn serials_may_be_cut_and_padded_and_a_stranger_is_not_taken() {
    let mega = listed(Space::Megaraid, "c0/32:4", Some("4"), "S0M4K7TZ0000B412");
    let known = behind(
        Space::Megaraid,
        &[(0, "megaraid_sas")],
        vec![KnownDisk { wwn: Some("5000c500aabbccd0".into()), ..mega }],
    );
    let target = &targets(&known, &Heard::default())[0];
    let at = Some(Path::from("c0/32:4"));
    assert_eq!(target.place(Some(" S0M4K7TZ "), None), at);
    assert_eq!(target.place(Some("differently printed"), Some("0x5000c500aabbccd3")), at, "the same but for the port");
    assert_eq!(target.place(None, None), at);
    assert_eq!(target.place(Some("Z9Z9Z9Z9"), Some("5000c500ffffffff")), None);
}

#[test]
fn only_disks_of_this_machine_are_asked() {
    let block = |name: &str, driver: &str, model: &str| Block {
        name: name.into(),
        driver: Some(driver.into()),
        model: Some(model.into()),
        ..Block::default()
    };
    let blocks = vec![
        block("sda", "ahci", "ACME D4000"),
        block("sdb", "megaraid_sas", "PERC H730P"),
        block("sdc", "usb-storage", "ACME Portable"),
        block("sdd", "ahci", "QEMU HARDDISK"),
        block("sde", "iscsi_tcp", "LUN"),
        block("md0", "", ""),
        block("nvme0n1", "nvme", "ACME N1"),
        block("nvme1c0n1", "nvme", "ACME N1"),
    ];
    let known = Known { scope: Scope::Discover, blocks, ..Known::default() };
    assert_eq!(addresses(&known), ["/dev/sda", "/dev/nvme0n1"]);
}

/// Answers in the order they are asked for; what was asked comes back.
fn talk(known: &Known, answer: impl Fn(&str) -> (String, i32)) -> (Vec<String>, Reading) {
    let mut conversation = Conversation::new(&Smart, known.clone());
    let mut asked = Vec::new();
    loop {
        match conversation.advance() {
            Step::Done(reading) => return (asked, *reading),
            Step::Ask { queries, .. } => {
                for query in queries {
                    let words = query.asked.to_string();
                    let (text, exit) = answer(&words);
                    let outcome = Outcome { exit, absent: exit == 127, ..Outcome::default() };
                    asked.push(words);
                    let stdout = text.into_bytes();
                    conversation
                        .hear(&query, Answer { asked: query.asked.clone(), stdout, stderr: Vec::new(), outcome });
                }
            }
        }
    }
}

const NEW: &str = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n";
const OLD: &str = "smartctl 6.6 2016-05-31 r4324 [x86_64-linux-4.9.0] (local build)\n";

fn plain_disk() -> Known {
    let mut known = behind(
        Space::Kernel,
        &[],
        vec![KnownDisk { controller: Some("c0".into()), ..listed(Space::Kernel, "x", None, "x") }],
    );
    known.disks.clear();
    let disk =
        Block { name: "sda".into(), driver: Some("ahci".into()), holders: vec!["md0".into()], ..Block::default() };
    Known { scope: Scope::Discover, space: None, blocks: vec![disk], ..known }
}

const ATA: &str =
    "{\"smartctl\": {\"exit_status\": 0}, \"device\": {\"protocol\": \"ATA\"}, \"serial_number\": \"ACM40001\",
    \"rotation_rate\": 7200, \"smart_status\": {\"passed\": true},
    \"ata_sct_capabilities\": {\"error_recovery_control_supported\": true}}";

fn ata(words: &str) -> (String, i32) {
    let off = "{\"smartctl\": {}, \"ata_sct_erc\": {\"read\": {\"enabled\": false}, \"write\": {\"enabled\": false}}}";
    let text = match words {
        "smartctl --version" => NEW,
        w if w.contains("scterc") => off,
        w if w.ends_with("timeout") => "30\n",
        _ => ATA,
    };
    (text.to_owned(), 0)
}

#[test]
fn a_member_of_an_array_is_asked_how_long_it_tries() {
    let (asked, reading) = talk(&plain_disk(), ata);
    let expected = [
        "smartctl --version",
        "smartctl -j -n standby -a /dev/sda",
        "/sys/block/sda/device/timeout",
        "smartctl -j -n standby -l scterc /dev/sda",
    ];
    assert_eq!(asked, expected);
    let disk = &reading.disks[0];
    assert_eq!((disk.at.as_str(), disk.kernel_timeout_seconds), ("sda", Some(30)));
    assert!(disk.controller.is_none() && reading.coverage.has(&Path::default(), Covers::Disks));
    assert_eq!(disk.error_recovery.as_ref().map(|r| r.state), Some(ErrorRecovery::Unlimited));
}

#[test]
fn an_old_smartctl_is_asked_for_text_and_a_missing_one_for_nothing() {
    let (asked, _) =
        talk(&plain_disk(), |w| (if w.ends_with("--version") { OLD.to_owned() } else { String::new() }, 0));
    assert_eq!(asked[1], "smartctl -n standby -a /dev/sda");
    let (asked, reading) = talk(&plain_disk(), |_| (String::new(), 127));
    assert_eq!(asked.len(), 1);
    assert_eq!(reading.notes[0].kind, NoteKind::ToolFailed, "{:?}", reading.notes);
}

#[test]
fn a_sleeping_disk_is_listed_and_nothing_is_said_of_it() {
    let mut known = plain_disk();
    known.blocks.push(Block { name: "sdb".into(), driver: Some("ahci".into()), ..Block::default() });
    let asleep = "{\"smartctl\": {\"messages\": [{\"string\": \"Device is in STANDBY mode, exit(2)\", \"severity\": \"information\"}], \"exit_status\": 2}}";
    let (_, reading) = talk(&known, |w| if w.ends_with("-a /dev/sdb") { (asleep.to_owned(), 2) } else { ata(w) });
    let sleeper = reading.disks.iter().find(|d| d.at == "sdb".into()).unwrap();
    assert!(!sleeper.bears_health() && sleeper.device.as_deref() == Some("/dev/sdb"));
    assert!(reading.notes.iter().all(|n| n.kind == NoteKind::Remark), "{:?}", reading.notes);
}

#[test]
fn silence_behind_a_card_is_no_blindness() {
    let disks = vec![
        listed(Space::Megaraid, "c0/32:1", Some("1"), "ACM40001"),
        listed(Space::Megaraid, "c0/32:2", Some("2"), "ACM40002"),
    ];
    let known = behind(Space::Megaraid, &[(0, "megaraid_sas")], disks);
    let refusal = "Smartctl open device: /dev/bus/0 [megaraid_disk_02] failed: cannot open\n".to_owned();
    let (_, one) = talk(&known, |w| if w.contains("megaraid,2") { (refusal.clone(), 2) } else { ata(w) });
    assert_eq!(one.findings[0].what.state, FindingKind::ToolReportsNotice);
    assert_eq!((one.disks.len(), one.disks[0].at.as_str()), (1, "c0/32:1"));
    let (_, none) = talk(&known, |w| if w.ends_with("--version") { ata(w) } else { (refusal.clone(), 2) });
    assert!(none.disks.is_empty() && none.notes.iter().all(|n| n.kind == NoteKind::Remark), "{:?}", none.notes);
    let (_, other) = talk(&known, |w| (ata(w).0.replace("ACM40001", "ELSE9999"), 0));
    assert!(other.disks.is_empty());
    assert!(
        other.notes.iter().any(|n| n.kind == NoteKind::Partial && n.said.contains("ELSE9999")),
        "{:?}",
        other.notes
    );
}

fn disk_of(output: &str) -> Disk {
    let reading = testkit::read_command(&Smart, "smartctl -a /dev/sda", output);
    reading.disks.first().cloned().unwrap_or_else(|| panic!("{:?}", reading.notes))
}

#[test]
fn counts_are_taken_for_what_they_are() {
    let table = "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  1 Raw_Read_Error_Rate     0x000f   083   064   044    Pre-fail  Always       -       192564600
  5 Reallocated_Sector_Ct   0x0033   100   100   036    Pre-fail  Always       -       4
187 Reported_Uncorrect      0x0032   100   100   000    Old_age   Always       -       2
188 Command_Timeout         0x0032   100   100   000    Old_age   Always       -       94490722326
197 Total_LBAs_Read         0x0032   100   100   000    Old_age   Always       -       77
199 UDMA_CRC_Error_Count    0x003e   200   200   000    Old_age   Always       -       9
  9 Power_On_Hours          0x0032   001   001   001    Old_age   Always   FAILING_NOW 99999
";
    let disk = disk_of(table);
    assert_eq!((disk.reallocated_sectors, disk.unrecovered_errors), (Some(4), Some(2)));
    assert_eq!((disk.timeouts, disk.link_errors), (Some(22), Some(9)));
    assert!(disk.unreadable.is_none() && disk.worn.is_none() && disk.predictive.is_none());
}

#[test]
fn the_exit_status_is_a_set_of_bits() {
    let said =
        |exit: i32| format!("{{\"smartctl\": {{\"exit_status\": {exit}}}, \"smart_status\": {{\"passed\": true}}}}");
    let predicts = |exit: i32| disk_of(&said(exit)).predictive.unwrap().state;
    assert_eq!([0, 4, 32, 64, 128].map(predicts), [false; 5]);
    assert_eq!([8, 16, 8 + 64].map(predicts), [true; 3]);
}

#[test]
fn a_failed_test_counts_until_a_long_one_ended_well() {
    let rows = |rows: &[&str]| {
        let table: Vec<String> =
            rows.iter().enumerate().map(|(n, r)| format!("# {}  {r}  00%  100  -", n + 1)).collect();
        disk_of(&table.join("\n")).self_test_failed.map(|t| t.state)
    };
    let (short, long) =
        ("Short offline       Completed without error     ", "Extended offline    Completed without error     ");
    let (failed, aborted) =
        ("Extended offline    Completed: read failure     ", "Short offline       Aborted by host             ");
    assert_eq!(rows(&[short, aborted, failed]), Some(true));
    assert_eq!(rows(&[short, long, failed]), Some(false));
    assert_eq!(rows(&[aborted]), None);
}

#[test]
fn what_changes_a_disk_is_not_a_question() {
    let kind = |words: &str| Smart.recognise(&Asked::Cmd(words.split(' ').map(str::to_owned).collect()), b"");
    for words in [
        "smartctl -t long /dev/sda",
        "smartctl -s on /dev/sda",
        "smartctl -l scterc,70,70 /dev/sda",
        "smartctl -X /dev/sda",
    ] {
        assert_eq!(kind(words), Some(MUTATION), "{words}");
    }
    assert_eq!(kind("smartctl -l scterc /dev/sda"), Some(RECOVERY));
    assert_eq!(kind("/usr/sbin/smartctl -H /dev/cciss/c0d0 -dcciss,0"), Some(DISK));
    assert_eq!(kind("smartctl --scan-open"), Some(ASIDE));
}
