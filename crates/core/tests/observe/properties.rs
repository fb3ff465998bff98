//! Whatever bytes come: no panic, and nothing depends on where a buffer was cut between lines.

use super::SCANNERS;
use proptest::prelude::*;
use raidmond_core::observe::{Carry, Context, fold};

/// Pieces that reach deep into the rules, to be put together at random.
const PIECES: &[&str] = &[
    "sd 0:0:0:0: [sda] tag#1 ",
    "Sense Key : ",
    "Medium Error",
    "ASC=0x",
    "ASCQ=0x",
    "md/raid1:md0: ",
    "Disk failure on ",
    "ata1.00: ",
    "error: { ",
    "UNC }",
    "res 41/40:00:00 Emask 0x409 (",
    "megaraid_sas 0000:08:00.0: 1 (1s/0x0020/",
    "CRIT) - ",
    "PD 15(e0x20/s",
    "VD ",
    "3w-9xxx: scsi0: AEN: ERROR (0x04:0x",
    "0002): ",
    "unit=",
    "hpsa 0000:06:00.0: ",
    "nvme0n1: Read(0x2) @ LBA ",
    "blk_update_request: I/O error, dev ",
    "sector 1",
    "Buffer I/O error on dev ",
    "6,1,2,-;",
    " DEVICE=+scsi:",
    "\\x0a",
    "[ 12.5] ",
    "Oct  1 12:00:00 box kernel: ",
    "message repeated 3 times: [ ",
    "last message repeated ",
    "callbacks suppressed",
    "Device: /dev/",
    "[megaraid_disk_",
    "adapter ",
    "logical drive ",
    "\n",
    "\n",
    "]",
    "é",
    "\u{0}",
    "0",
    "9",
    " ",
    ":",
    "sdb1",
    "cciss!c0d0p1",
    "/",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(|p| p.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in text()) {
        for (_, scanner) in SCANNERS.iter() {
            let scan = scanner.scan(&bytes, &Context::default(), &mut Carry::default());
            prop_assert!(scan.observations.iter().all(|o| o.said.chars().count() <= 500 && !o.said.contains('\n')));
            fold(scan.observations);
        }
    }

    #[test]
    fn where_a_buffer_is_cut_changes_nothing(bytes in text(), cut in any::<prop::sample::Index>()) {
        let ends: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i] == b'\n').map(|i| i + 1).collect();
        prop_assume!(!ends.is_empty());
        let (head, tail) = bytes.split_at(*cut.get(&ends));
        for (_, scanner) in SCANNERS.iter() {
            let whole = scanner.scan(&bytes, &Context::default(), &mut Carry::default()).observations;
            let mut carry = Carry::default();
            let mut parts = scanner.scan(head, &Context::default(), &mut carry).observations;
            parts.extend(scanner.scan(tail, &Context::default(), &mut carry).observations);
            prop_assert_eq!(whole, parts);
        }
    }

    #[test]
    fn folding_loses_no_line(counts in prop::collection::vec((0..4_u8, 0..5_u8, 1..9_u64), 0..200)) {
        use raidmond_core::{model::Alias, observe::{Observation, Sign}};
        let signs = [Sign::IoError, Sign::MediumError, Sign::Info, Sign::DiskFailed];
        let lines: Vec<Observation> = counts.iter().enumerate().map(|(i, (sign, disk, count))| {
            let mut line = Observation::new(signs[usize::from(*sign)], "rule", "line");
            line.about.aliases = vec![Alias::Kernel(format!("sd{disk}"))];
            line.count = *count;
            line.source_seconds = Some(i as f64 * 0.7);
            line
        }).collect();
        let total: u64 = lines.iter().map(|l| l.count).sum();
        prop_assert_eq!(fold(lines).iter().map(|l| l.count).sum::<u64>(), total);
    }
}

#[test]
fn an_overlong_line_is_bounded() {
    let mut bytes = vec![b'x'; 1 << 20];
    bytes.extend_from_slice(b"\nsd 0:0:0:0: [sda] tag#0 Medium access timeout failure. Offlining disk!\n");
    let scan = SCANNERS[0].1.scan(&bytes, &Context::default(), &mut Carry::default());
    assert_eq!((scan.counts.lines, scan.observations.len()), (2, 1));
    let mut long = b"sd 0:0:0:0: [sda] Add. Sense: ".to_vec();
    long.resize(1 << 20, b'a');
    assert!(SCANNERS[0].1.scan(&long, &Context::default(), &mut Carry::default()).observations[0].said.len() <= 500);
}
