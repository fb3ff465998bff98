//! Which questions MegaCli is asked, and which question an answer belongs to.
//!
//! Few children: `-LdPdInfo` holds everything `-LDInfo` holds, so the latter is asked only where the
//! former is refused; progress of a rebuild is asked only for disks that rebuild. Every question
//! carries `-NoLog`, or MegaCli drops a log file into its working directory.

use super::events;
use raidmond_core::model::{Disk, DiskState};
use raidmond_core::survey::{AnswerKind, Asked, Deadline, Heard, Known, Query, Reading, Scope};

pub const COUNT: AnswerKind = AnswerKind("adapter-count");
pub const ADAPTER: AnswerKind = AnswerKind("adapter-info");
pub const ARRAYS: AnswerKind = AnswerKind("arrays");
pub const MEMBERS: AnswerKind = AnswerKind("arrays-and-members");
pub const DISKS: AnswerKind = AnswerKind("disks");
pub const BATTERY: AnswerKind = AnswerKind("battery");
pub const ENCLOSURES: AnswerKind = AnswerKind("enclosures");
pub const PROGRESS: AnswerKind = AnswerKind("progress");
pub const FOREIGN: AnswerKind = AnswerKind("foreign");
pub const EVENTS: AnswerKind = AnswerKind("events");
pub const PCI: AnswerKind = AnswerKind("pci");
/// What the firmware starts by itself: consistency checks and patrol reads.
pub const SCHEDULE: AnswerKind = AnswerKind("schedule");
/// Read-only and of no use for health: version, settings, help.
pub const OTHER: AnswerKind = AnswerKind("other");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

const EVENTS_AT_ONCE: u64 = 100;
const EVENTS_AT_MOST: u64 = 2000;

/// What is still to ask; empty when the conversation is over.
pub fn next(known: &Known, heard: &Heard, so_far: &Reading) -> Vec<Query> {
    let tool = known.tool.as_ref().map_or("MegaCli64", |t| t.name.as_str());
    let mut queries = match &known.scope {
        Scope::Everything => Vec::new(),
        Scope::Discover => discovery(tool, heard, so_far),
        Scope::Controller(number) => controller(tool, number, known, heard, so_far),
    };
    queries.retain(|q| !heard.has_asked(&q.asked));
    queries
}

fn discovery(tool: &str, heard: &Heard, so_far: &Reading) -> Vec<Query> {
    let mut queries = vec![question(tool, COUNT, "-AdpCount").deadline(Deadline::Quick)];
    if heard.has(COUNT) && !so_far.controllers.is_empty() {
        queries.push(question(tool, ADAPTER, "-AdpAllInfo -aALL").daily());
        queries.push(question(tool, PCI, "-AdpGetPciInfo -aALL").daily());
    }
    queries
}

fn controller(tool: &str, number: &str, known: &Known, heard: &Heard, so_far: &Reading) -> Vec<Query> {
    let on = |kind, words: &str| question(tool, kind, &format!("{words} -a{number}"));
    let mut queries = vec![
        on(MEMBERS, "-LdPdInfo"),
        on(DISKS, "-PDList"),
        on(ADAPTER, "-AdpAllInfo").slow(),
        on(BATTERY, "-AdpBbuCmd").slow(),
        on(ENCLOSURES, "-EncInfo").slow(),
        on(FOREIGN, "-CfgForeign -Scan").slow(),
        on(PROGRESS, "-LDCC -ShowProg -LALL").slow(),
        on(SCHEDULE, "-AdpCcSched -Info").daily(),
        on(SCHEDULE, "-AdpPR -Info").daily(),
        on(EVENTS, &format!("-AdpEventLog -GetLatest {EVENTS_AT_ONCE}")).slow().deadline(Deadline::Long),
    ];
    if heard.has(MEMBERS) && so_far.arrays.is_empty() && !super::lower::lists_no_arrays(heard) {
        queries.push(on(ARRAYS, "-LDInfo -LALL"));
    }
    queries.extend(so_far.disks.iter().filter_map(|disk| on_disk(&on, disk)));
    if let Some(missed) = events::missed(known, heard).filter(|missed| *missed > EVENTS_AT_ONCE) {
        let more = format!("-AdpEventLog -GetLatest {}", missed.min(EVENTS_AT_MOST));
        queries.push(on(EVENTS, &more).slow().deadline(Deadline::Long));
    }
    queries
}

/// How far a rebuild or copyback has come; counted by disk on this family.
fn on_disk(on: &impl Fn(AnswerKind, &str) -> Query, disk: &Disk) -> Option<Query> {
    let verb = match disk.state.as_ref()?.state {
        DiskState::Rebuilding => "-PDRbld",
        DiskState::CopyingBack => "-PDCpyBk",
        _ => return None,
    };
    let slot = disk.slot.as_ref()?;
    let enclosure = disk.enclosure.as_deref().unwrap_or("");
    Some(on(PROGRESS, &format!("{verb} -ShowProg -PhysDrv[{enclosure}:{slot}]")))
}

fn question(tool: &str, kind: AnswerKind, words: &str) -> Query {
    let mut argv = vec![tool];
    argv.extend(words.split(' '));
    argv.push("-NoLog");
    Query::cmd(kind, &argv)
}

/// By the command where it is given and clear, else by the head of the text.
pub fn recognise(asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
    let head = String::from_utf8_lossy(head);
    match asked {
        Asked::Cmd(argv) if argv.is_empty() => by_head(&head),
        Asked::Cmd(_) if is_ours(&asked.tool()) => {
            Some(by_words(&asked.args_lower()).or_else(|| by_head(&head)).unwrap_or(OTHER))
        }
        _ => None,
    }
}

/// MegaCli, MegaCli64, MegaCLI32, and Intel's rebrand CmdTool2.
fn is_ours(tool: &str) -> bool {
    tool.starts_with("megacli") || tool.starts_with("cmdtool2")
}

/// (first word without dash, a further word that must occur or "", kind). First fit decides.
/// Where a verb both shows and changes, the reading forms stand first.
static COMMANDS: &[(&str, &str, AnswerKind)] = &[
    ("adpcount", "", COUNT),
    ("adpallinfo", "", ADAPTER),
    ("ldinfo", "", ARRAYS),
    ("ldpdinfo", "", MEMBERS),
    ("cfgdsply", "", MEMBERS),
    ("pdlist", "", DISKS),
    ("pdinfo", "", DISKS),
    ("adpbbucmd", "bbulearn", MUTATION),
    ("adpbbucmd", "bbumfgsleep", MUTATION),
    ("adpbbucmd", "bbumfgseal", MUTATION),
    ("adpbbucmd", "setbbuproperties", MUTATION),
    ("adpbbucmd", "schedulelearn", MUTATION),
    ("adpbbucmd", "", BATTERY),
    ("encinfo", "", ENCLOSURES),
    ("encstatus", "", ENCLOSURES),
    ("pdrbld", "showprog", PROGRESS),
    ("pdrbld", "progdsply", PROGRESS),
    ("pdcpybk", "showprog", PROGRESS),
    ("pdcpybk", "progdsply", PROGRESS),
    ("ldcc", "showprog", PROGRESS),
    ("ldcc", "progdsply", PROGRESS),
    ("ldbi", "showprog", PROGRESS),
    ("ldbi", "progdsply", PROGRESS),
    ("ldinit", "showprog", PROGRESS),
    ("ldinit", "progdsply", PROGRESS),
    ("ldrecon", "showprog", PROGRESS),
    ("ldrecon", "progdsply", PROGRESS),
    ("pdclear", "showprog", OTHER),
    ("cfgforeign", "scan", FOREIGN),
    // Shows the other controller's configuration: must not be taken for this one's.
    ("cfgforeign", "dsply", OTHER),
    ("cfgforeign", "preview", OTHER),
    ("adpeventlog", "clear", MUTATION),
    ("adpeventlog", "geteventloginfo", OTHER),
    ("adpeventlog", "", EVENTS),
    ("adpgetpciinfo", "", PCI),
    ("adppr", "info", SCHEDULE),
    ("adpccsched", "info", SCHEDULE),
    ("ldbi", "getsetting", OTHER),
    ("adpsetprop", "", MUTATION),
    ("adpsettime", "", MUTATION),
    ("adpfwflash", "", MUTATION),
    ("adppr", "", MUTATION),
    ("adpccsched", "", MUTATION),
    ("adpalarm", "", MUTATION),
    ("pdrbld", "", MUTATION),
    ("pdcpybk", "", MUTATION),
    ("pdclear", "", MUTATION),
    ("pdonline", "", MUTATION),
    ("pdoffline", "", MUTATION),
    ("pdmakegood", "", MUTATION),
    ("pdmakejbod", "", MUTATION),
    ("pdmarkmissing", "", MUTATION),
    ("pdreplacemissing", "", MUTATION),
    ("pdprprmv", "", MUTATION),
    ("pdhsp", "", MUTATION),
    ("pdlocate", "", MUTATION),
    ("ldcc", "", MUTATION),
    ("ldbi", "", MUTATION),
    ("ldinit", "", MUTATION),
    ("ldrecon", "", MUTATION),
    ("ldsetprop", "", MUTATION),
    ("cfgforeign", "", MUTATION),
    ("cfgclr", "", MUTATION),
    ("cfgldadd", "", MUTATION),
    ("cfglddel", "", MUTATION),
    ("cfgspanadd", "", MUTATION),
    ("cfgeachdskraid0", "", MUTATION),
    ("cfgrestore", "", MUTATION),
    ("discardpreservedcache", "", MUTATION),
];

fn by_words(args: &[String]) -> Option<AnswerKind> {
    let bare: Vec<&str> = args.iter().map(|a| a.trim_start_matches('-')).collect();
    let verb = *bare.first()?;
    if let Some(row) = COMMANDS.iter().find(|(v, more, _)| *v == verb && (more.is_empty() || bare.contains(more))) {
        return Some(row.2);
    }
    // A verb of one word that is not in the table shows something else; anything odder is no command.
    (args.first().is_some_and(|a| a.starts_with('-')) && verb.chars().all(|c| c.is_ascii_alphanumeric()))
        .then_some(OTHER)
}

/// (parts that must all occur, lower case, kind). First fit decides.
static HEADS: &[(&[&str], AnswerKind)] = &[
    (&["controller count:"], COUNT),
    (&["bbu status for adapter"], BATTERY),
    (&["get bbu status failed"], BATTERY),
    (&["bbu design info for adapter"], BATTERY),
    (&["bbu capacity info for adapter"], BATTERY),
    (&["number of enclosures on adapter"], ENCLOSURES),
    (&["pci information for controller"], PCI),
    (&["seqnum:", "event description:"], EVENTS),
    (&["number of disk groups:"], MEMBERS),
    (&["number of virtual disks:"], MEMBERS),
    (&["virtual drive:", "enclosure device id:"], MEMBERS),
    (&["virtual drive information:"], ARRAYS),
    (&["virtual drive:", "target id:"], ARRAYS),
    (&["virtual disk:", "target id:"], ARRAYS),
    (&["enclosure device id:"], DISKS),
    (&["firmware state:", "inquiry data:"], DISKS),
    (&["slot number:", "firmware state:"], DISKS),
    (&["adapter #", "product name"], ADAPTER),
    (&["rebuild progress on device"], PROGRESS),
    (&["check consistency on vd"], PROGRESS),
    (&["foreign configuration", "on controller"], FOREIGN),
    (&["operation mode:", "execution delay:"], SCHEDULE),
    (&["patrol read mode:"], SCHEDULE),
    (&["megacli sas raid management tool"], OTHER),
    (&["user specified controller is not present"], OTHER),
    (&["exit code: 0x"], OTHER),
];

fn by_head(head: &str) -> Option<AnswerKind> {
    let head = head.to_ascii_lowercase();
    HEADS.iter().find(|(parts, _)| parts.iter().all(|p| head.contains(p))).map(|(_, kind)| *kind)
}
