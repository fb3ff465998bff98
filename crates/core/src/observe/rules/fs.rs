//! File systems: what they say when the storage under them fails.

use super::{Observation, Rule, Sign, rule};

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("ext.error", Sign::FilesystemError, &["EXT2-fs error", "EXT3-fs error", "EXT4-fs error"], &[],
        r"^EXT(?P<v>[234])-fs error \(device (?P<dev>[^)]+)\)(?:: | in )(?P<fn>\w+):?(?P<line>\d+)?: (?P<text>.*)"),
    rule("ext.ro", Sign::FilesystemError, &["EXT3-fs (", "EXT4-fs ("], &["read-only", "superblock", "allocation failed", "failed to convert", "data loss"],
        r"^EXT(?P<v>[34])-fs (?:\((?P<dev>[^)]+)\)): (?P<text>Remounting filesystem read-only|previous I/O error to superblock detected|I/O error while writing superblock|Delayed block allocation failed for inode .*|failed to convert unwritten extents.*|.*potential data loss.*)").refine(data_loss),
    rule("ext.end_bio", Sign::DataLoss, &["EXT4-fs warning (device "], &["writing to inode"],
        r"^EXT4-fs warning \(device (?P<dev>[^)]+)\): ext4_end_bio:?\d*: (?:IO|I/O) error (?:-?\d+ )?writing to inode (?P<inode>\d+)"),
    rule("ext.ro_old", Sign::FilesystemError, &["Remounting filesystem read-only"], &[], r"^Remounting filesystem read-only").inherits(),
    rule("ext.count", Sign::UnspecifiedFault, &["EXT4-fs ("], &["error count", "error at time"],
        r"^EXT4-fs \((?P<dev>[^)]+)\): (?:error count since last fsck: (?P<n>\d+)|(?P<w>initial|last) error at time (?P<t>\d+): (?P<fn>\S+))"),
    rule("jbd2", Sign::FilesystemError, &["JBD", "Aborting journal", "I/O error when", "I/O error detected", "Error ", "Detected IO errors"],
        &["Aborting journal", "updating journal superblock", "Detected IO errors"],
        r"^(?:JBD2?: |)(?:Aborting journal on device (?P<dev>\S+?)\.|(?:I/O error|Error -?\d+) (?:detected )?when updating journal superblock for (?P<dev2>\S+?)\.?|(?P<flush>Detected IO errors)(?: (?P<e>-?\d+))? while flushing file data on (?P<dev3>\S+))").refine(flush),
    rule("xfs.meta", Sign::FilesystemError, &["XFS ("], &["metadata I/O error"],
        r#"^XFS \((?P<dev>[^)]+)\): metadata I/O error(?: in "(?P<fn>[^"]+)" at daddr 0x(?P<daddr>[0-9a-f]+) len (?P<len>\d+) error (?P<e>\d+)|: block 0x(?P<blk>[0-9a-f]+) \("(?P<fn2>[^"]+)"\) error (?P<e2>\d+) numblks (?P<n>\d+))"#),
    rule("xfs.log", Sign::FilesystemError, &["XFS ("], &["I/O error", "I/O Error", "shut down", "Shutting down", "shutdown", "Corruption of", "rectify", "Failing async"],
        r"^XFS \((?P<dev>[^)]+)\): (?P<text>log I/O error -?\d+|Filesystem has been shut down due to log error.*|Log I/O Error.*|Metadata I/O Error.*Shutting down.*|Corruption of (?:in-memory data|on-disk metadata).*|xfs_do_force_shutdown.*|I/O Error Detected\. Shutting down filesystem|Please u(?:n)?mount the filesystem and rectify the problem\(?s?\)?|User initiated shutdown received\.?.*|Failing async write on buffer block 0x[0-9a-f]+\..*)").refine(by_hand),
    rule("xfs.corrupt", Sign::FilesystemError, &["XFS ("], &["corruption", "CRC error", "xfs_repair", "Internal error", "Corruption"],
        r"^XFS \((?P<dev>[^)]+)\): (?P<text>Metadata corruption detected at .*|Metadata CRC error detected at .*|Unmount and run xfs_repair|Internal error .*|Corruption (?:warning|detected).*)"),
    rule("xfs.old", Sign::FilesystemError, &["I/O error in filesystem", "xfs_force_shutdown(", "Filesystem \""], &[],
        r#"^(?:I/O error in filesystem \("(?P<dev>[^"]+)"\) meta-data dev|xfs_force_shutdown\((?P<dev2>[^,]+),|Filesystem "(?P<dev3>[^"]+)": .*[Ss]hutting down)"#),
    rule("btrfs.errs", Sign::IoError, &["BTRFS "], &[" errs: wr "],
        r"^BTRFS (?P<level>error|warning|info) \(device (?P<fsdev>[^)]+)(?: state [A-Z]+)?\): bdev (?P<dev>\S+) errs: wr (?P<wr>\d+), rd (?P<rd>\d+), flush (?P<flush>\d+), corrupt (?P<corrupt>\d+), gen (?P<gen>\d+)").refine(btrfs_counters),
    rule("btrfs.csum", Sign::FilesystemError, &["BTRFS "], &["csum failed"],
        r"^BTRFS (?:warning|info) \(device (?P<dev>[^)]+)\): csum failed (?:root (?P<root>-?\d+) )?ino (?P<ino>\d+) (?:off|extent) (?P<off>\d+) csum (?P<c>\S+) (?:expected csum|private|wanted) (?P<x>\S+)(?: mirror (?P<m>\d+))?"),
    rule("btrfs.fix", Sign::Corrected, &["BTRFS "], &["unable to fixup", "fixed up error", "read error corrected"],
        r"^BTRFS (?:error|warning|info) \(device (?P<fsdev>[^)]+)\): (?:(?P<un>unable to fixup \(regular\) error)|fixed up error|read error corrected: ino \d+ off \d+).*?(?:dev (?P<dev>\S+?))?(?: physical .*| sector .*)?\)?$").refine(btrfs_fix),
    rule("btrfs.misc", Sign::FilesystemError, &["BTRFS "],
        &["forced readonly", "lost page write", "is missing", "parent transid", "bad tree block", "chunk tree", "open_ctree failed", "IO failure", "Transaction aborted", "i/o error",
          "super block to device", "chunk root", "checksum error at", "failed to run delalloc"],
        r"^BTRFS:? (?:error|warning|critical|info)?:? ?\(device (?P<dev>[^):]+)(?:: state \w+|[^)]*)?\)(?::| in \S+:) (?P<text>forced readonly|lost page write due to IO error on .*|devid \d+ uuid \S+ is missing|parent transid verify failed.*|bad tree block start.*|failed to read chunk tree.*|open_ctree failed.*|errno=-5 IO failure.*|Transaction aborted.*|i/o error at logical .*|error writing (?:primary )?super block to device.*|failed to read chunk root.*|checksum error at logical .*|failed to run delalloc range.*)").refine(btrfs_text),
    rule("f2fs", Sign::FilesystemError, &["F2FS-fs ("], &[], r"^F2FS-fs \((?P<dev>[^)]+)\): (?P<text>.*(?:I/O error|inconsistent|corrupt|Stopped filesystem).*)"),
    rule("fat.nfs", Sign::UnspecifiedFault, &["FAT-fs ("], &[],
        r"^FAT-fs \((?P<dev>[^)]+)\): (?P<text>error, .*|Filesystem has been set read-only|Directory bread\(block \d+\) failed|FAT read failed.*)"),
];

fn data_loss(seen: &mut Observation) {
    if ["Delayed block", "failed to convert"].iter().any(|t| seen.about.field("text").starts_with(t))
        || seen.about.field("text").contains("data loss")
    {
        seen.sign = Sign::DataLoss;
    }
}

fn flush(seen: &mut Observation) {
    if !seen.about.field("flush").is_empty() {
        seen.sign = Sign::DataLoss;
    }
}

fn by_hand(seen: &mut Observation) {
    if seen.about.field("text").starts_with("User initiated") {
        seen.sign = Sign::Info;
    }
}

/// At mount btrfs prints its stored counters as information: history.
fn btrfs_counters(seen: &mut Observation) {
    let zero = ["wr", "rd", "flush", "corrupt", "gen"].iter().all(|n| seen.about.field(n) == "0");
    if zero || seen.about.field("level") == "info" {
        seen.sign = Sign::Info;
    }
}

fn btrfs_fix(seen: &mut Observation) {
    if !seen.about.field("un").is_empty() {
        seen.sign = Sign::DataLoss;
    }
}

fn btrfs_text(seen: &mut Observation) {
    if seen.about.field("text").starts_with("lost page write") {
        seen.sign = Sign::DataLoss;
    } else if seen.about.field("text").ends_with("is missing") {
        seen.sign = Sign::DiskMissing;
    }
}
