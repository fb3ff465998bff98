//! Other monitors on this machine, and what each of them will mail too.
//!
//! Seen as a process, a systemd unit that is switched on, or a line of cron. Nothing is changed about
//! them.

use super::sysfs::{names, under};
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Replaced {
    Wholly,
    Partly,
    /// It does something else, or feeds another system.
    No,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherMonitor {
    pub name: String,
    /// "process 812", "mdmonitor.service", "/etc/cron.d/raid: …".
    pub seen: Vec<String>,
    pub tells: String,
    pub replaced: Replaced,
}

struct Sort {
    name: &'static str,
    /// Base names of the program; of a script run by an interpreter, too.
    programs: &'static [&'static str],
    /// Words one of which must be among the arguments.
    arguments: &'static [&'static str],
    units: &'static [&'static str],
    tells: &'static str,
    replaced: Replaced,
}

use Replaced::{No, Partly, Wholly};

#[rustfmt::skip]
static SORTS: &[Sort] = &[
    Sort { name: "mdadm --monitor", programs: &["mdadm"], arguments: &["--monitor", "-F", "--follow"], units: &["mdmonitor.service", "mdmonitor-oneshot.timer"],
        tells: "mails DegradedArray, Fail and DeviceDisappeared of md arrays to MAILADDR", replaced: Partly },
    Sort { name: "smartd", programs: &["smartd"], arguments: &[], units: &["smartd.service", "smartmontools.service"],
        tells: "mails SMART failures and growing counters of the disks it lists (-m in smartd.conf)", replaced: Partly },
    Sort { name: "zed", programs: &["zed"], arguments: &[], units: &["zfs-zed.service"],
        tells: "mails pool and device faults of ZFS (ZED_EMAIL_ADDR); it also starts hot spares: keep it", replaced: No },
    Sort { name: "MegaRAID Storage Manager", programs: &["vivaldi", "vivaldiframework", "mrmonitor", "MegaPopup", "msm", "LSAServer"], arguments: &[], units: &["vivaldiframeworkd.service", "mrmonitor.service", "lsi_mrdsnmpd.service"],
        tells: "mails and logs the events of MegaRAID controllers", replaced: Wholly },
    Sort { name: "raidmon (MegaServ)", programs: &["raidmon", "MegaServ", "megaserv", "MegaMon"], arguments: &[], units: &["raidmon.service"],
        tells: "logs to megaserv.log, which raidmond reads, and mails by /etc/megamon.conf", replaced: Partly },
    Sort { name: "megaclisas-status", programs: &["megaclisas-status", "megaclisas-statusd", "megaraid-status", "3ware-status", "tw-status", "aacraid-status", "mpt-status", "mpt-statusd", "hpacucli-status"], arguments: &[], units: &["megaclisas-statusd.service", "megaraidsas-statusd.service", "megaraid-statusd.service", "3ware-statusd.service", "aacraid-statusd.service", "mpt-statusd.service"],
        tells: "mails to root when its list shows trouble, and again every two hours", replaced: Wholly },
    Sort { name: "3DM2", programs: &["3dm2", "3dmd", "3dm"], arguments: &[], units: &["3dm2.service"],
        tells: "mails the alarms of 3ware controllers; reading its alarm list would take them away from it", replaced: Wholly },
    Sort { name: "Adaptec event monitor", programs: &["StorAgnt.sh", "Adaptec_Event_Monitor", "aacmond", "stor_agent"], arguments: &[], units: &["stor_agent.service", "adaptec_event_monitor.service"],
        tells: "mails the events of Adaptec controllers", replaced: Wholly },
    Sort { name: "arcmond", programs: &["arcmond", "archttp64", "archttp"], arguments: &[], units: &[],
        tells: "mails the events of Areca controllers", replaced: Partly },
    Sort { name: "HP health agents", programs: &["hpasmlited", "hpasmxld", "hp-health", "cmaeventd", "cmaidad", "amsd", "ahslog", "smad"], arguments: &[], units: &["hp-health.service", "amsd.service", "smad.service", "hp-asrd.service"],
        tells: "sends SNMP traps and iLO events for the whole server, disks included", replaced: No },
    Sort { name: "Dell OpenManage", programs: &["dsm_sa_datamgrd", "dsm_sa_eventmgrd"], arguments: &[], units: &["dsm_sa_datamgrd.service", "dsm_sa_eventmgrd.service"],
        tells: "sends SNMP traps and runs alert actions for the whole server, disks included", replaced: No },
    Sort { name: "netdata", programs: &["netdata"], arguments: &[], units: &["netdata.service"],
        tells: "alarms on md, MegaRAID and HP arrays if these collectors are on", replaced: No },
    Sort { name: "node_exporter", programs: &["node_exporter", "prometheus-node-exporter"], arguments: &["textfile"], units: &["prometheus-node-exporter-smartmon.timer", "prometheus-node-exporter-mdadm.timer"],
        tells: "feeds Prometheus through text files; alarms are made elsewhere", replaced: No },
    Sort { name: "Checkmk agent", programs: &["check_mk_agent", "cmk-agent-ctl", "check-mk-agent"], arguments: &[], units: &["cmk-agent-ctl-daemon.service", "check-mk-agent.socket"],
        tells: "feeds Checkmk; alarms are made there", replaced: No },
    Sort { name: "NRPE", programs: &["nrpe"], arguments: &[], units: &["nagios-nrpe-server.service", "nrpe.service"],
        tells: "answers Nagios; `raidmond nagios` can be one of its commands", replaced: No },
];

/// Words by which a line of cron is about RAID.
const CRON_TOOLS: [&str; 24] = [
    "megacli",
    "storcli",
    "perccli",
    "megarc",
    "tw_cli",
    "tw-cli",
    "arcconf",
    "ssacli",
    "hpacucli",
    "hpssacli",
    "sas2ircu",
    "sas3ircu",
    "mpt-status",
    "cli64",
    "mvcli",
    "omreport",
    "ipssend",
    "raidutil",
    "mdstat",
    "mdadm",
    "megaserv",
    "raid-status",
    "check_raid",
    "zpool status",
];

/// Programs that start others.
const INTERPRETERS: [&str; 7] = ["sh", "bash", "dash", "perl", "python", "python3", "java"];

pub fn find(root: &Path) -> Vec<OtherMonitor> {
    let (processes, units) = (processes(root), units(root));
    let mut found = Vec::new();
    for sort in SORTS {
        let by_process = processes.iter().filter(|p| sort.runs_as(&p.1)).map(|p| format!("process {}", p.0));
        let by_unit = units.iter().filter(|u| sort.units.contains(&u.as_str())).cloned();
        let seen: Vec<String> = by_process.chain(by_unit).collect();
        if !seen.is_empty() {
            let (name, tells) = (sort.name.to_owned(), sort.tells.to_owned());
            found.push(OtherMonitor { name, seen, tells, replaced: sort.replaced });
        }
    }
    let lines = cron(root);
    if !lines.is_empty() {
        let tells = "cron mails whatever it prints to MAILTO; nothing printed is no proof of health".to_owned();
        found.push(OtherMonitor { name: "cron".to_owned(), seen: lines, tells, replaced: Partly });
    }
    found
}

impl Sort {
    fn runs_as(&self, argv: &[String]) -> bool {
        let base = |word: &String| word.rsplit('/').next().unwrap_or("").trim_end_matches(':').to_owned();
        let mut words = argv.iter().map(base);
        let first = words.next().unwrap_or_default();
        let interpreted = INTERPRETERS.contains(&first.as_str());
        let is_it = |name: &str| self.programs.contains(&name);
        let program = is_it(&first) || (interpreted && words.next().is_some_and(|w| is_it(&w)));
        program && (self.arguments.is_empty() || argv.iter().any(|w| self.arguments.iter().any(|a| fits(w, a))))
    }
}

/// `-F` is a whole word; `textfile` is a part of `--collector.textfile.directory`.
fn fits(word: &str, wanted: &str) -> bool {
    if wanted.starts_with('-') { word == wanted } else { word.contains(wanted) }
}

/// (process number, arguments); the short name where a process hides its arguments.
fn processes(root: &Path) -> Vec<(u32, Vec<String>)> {
    let folder = under(root, "/proc");
    let own = std::process::id();
    let process = |name: String| {
        let number: u32 = name.parse().ok().filter(|n| *n != own)?;
        let at = folder.join(&name);
        let line = std::fs::read(at.join("cmdline")).unwrap_or_default();
        let words = line.split(|b| *b == 0).filter(|w| !w.is_empty());
        let argv: Vec<String> = words.map(|w| String::from_utf8_lossy(w).into_owned()).collect();
        let argv = if argv.is_empty() { super::sysfs::text(&at.join("comm")).into_iter().collect() } else { argv };
        Some((number, argv))
    };
    let mut found: Vec<(u32, Vec<String>)> = names(&folder).into_iter().filter_map(process).collect();
    found.sort_by_key(|p| p.0);
    found
}

/// Units that are switched on: links in `*.wants` directories.
fn units(root: &Path) -> Vec<String> {
    let mut units = Vec::new();
    for folder in ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"] {
        let folder = under(root, folder);
        for wants in names(&folder).iter().filter(|n| n.ends_with(".wants")) {
            units.extend(names(&folder.join(wants)));
        }
    }
    units.sort();
    units.dedup();
    units
}

fn cron(root: &Path) -> Vec<String> {
    let mut files = vec!["/etc/crontab".to_owned()];
    for folder in [
        "/etc/cron.d",
        "/etc/cron.hourly",
        "/etc/cron.daily",
        "/etc/cron.weekly",
        "/var/spool/cron",
        "/var/spool/cron/crontabs",
    ] {
        files.extend(names(&under(root, folder)).iter().map(|name| format!("{folder}/{name}")));
    }
    files.iter().flat_map(|file| cron_lines(root, file)).collect()
}

fn cron_lines(root: &Path, file: &str) -> Vec<String> {
    let bytes = std::fs::read(under(root, file)).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let about_raid = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        let tool = CRON_TOOLS.iter().any(|t| lower.contains(t));
        let comment = line.starts_with('#');
        // Debian's monthly md check is no monitor.
        !comment && tool && !lower.contains("checkarray")
    };
    let shown = |line: &str| line.chars().filter(|c| !c.is_control()).take(120).collect::<String>();
    text.lines().map(str::trim).filter(about_raid).take(5).map(|line| format!("{file}: {}", shown(line))).collect()
}
