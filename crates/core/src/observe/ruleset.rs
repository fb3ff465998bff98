//! Which rules a log gets, by its name, and which program's lines each set of rules reads.

use super::{Rule, rules};

/// What a log is, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// kern.log, dmesg, `/dev/kmsg`.
    Kernel,
    /// messages, syslog: the kernel and the daemons that watch disks.
    Syslog,
    /// The log of the MegaRAID SCSI daemon `MegaServ`.
    Megaserv,
    /// A log of smartd's own.
    Smartd,
    /// Any other file: the rules of a syslog, and the user's.
    Custom,
}

impl LogKind {
    pub const ALL: [LogKind; 5] =
        [LogKind::Kernel, LogKind::Syslog, LogKind::Megaserv, LogKind::Smartd, LogKind::Custom];

    /// From a file name or path, rotated or not: `/var/log/kern.log.1`.
    pub fn of_name(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let known = [
            ("kern", LogKind::Kernel),
            ("kmsg", LogKind::Kernel),
            ("dmesg", LogKind::Kernel),
            ("messages", LogKind::Syslog),
            ("syslog", LogKind::Syslog),
            ("megaserv", LogKind::Megaserv),
            ("smartd", LogKind::Smartd),
        ];
        known.into_iter().find(|(start, _)| name.starts_with(start)).map_or(LogKind::Custom, |(_, kind)| kind)
    }

    /// Every rule that may read a line of such a log.
    pub fn rules(self) -> impl Iterator<Item = &'static Rule> {
        Reader::ALL.into_iter().filter(move |reader| self.reads(*reader)).flat_map(Reader::tables).copied().flatten()
    }

    /// Whose line is it when the line does not say?
    pub(super) fn default_reader(self) -> Reader {
        match self {
            LogKind::Kernel | LogKind::Syslog | LogKind::Custom => Reader::Kernel,
            LogKind::Megaserv => Reader::Megaserv,
            LogKind::Smartd => Reader::Smartd,
        }
    }

    pub(super) fn reads(self, reader: Reader) -> bool {
        match self {
            LogKind::Kernel => reader == Reader::Kernel,
            LogKind::Megaserv => reader == Reader::Megaserv,
            LogKind::Smartd => reader == Reader::Smartd,
            LogKind::Syslog | LogKind::Custom => true,
        }
    }
}

/// A set of rules for the lines of one program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    Kernel,
    Smartd,
    Mdadm,
    Zed,
    MegaraidMonitor,
    Megaserv,
}

impl Reader {
    pub const ALL: [Reader; 6] =
        [Reader::Kernel, Reader::Smartd, Reader::Mdadm, Reader::Zed, Reader::MegaraidMonitor, Reader::Megaserv];

    pub fn of_program(program: &[u8]) -> Option<Self> {
        match program {
            b"kernel" => Some(Reader::Kernel),
            b"smartd" => Some(Reader::Smartd),
            b"mdadm" => Some(Reader::Mdadm),
            b"zed" => Some(Reader::Zed),
            b"MR_MONITOR" => Some(Reader::MegaraidMonitor),
            p if p.eq_ignore_ascii_case(b"megaserv") => Some(Reader::Megaserv),
            _ => None,
        }
    }

    /// Its tables, in the order in which they are tried.
    pub fn tables(self) -> &'static [&'static [Rule]] {
        match self {
            Reader::Kernel => rules::KERNEL,
            Reader::Smartd => rules::SMARTD,
            Reader::Mdadm => rules::MDADM,
            Reader::Zed => rules::ZED,
            Reader::MegaraidMonitor => rules::MONITOR,
            Reader::Megaserv => rules::MEGASERV,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_get_their_rules() {
        for (name, kind) in [
            ("/var/log/kern.log", LogKind::Kernel),
            ("/dev/kmsg", LogKind::Kernel),
            ("dmesg.0", LogKind::Kernel),
            ("/var/log/messages-20261001", LogKind::Syslog),
            ("/var/log/syslog.1", LogKind::Syslog),
            ("/var/log/megaserv.log", LogKind::Megaserv),
            ("/srv/app/raid.log", LogKind::Custom),
        ] {
            assert_eq!(LogKind::of_name(name), kind, "{name}");
        }
    }
}
