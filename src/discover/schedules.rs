//! Checks that this machine starts by itself: systemd timers and cron, as distributions ship them and as
//! admins write them.
//!
//! md: `mdcheck_start.timer` (mdadm, SUSE), `/etc/cron.d/mdadm` with `checkarray` (Debian, switched off by
//! AUTOCHECK in `/etc/default/mdadm`), `raid-check` (Red Hat, switched off by ENABLED in
//! `/etc/sysconfig/raid-check`). ZFS and btrfs: scrub timers and cron. Vendors' tools: whoever starts a check
//! with them from cron. Only what is there is told; whether it ever ran is not this module's business.

use super::sysfs::{names, under};
use jiff::SignedDuration;
use raidmond_core::model::{CheckSchedule, Path, ScheduledBy, Space};
use std::path::Path as File;

struct Timer {
    /// The unit; what ends in `@` is one for each pool or mount point.
    unit: &'static str,
    space: Space,
}

static TIMERS: [Timer; 6] = [
    Timer { unit: "mdcheck_start.timer", space: Space::Kernel },
    Timer { unit: "raid-check.timer", space: Space::Kernel },
    Timer { unit: "zfs-scrub-weekly@", space: Space::Zfs },
    Timer { unit: "zfs-scrub-monthly@", space: Space::Zfs },
    Timer { unit: "btrfs-scrub.timer", space: Space::Btrfs },
    Timer { unit: "btrfs-scrub@", space: Space::Btrfs },
];

/// Words that stand together in a line of cron that starts a check, in lower case.
static CRON: [(&[&str], Space); 11] = [
    (&["checkarray"], Space::Kernel),
    (&["raid-check"], Space::Kernel),
    (&["check", "/md/sync_action"], Space::Kernel),
    (&["zpool", "scrub"], Space::Zfs),
    (&["zfs-linux/scrub"], Space::Zfs),
    (&["btrfs", "scrub"], Space::Btrfs),
    (&["cli", "start", " cc"], Space::Megaraid),
    (&["ldcc", "start"], Space::Megaraid),
    (&["tw_cli", "verify"], Space::ThreeWare),
    (&["arcconf", "task", "verify"], Space::Aacraid),
    (&["megarc", "chkcon"], Space::MegaraidLegacy),
];

/// A file that switches a job off: its name, the key and the value that does it.
static SWITCHES: [(&str, &str, &str, &str); 4] = [
    ("checkarray", "/etc/default/mdadm", "AUTOCHECK", "false"),
    ("raid-check", "/etc/sysconfig/raid-check", "ENABLED", "no"),
    ("btrfs", "/etc/default/btrfsmaintenance", "BTRFS_SCRUB_PERIOD", "none"),
    ("btrfs", "/etc/sysconfig/btrfsmaintenance", "BTRFS_SCRUB_PERIOD", "none"),
];

const UNITS: [&str; 4] =
    ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];
const DAY: i64 = 24;
const WEEK: i64 = 7 * DAY;
const MONTH: i64 = 30 * DAY;

pub fn find(root: &File) -> Vec<(Space, CheckSchedule)> {
    let mut found = timers(root);
    found.extend(cron(root));
    found.dedup();
    found
}

fn timers(root: &File) -> Vec<(Space, CheckSchedule)> {
    let enabled = enabled(root);
    let mut found = Vec::new();
    for timer in &TIMERS {
        let is_it = |unit: &&String| match timer.unit.ends_with('@') {
            true => unit.starts_with(timer.unit) && unit.ends_with(".timer"),
            false => *unit == timer.unit,
        };
        found.extend(enabled.iter().filter(is_it).map(|unit| (timer.space, of_unit(root, timer, unit))));
    }
    found
}

/// Units that something wants, each once.
fn enabled(root: &File) -> Vec<String> {
    let mut units = Vec::new();
    for folder in UNITS {
        let folder = under(root, folder);
        for wants in names(&folder).iter().filter(|n| n.ends_with(".wants")) {
            units.extend(names(&folder.join(wants)));
        }
    }
    units.sort();
    units.dedup();
    units
}

fn of_unit(root: &File, timer: &Timer, unit: &str) -> CheckSchedule {
    let template = match unit.split_once('@') {
        Some((name, _)) => format!("{name}@.timer"),
        None => unit.to_owned(),
    };
    let calendar = calendar(root, &template);
    let masked = is_masked(root, unit) || is_masked(root, &template);
    let active = !masked && !is_switched_off(root, unit);
    let when = calendar.as_deref().map_or(String::new(), |c| format!(" (OnCalendar={c})"));
    let mut schedule =
        CheckSchedule::new(on(timer, unit), ScheduledBy::Distribution, Some(active), format!("{unit}{when}"));
    schedule.period = calendar.as_deref().and_then(period_of_calendar).or_else(|| period_by_name(unit));
    schedule
}

/// The pool of `zfs-scrub-weekly@tank.timer`; systemd writes odd characters as `\x2d`, which are left.
fn on(timer: &Timer, unit: &str) -> Path {
    let instance = unit.strip_prefix(timer.unit).and_then(|rest| rest.strip_suffix(".timer"));
    instance.filter(|_| timer.unit.ends_with('@')).map_or(Path::default(), Path::new)
}

fn is_masked(root: &File, unit: &str) -> bool {
    let link = std::fs::read_link(under(root, "/etc/systemd/system").join(unit));
    link.is_ok_and(|target| target == File::new("/dev/null"))
}

/// The last `OnCalendar=` counts, an admin's drop-in over the unit.
fn calendar(root: &File, unit: &str) -> Option<String> {
    let file = UNITS.iter().find_map(|f| std::fs::read_to_string(under(root, f).join(unit)).ok());
    let folder = under(root, "/etc/systemd/system").join(format!("{unit}.d"));
    let drop_ins = names(&folder).into_iter().filter_map(|name| std::fs::read_to_string(folder.join(name)).ok());
    let texts: Vec<String> = file.into_iter().chain(drop_ins).collect();
    let values = texts.iter().flat_map(|t| t.lines()).filter_map(|l| l.trim().strip_prefix("OnCalendar="));
    values.map(str::trim).rfind(|v| !v.is_empty()).map(str::to_owned)
}

/// Of the usual forms only: "monthly", "Sun *-*-1..7 1:00:00", "Sun 01:00".
fn period_of_calendar(text: &str) -> Option<SignedDuration> {
    let lower = text.to_ascii_lowercase();
    let day = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].iter().any(|d| lower.starts_with(d));
    let any_day = lower.contains("*-*-*") || !lower.contains('-');
    let hours = match lower.as_str() {
        "daily" => DAY,
        "weekly" => WEEK,
        "monthly" => MONTH,
        _ if day && any_day => WEEK,
        _ if lower.contains("*-*-") && !lower.contains("*-*-*") => MONTH,
        _ => return None,
    };
    Some(SignedDuration::from_hours(hours))
}

fn period_by_name(unit: &str) -> Option<SignedDuration> {
    let hours = match () {
        () if unit.contains("weekly") => WEEK,
        () if unit.contains("monthly") => MONTH,
        () => return None,
    };
    Some(SignedDuration::from_hours(hours))
}

fn cron(root: &File) -> Vec<(Space, CheckSchedule)> {
    let mut files = vec![("/etc/crontab".to_owned(), None)];
    let folders = [
        ("/etc/cron.d", None),
        ("/etc/cron.daily", Some(DAY)),
        ("/etc/cron.weekly", Some(WEEK)),
        ("/etc/cron.monthly", Some(MONTH)),
        ("/var/spool/cron", None),
        ("/var/spool/cron/crontabs", None),
    ];
    for (folder, period) in folders {
        files.extend(names(&under(root, folder)).into_iter().map(|name| (format!("{folder}/{name}"), period)));
    }
    files.iter().filter_map(|(file, period)| of_cron(root, file, *period)).collect()
}

/// The first line of a file that starts a check.
fn of_cron(root: &File, file: &str, folder_hours: Option<i64>) -> Option<(Space, CheckSchedule)> {
    // Editors' and packages' left-overs are not run.
    let name = file.rsplit('/').next().unwrap_or("");
    if file.starts_with("/etc/cron") && name.contains(['.', '~']) && name != "crontab" {
        return None;
    }
    let bytes = std::fs::read(under(root, file)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let systemd = under(root, "/run/systemd/system").exists();
    // Many say: only where no systemd has a timer for it.
    let left_to_systemd = |line: &str| systemd && line.contains("/run/systemd/system");
    let runs = |line: &&str| !line.starts_with('#') && !left_to_systemd(line);
    let (line, space) = text.lines().map(str::trim).filter(runs).find_map(|line| Some((line, starts_check(line)?)))?;
    let shown: String = line.chars().filter(|c| !c.is_control()).take(120).collect();
    let active = !is_switched_off(root, line);
    let mut schedule =
        CheckSchedule::new(Path::default(), ScheduledBy::Distribution, Some(active), format!("{file}: {shown}"));
    schedule.period = folder_hours.or_else(|| hours_of_cron(line)).map(SignedDuration::from_hours);
    Some((space, schedule))
}

fn starts_check(line: &str) -> Option<Space> {
    let lower = line.to_ascii_lowercase();
    CRON.iter().find(|(words, _)| words.iter().all(|w| lower.contains(w))).map(|(_, space)| *space)
}

fn hours_of_cron(line: &str) -> Option<i64> {
    let fields: Vec<&str> = line.split_whitespace().take(5).collect();
    // "… on Sundays, when the day of the month is at most 7": Debian's way to say monthly.
    let first_week = line.contains("-le 7") || line.contains("%w)");
    match fields.as_slice() {
        ["@daily" | "@midnight", ..] => Some(DAY),
        ["@weekly", ..] => Some(WEEK),
        ["@monthly", ..] => Some(MONTH),
        [_, _, day, _, weekday] if *day != "*" || (*weekday != "*" && first_week) => Some(MONTH),
        [_, _, _, _, weekday] if *weekday != "*" => Some(WEEK),
        [minute, ..] if minute.starts_with(|c: char| c.is_ascii_digit()) => Some(DAY),
        _ => None,
    }
}

/// The distribution's own switch for this job says no.
fn is_switched_off(root: &File, job: &str) -> bool {
    let off = |(name, file, key, value): &(&str, &str, &str, &str)| {
        let text = std::fs::read_to_string(under(root, file)).unwrap_or_default();
        let mut stated = text.lines().filter_map(|l| l.trim().strip_prefix(key)?.trim().strip_prefix('='));
        job.contains(name)
            && stated.next_back().is_some_and(|v| v.trim().trim_matches(['"', '\'']).eq_ignore_ascii_case(value))
    };
    SWITCHES.iter().any(off)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = under(dir.path(), path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        dir
    }

    /// Space, object, whether it is on, days.
    fn found(files: &[(&str, &str)]) -> Vec<(Space, String, Option<bool>, Option<i64>)> {
        let dir = root(files);
        let row = |(space, s): (Space, CheckSchedule)| {
            (space, s.on.to_string(), s.active, s.period.map(|p| p.as_hours() / DAY))
        };
        find(dir.path()).into_iter().map(row).collect()
    }

    const DEBIAN: &str = "# cron.d/mdadm\nPATH=/bin\n57 0 * * 0 root if [ -x /usr/share/mdadm/checkarray ] && [ $(date +\\%d) -le 7 ]; then /usr/share/mdadm/checkarray --cron --all --idle --quiet; fi\n";

    #[test]
    fn debian_checks_md_monthly_unless_it_is_switched_off() {
        let file = ("/etc/cron.d/mdadm", DEBIAN);
        assert_eq!(found(&[file]), [(Space::Kernel, String::new(), Some(true), Some(30))]);
        let off = ("/etc/default/mdadm", "AUTOCHECK=true\nAUTOCHECK=\"false\"\n");
        assert_eq!(found(&[file, off]), [(Space::Kernel, String::new(), Some(false), Some(30))]);
        assert_eq!(found(&[("/etc/cron.d/mdadm.dpkg-old", DEBIAN)]), []);
    }

    #[test]
    fn red_hat_checks_md_weekly_unless_it_is_switched_off() {
        let cron = (
            "/etc/cron.d/raid-check",
            "# Run system wide raid-check once a week\n0 1 * * Sun root /usr/sbin/raid-check\n",
        );
        assert_eq!(found(&[cron]), [(Space::Kernel, String::new(), Some(true), Some(7))]);
        let off = ("/etc/sysconfig/raid-check", "ENABLED=no\nCHECK=check\n");
        assert_eq!(found(&[cron, off])[0].2, Some(false));
        let timer = [
            ("/usr/lib/systemd/system/raid-check.timer", "[Timer]\nOnCalendar=Sun 01:00\n"),
            ("/etc/systemd/system/timers.target.wants/raid-check.timer", ""),
        ];
        assert_eq!(found(&timer), [(Space::Kernel, String::new(), Some(true), Some(7))]);
    }

    #[test]
    fn a_timer_counts_when_something_wants_it_and_nobody_masks_it() {
        let unit = ("/usr/lib/systemd/system/mdcheck_start.timer", "[Timer]\nOnCalendar=Sun *-*-1..7 1:00:00\n");
        assert_eq!(found(&[unit]), []);
        let wanted = ("/etc/systemd/system/mdmonitor.service.wants/mdcheck_start.timer", "");
        assert_eq!(found(&[unit, wanted]), [(Space::Kernel, String::new(), Some(true), Some(30))]);
        let dir = root(&[unit, wanted]);
        let mask = under(dir.path(), "/etc/systemd/system/mdcheck_start.timer");
        std::os::unix::fs::symlink("/dev/null", mask).unwrap();
        assert_eq!(find(dir.path())[0].1.active, Some(false));
        let drop_in =
            ("/etc/systemd/system/mdcheck_start.timer.d/mine.conf", "[Timer]\nOnCalendar=\nOnCalendar=weekly\n");
        assert_eq!(found(&[unit, wanted, drop_in])[0].3, Some(7));
    }

    #[test]
    fn scrubs_of_pools_and_filesystems_are_found() {
        let pool = ("/etc/systemd/system/timers.target.wants/zfs-scrub-weekly@tank.timer", "");
        assert_eq!(found(&[pool]), [(Space::Zfs, "tank".to_owned(), Some(true), Some(7))]);
        let cron = (
            "/etc/cron.d/zfsutils-linux",
            "24 0 8-14 * * root if [ $(date +\\%w) -eq 0 ] && [ -x /usr/lib/zfs-linux/scrub ]; then /usr/lib/zfs-linux/scrub; fi\n",
        );
        assert_eq!(found(&[cron]), [(Space::Zfs, String::new(), Some(true), Some(30))]);
        let btrfs = [
            ("/usr/lib/systemd/system/btrfs-scrub.timer", "[Timer]\nOnCalendar=monthly\n"),
            ("/etc/systemd/system/timers.target.wants/btrfs-scrub.timer", ""),
            ("/etc/default/btrfsmaintenance", "BTRFS_SCRUB_PERIOD=\"none\"\n"),
        ];
        assert_eq!(found(&btrfs), [(Space::Btrfs, String::new(), Some(false), Some(30))]);
    }

    #[test]
    fn an_admins_own_cron_is_found_and_a_look_is_no_check() {
        let own = "0 3 * * 6 root /opt/MegaRAID/storcli/storcli64 /c0/vall start cc nolog\n";
        assert_eq!(found(&[("/etc/crontab", own)]), [(Space::Megaraid, String::new(), Some(true), Some(7))]);
        let md = "echo check > /sys/block/md0/md/sync_action\n";
        assert_eq!(found(&[("/etc/cron.monthly/md", md)])[0].3, Some(30));
        let looks = "*/5 * * * * root storcli64 /call show all | mail root\n0 1 * * * root cat /proc/mdstat\n";
        assert_eq!(found(&[("/etc/cron.d/look", looks)]), []);
    }
}
