//! megarc 1.11 for MegaRAID SCSI (320-x, PERC 3 and 4): banner, screen control, tabs.

use super::Answer;
use crate::world::{Array, ArrayState, Controller, Disk, DiskState, Family, World};
use std::fmt::Write;

const BANNER: &str = "
\t**********************************************************************
\t      MEGARC MegaRAID Configuration Utility(LINUX)-1.11(12-07-2004)     
\t      By LSI Logic Corp.,USA
\t**********************************************************************
\t  [Note: For SATA-2, 4 and 6 channel controllers, please specify
\t  Ch=0 Id=0..15 for specifying physical drive(Ch=channel, Id=Target)]

";

pub fn answer(args: &[&str], world: &World) -> Answer {
    let words: Vec<String> = args.iter().map(|a| a.trim_start_matches('-').to_ascii_lowercase()).collect();
    let has = |word: &str| words.iter().any(|w| w == word);
    if world.of(Family::MegaraidLegacy).next().is_none() {
        return Answer { stdout: format!("{BANNER}\tNo Adapters Found\n"), exit: 1 };
    }
    if has("allelinfo") || has("alladpinfo") {
        return Answer::ok(format!("{BANNER}{}", adapters(world)));
    }
    let number = words.iter().find_map(|w| w.strip_prefix('a')?.parse::<u32>().ok());
    let Some(c) = world.of(Family::MegaraidLegacy).find(|c| Some(c.number) == number) else {
        return Answer { stdout: format!("{BANNER}\tType ? as command line arg for help\n\n"), exit: 1 };
    };
    let text = match () {
        () if has("ldinfo") => scan(c) + &arrays(c),
        () if has("dispcfg") => scan(c) + &arrays(c) + &spares(c),
        () if has("phys") || has("pdinfo") => scan(c) + &disks(c, &words),
        () if has("ctlrinfo") => scan(c) + &controller(c),
        () => return Answer { stdout: format!("{BANNER}\tType ? as command line arg for help\n\n"), exit: 1 },
    };
    Answer::ok(format!("{BANNER}{text}"))
}

/// megarc walks the bus first and overwrites its own line.
fn scan(c: &Controller) -> String {
    let mut out = String::from("\tFinding Devices On Each MegaRAID Adapter...\n");
    for target in 0..16 {
        let up = if target == 0 { "" } else { "\u{1b}[A" };
        let _ = writeln!(out, "{up}\tScanning Ha {}, Chnl 0 Target {target:02}  ", c.number);
    }
    out + "\n"
}

fn adapters(world: &World) -> String {
    let mut out = String::from("\n\tAdapterNo  FirmwareType  CardType\n");
    for c in world.of(Family::MegaraidLegacy) {
        let _ = writeln!(out, "\t{:02}\t    40LD/8SPAN    {}", c.number, c.model);
    }
    out + "\n"
}

fn arrays(c: &Controller) -> String {
    c.arrays.iter().map(|a| array(c, a)).collect()
}

fn array(c: &Controller, a: &Array) -> String {
    let status = match a.state {
        ArrayState::Optimal => "OPTIMAL",
        ArrayState::Degraded | ArrayState::PartlyDegraded => "DEGRADED",
        ArrayState::Offline => "OFFLINE",
    };
    let write = if c.writes_back(a) { "WriteBack" } else { "WriteThru" };
    let read = if a.read_ahead { "Adaptive" } else { "Normal" };
    let mut out = format!(
        "\n\t  Logical Drive : {n}( Adapter: {adapter} ):  Status: {status}\n\t---------------------------------------------------\n\
         \tSpanDepth :{spans:02}     RaidLevel: {level}  RdAhead : {read}  Cache: DirectIo\n\
         \tStripSz   :{strip:03}KB   Stripes  : {stripes}  WrPolicy: {write}\n\n",
        n = a.number,
        adapter = c.number,
        spans = a.spans(),
        level = a.level.number(),
        strip = a.strip_kb,
        stripes = a.width(),
    );
    for span in 0..a.spans() {
        let _ = write!(
            out,
            "\tLogical Drive {} : SpanLevel_{span} Disks\n\tChnl  Target  StartBlock   Blocks      Physical Target Status\n\t----  ------  ----------   ------      ----------------------\n",
            a.number
        );
        for m in a.members.iter().filter(|m| m.span == span) {
            let blocks = a.sectors / (a.width() - a.level.tolerance()).max(1) as u64;
            let (channel, target, state) = match m.disk.and_then(|id| c.disk(id)) {
                Some(d) => (d.enclosure.unwrap_or(0), d.slot, disk_state(d)),
                None => (0, m.row, "FAILED"),
            };
            let _ = writeln!(out, "\t{channel}      {target:02}    0x{:08x}   0x{blocks:08x}   {state}", 0);
        }
    }
    out + "\n"
}

fn spares(c: &Controller) -> String {
    let spares = c.disks.iter().filter(|d| d.state == DiskState::HotSpare);
    let row = |d: &Disk| format!("\tHotSpare: Channel {} Target {:02}\n", d.enclosure.unwrap_or(0), d.slot);
    spares.map(row).collect()
}

fn disk_state(d: &Disk) -> &'static str {
    match d.state {
        DiskState::Online => "ONLINE",
        DiskState::Failed | DiskState::Bad | DiskState::Offline => "FAILED",
        DiskState::Rebuilding | DiskState::CopyingBack => "REBUILD",
        DiskState::HotSpare => "HOTSPARE",
        DiskState::Good | DiskState::Jbod => "READY",
    }
}

/// `-phys -chAll -idAll -a0`, `-pdInfo -a0 -ch0 -id2`. No capture of these is public: the layout is ours.
fn disks(c: &Controller, words: &[String]) -> String {
    let number = |prefix: &str| words.iter().find_map(|w| w.strip_prefix(prefix)?.parse::<u32>().ok());
    let (channel, id) = (number("ch"), number("id"));
    let wanted = |d: &&Disk| channel.is_none_or(|n| d.enclosure == Some(n)) && id.is_none_or(|n| d.slot == n);
    c.disks.iter().filter(wanted).map(|d| disk(c, d)).collect()
}

fn disk(c: &Controller, d: &Disk) -> String {
    format!(
        "\n\tAdapter {}, Channel {}, Target ID {}\n\t-------------------------------------\n\
         \tType: DISK     Vendor  : {:<8}  Product: {:<16}  Revision : {:<4}\n\
         \tSynchronous : Yes    Wide-32 : No     LinkCmdSupport: No\n\tTagQ support: Yes    RelAddr : No     Soft Reset    : No\n\
         \tSCSI-Level  : SCSI-3\n\tSize        : {} MB     Status   : {}\n\tMedia Err   : {}     Other Err: {}\n\tSMART       : {}\n",
        c.number,
        d.enclosure.unwrap_or(0),
        d.slot,
        d.vendor,
        d.model,
        d.firmware,
        d.bytes() >> 20,
        disk_state(d),
        d.media_errors,
        d.other_errors,
        if d.smart_alert { "Predictive failure" } else { "OK" },
    )
}

fn controller(c: &Controller) -> String {
    format!(
        "\t   Information of Adapter: {}\n\t   Card Type      : {}\n\t   Firmware Ver   : {}\n\t   DRAM Size      : {} MB\n\t   Logical Drives : {}\n\n",
        c.number,
        c.model,
        c.firmware,
        c.memory_mb,
        c.arrays.len()
    )
}
