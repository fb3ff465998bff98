//! Captures of storcli and MegaCli that were cut short, hold rows without a state or the answer of
//! another command: none of them may be judged as well.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use raidmond::assess;
use raidmond_core::severity::Severity;
use raidmond_core::survey::Transcript;
use std::path::{Path, PathBuf};

fn judge(text: &str) -> Severity {
    let transcript = Transcript::parse(text.as_bytes()).expect("a transcript");
    assess::worst(&assess::assess(&transcript, "2026-11-30T12:00:00Z".parse().expect("a time")))
}

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/adapters/src");
    let entries = ["storcli", "megacli"].map(|f| std::fs::read_dir(root.join(f).join("cases")).expect("cases"));
    let paths = entries.into_iter().flatten().map(|e| e.expect("an entry").path());
    let mut found: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "txt")).collect();
    found.sort();
    found
}

/// Cut after every line, but for the ends of whole answers: what is left there is a smaller capture,
/// and nothing is cut. That is the only exception.
fn prefixes(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ends = |at: usize| lines.get(at).is_none_or(|next| next.starts_with("#@ "));
    (1..lines.len()).filter(|at| !ends(*at)).map(|at| lines[..at].concat()).collect()
}

#[test]
fn no_prefix_of_a_fault_is_well() {
    let (mut cuts, mut wrong) = (0, Vec::new());
    for path in fixtures() {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        if judge(&text) < Severity::Warning {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for prefix in prefixes(&text) {
            cuts += 1;
            let verdict = judge(&prefix);
            if verdict < Severity::Warning {
                wrong.push(format!(
                    "{name}: {verdict} after {} lines: {:?}",
                    prefix.lines().count(),
                    prefix.lines().last()
                ));
            }
        }
    }
    println!("{cuts} cuts");
    assert!(cuts > 200, "only {cuts} cuts");
    assert!(wrong.is_empty(), "{} of {cuts}:\n{}", wrong.len(), wrong.join("\n"));
}

fn bad(what: &str, text: &str) {
    let verdict = judge(text);
    assert!(verdict >= Severity::Warning, "{what}: {verdict}");
}

const SUMMARY: &str = "#@ cmd: storcli64 /call show all\nCLI Version = 007.1211.0000.0000\nController = 0\n\
    Status = Success\nDescription = None\n\nBasics :\n======\nController = 0\nModel = TEST 9999\n\nStatus :\n======\n\
    Controller Status = Optimal\n\nVirtual Drives = 1\n\nVD LIST :\n=======\n\n---------------\n\
    DG/VD TYPE  State\n---------------\n0/0   RAID1 Optl\n---------------\n\nPhysical Drives = 1\n\n\
    PD LIST :\n=======\n\n-----------------\nEID:Slt DID State\n-----------------\n8:0      10 Onln\n-----------------\n";

#[test]
fn a_summary_of_storcli_needs_its_lists() {
    assert_eq!(judge(SUMMARY), Severity::Ok);
    for prefix in prefixes(SUMMARY).iter().filter(|p| !p.contains("Onln")) {
        bad(prefix, prefix);
    }
}

#[test]
fn a_row_without_its_state_is_not_well() {
    let json = |command: &str, data: &str| {
        format!(
            "#@ cmd: storcli64 {command} show all J\n{{\"Controllers\":[{{\"Command Status\":{{\"Controller\":0,\
             \"Status\":\"Success\"}},\"Response Data\":{{{data}}}}}]}}\n"
        )
    };
    for row in ["{\"DG/VD\":\"0/0\"}", "{\"TYPE\":\"RAID1\",\"State\":\"Optl\"}"] {
        bad(row, &json("/c0/vall", &format!("\"VD LIST\":[{row}]")));
    }
    for row in ["{\"EID:Slt\":\"8:0\",\"DID\":3}", "{\"DID\":3,\"State\":\"Onln\"}"] {
        bad(row, &json("/c0/eall/sall", &format!("\"PD LIST\":[{row}]")));
    }
    assert_eq!(judge(&json("/c0/vall", "\"VD LIST\":[{\"DG/VD\":\"0/0\",\"State\":\"Optl\"}]")), Severity::Ok);
}

#[test]
fn megacli_lists_as_much_as_it_counts() {
    let page = |arrays: u32| {
        format!(
            "#@ cmd: MegaCli64 -AdpAllInfo -aALL\n\nAdapter #0\n\nProduct Name : TEST\nVirtual Drives : {arrays}\n\
             Degraded : 0\nOffline : 0\nCritical Disks : 0\nFailed Disks : 0\n\nExit Code: 0x00\n\
             #@ cmd: MegaCli64 -LDInfo -Lall -aALL\n\n{ARRAYS}Exit Code: 0x00\n"
        )
    };
    assert_eq!(judge(&page(1)), Severity::Ok);
    bad("one of two", &page(2));
}

const ARRAYS: &str = "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nName :\n\
    RAID Level : Primary-1, Secondary-0, RAID Level Qualifier-0\nSize : 1.0 TB\nState : Optimal\n\
    Number Of Drives : 2\nSpan Depth : 1\n\
    Current Cache Policy: WriteThrough, ReadAheadNone, Direct, No Write Cache if Bad BBU\n\
    Disk Cache Policy : Disabled\n\n\n";

#[test]
fn an_answer_of_megacli_needs_its_trailer() {
    let arrays = format!("#@ cmd: MegaCli64 -LDInfo -Lall -aALL\n\n{ARRAYS}");
    // Copied without its trailer, and whole as far as anybody can see.
    assert_eq!(judge(&arrays), Severity::Ok);
    assert_eq!(judge(&format!("{arrays}Exit Code: 0x00\n")), Severity::Ok);
    let within = arrays.find("Disk Cache Policy").expect("the line");
    bad("cut within a block", &arrays[..within]);
    let count = "#@ cmd: MegaCli64 -AdpCount\n\nController Count: 1.\n\nExit Code: 0x01\n";
    bad("others have their trailers", &format!("{count}{arrays}"));
    let disks = "#@ cmd: MegaCli64 -PDList -aALL\n\nAdapter #0\n\nEnclosure Device ID: 8\nSlot Number: 0\nDevice Id: 9\n\
        Firmware state: Online, Spun Up\nInquiry Data: TEST\n\nEnclosure Device ID: 8\nSlot Number: 1\n";
    bad("cut within a disk", disks);
    bad("cut after its state", &format!("{disks}Firmware state: Online, Spun Up\n"));
}

#[test]
fn the_answer_of_another_command_is_not_understood() {
    let arrays = format!("\n{ARRAYS}Exit Code: 0x00\n");
    let storcli = SUMMARY.split_once('\n').expect("a command").1;
    for command in ["-AdpAllInfo -aALL", "-PDList -aALL", "-LDInfo -Lall -aALL"] {
        bad(command, &format!("#@ cmd: MegaCli64 {command}\n{storcli}"));
        bad(command, &format!("#@ cmd: MegaCli64 {command}\n\nController Count: 1.\n\nExit Code: 0x01\n"));
    }
    for command in ["-AdpAllInfo -aALL", "-PDList -aALL"] {
        bad(command, &format!("#@ cmd: MegaCli64 {command}\n{arrays}"));
    }
    for trailer in ["Exit Code: 0x01", "Controller Count: 1.\n\nExit Code: 0x01"] {
        bad(trailer, &format!("#@ cmd: MegaCli64 -adpCount\n\n{trailer}\n"));
    }
}
