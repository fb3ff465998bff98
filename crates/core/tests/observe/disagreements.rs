//! Where the corpus' own automatic marks and the rules differ, and why the rules are right.

/// File (end of its path) and reason. Marked as errors, no fault to us.
pub const QUIET_DESPITE_MARKS: &[(&str, &str)] = &[
    ("klog_blk_6818e0c62b_b54d.txt", "the failed read is of a floppy drive (fd0) without a disk"),
    ("klog_blk_01307c71f9_eee5.txt", "the failed read is of a floppy drive (fd0) without a disk"),
    ("klog_nvme_aa4a60dffd_e1b8.txt", "WRITE_ZEROES refused: an optional command, the kernel falls back"),
    ("klog_md_3e9a2acef4_78ab.txt", "the mark \"btrfs csum\" comes from the list of loaded modules"),
    ("dmesg-007.txt", "the mark \"btrfs csum\" comes from a line about the crc32c module"),
];

/// Boot logs without marks in which something is a fault indeed.
pub const FAULT_DESPITE_NO_MARKS: &[(&str, &str)] =
    &[("VMCORE_DMESG_CRASH", "a dm-raid member without superblock, an array active with 1 of 2 mirrors")];
