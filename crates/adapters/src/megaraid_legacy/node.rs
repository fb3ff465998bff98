//! `/dev/megadev0`, through which megarc reaches the card, and how to make it when it is missing.

use super::{MAJORS, NODE};
use raidmond_core::survey::{Heard, Query};

pub const PATH: &str = "/dev/megadev0";

/// The node is looked at as a folder would be: that tells whether it exists and opens no device.
pub fn queries() -> [Query; 2] {
    [Query::dir(NODE, PATH), Query::file(MAJORS, "/proc/devices")]
}

pub fn is_there(heard: &Heard) -> bool {
    heard.of(NODE).any(|a| !a.outcome.absent)
}

/// `None` unless the node was looked for and is not there.
pub fn remedy(heard: &Heard) -> Option<String> {
    heard.of(NODE).find(|a| a.outcome.absent)?;
    let major = heard.of(MAJORS).find_map(|a| major(&a.text()));
    Some(match major {
        Some(major) => format!("as root: mknod {PATH} c {major} 0"),
        None => format!(
            "load the driver's management module (modprobe megaraid_mm); then, as root: \
             mknod {PATH} c MAJOR 0, MAJOR being the number before \"megadev\" in /proc/devices; where only \
             /proc/misc names megadev0: mknod {PATH} c 10 MINOR with the number there"
        ),
    })
}

/// `253 megadev`
fn major(devices: &str) -> Option<u32> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (number, name) = (words.next()?, words.next()?);
        if name == "megadev" { number.parse().ok() } else { None }
    };
    devices.lines().find_map(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_driver_itself_names_the_major() {
        assert_eq!(major("Character devices:\n  1 mem\n253 megadev\n"), Some(253));
        assert_eq!(major("252 megadev_legacy\n 10 misc\n"), None);
    }
}
