//! Lines that look like faults and are none; they come before every other rule.

use super::{Rule, Sign, rule};

const BLOCK: &[&str] = &[
    "end_request: ",
    "blk_update_request: ",
    "print_req_error: ",
    "Buffer I/O error",
    "I/O error, dev ",
    "critical ",
    "floppy: ",
];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    // Optical drives, floppies and loop devices: no medium, pulled medium, unplugged image.
    rule("noise.removable", Sign::Benign, BLOCK, &["dev fd", "dev sr", "dev loop", "device fd", "device sr", "device loop"],
        r"\bdev(?:ice)? (?P<dev>(?:fd|sr|loop)\d+)\b"),
    rule("noise.optical", Sign::Benign, &["sr "], &["[sr"], r"^sr (?P<hctl>\d+:\d+:\d+:\d+): \[(?P<dev>sr\d+)\]"),
    rule("noise.fasync", Sign::Benign, &["megasas: "], &["fasync_helper"], r"^megasas: fasync_helper was not called first"),
    rule("noise.cache-page", Sign::Benign, &["sd "], &["drive cache: "],
        r"^sd (?P<hctl>\d+:\d+:\d+:\d+): (?:\[(?P<dev>\w+)\] )?Assuming drive cache: "),
];
