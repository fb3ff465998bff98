//! The script of a demo or test: one `at TIME WHAT…` a line, `#` starts a comment.
//!
//! ```text
//! at 5s   disk c0 32:5 fails
//! at 1m   rebuild c0 speed 2%/s
//! at 90s  tool storcli64 hangs
//! ```

use crate::faults::{BatteryFault, CheckFault, ControllerFault, DiskFault, Fault, PartName};
use crate::world::ToolFault;
use std::fmt;

/// What stands after the time, for messages and help.
const FORMS: [(&str, &str); 11] = [
    (
        "disk",
        "disk CTRL DISK fails|offline|predictive|foreign|pulled|spare|rebuild-fails|replaced [SERIAL]|media-errors N|other-errors N|unreadable N|temperature N",
    ),
    ("battery", "battery CTRL fails|removed|replaced|learns"),
    ("rebuild", "rebuild CTRL speed N%/s"),
    ("check", "check CTRL vN starts|stops|finds N|next-finds N|fails|hangs|refused|allowed"),
    ("schedule", "schedule CTRL every Nh|off"),
    ("host", "host reboots"),
    ("controller", "controller CTRL vanishes|returns|resets|temperature N|memory-errors N"),
    ("enclosure", "enclosure CTRL ID fan|supply N fails|recovers"),
    ("array", "array CTRL vN bad-blocks"),
    ("tool", "tool NAME hangs|garbage|crashes|killed|absent|empty|works"),
    ("log", "log rotates"),
];
const IO_ERRORS: &str = "io-errors DEVICE N";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    pub line: usize,
    pub problem: String,
    pub remedy: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; {}", self.line, self.problem, self.remedy)
    }
}

impl std::error::Error for ScriptError {}

/// Steps in the order of their time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    steps: Vec<(f64, Fault)>,
    /// The words of each step, for whoever shows the play.
    words: Vec<String>,
    next: usize,
}

impl Script {
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut steps: Vec<((f64, Fault), String)> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("");
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                let step = step(&words).map_err(|e| e.on_line(index + 1))?;
                steps.push((step, words.get(2..).unwrap_or(&[]).join(" ")));
            }
        }
        steps.sort_by(|(a, _), (b, _)| a.0.total_cmp(&b.0));
        let (steps, words) = steps.into_iter().unzip();
        Ok(Self { steps, words, next: 0 })
    }

    /// Faults due up to `elapsed` seconds since the start, each handed out once.
    pub fn due(&mut self, elapsed: f64) -> Vec<Fault> {
        let rest = self.steps.get(self.next..).unwrap_or(&[]);
        let due: Vec<Fault> = rest.iter().take_while(|(at, _)| *at <= elapsed).map(|(_, f)| f.clone()).collect();
        self.next += due.len();
        due
    }

    /// In words, what `due` would hand out.
    pub fn due_words(&self, elapsed: f64) -> Vec<String> {
        let due = self.steps.iter().zip(&self.words).skip(self.next).take_while(|((at, _), _)| *at <= elapsed);
        due.map(|(_, words)| words.clone()).collect()
    }

    /// Seconds from the start to the next step; `None` when all is done.
    pub fn next_at(&self) -> Option<f64> {
        self.steps.get(self.next).map(|(at, _)| *at)
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

struct Problem {
    problem: String,
    remedy: String,
}

impl Problem {
    fn on_line(self, line: usize) -> ScriptError {
        ScriptError { line, problem: self.problem, remedy: self.remedy }
    }
}

/// One fault without its time: what `raidmond demo` takes from an impatient user.
pub fn fault(text: &str) -> Result<Fault, ScriptError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    parse_fault(&words).map_err(|e| e.on_line(1))
}

fn step(words: &[&str]) -> Result<(f64, Fault), Problem> {
    let ["at", time, what @ ..] = words else {
        let problem = format!("`{}` does not start with a time", words.join(" "));
        return Err(Problem { problem, remedy: "write `at 5s WHAT…`".into() });
    };
    let at = seconds(time).ok_or_else(|| Problem {
        problem: format!("`{time}` is not a time"),
        remedy: "write it like 5s, 2m or 1h".into(),
    })?;
    Ok((at, parse_fault(what)?))
}

fn seconds(text: &str) -> Option<f64> {
    let (number, factor) = match text.chars().last()? {
        's' => (text.strip_suffix('s')?, 1.0),
        'm' => (text.strip_suffix('m')?, 60.0),
        'h' => (text.strip_suffix('h')?, 3600.0),
        _ => return None,
    };
    number.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0).map(|n| n * factor)
}

fn parse_fault(words: &[&str]) -> Result<Fault, Problem> {
    known_form(words).ok_or_else(|| unknown(words))
}

fn unknown(words: &[&str]) -> Problem {
    let problem = format!("cannot read `{}`", words.join(" "));
    let first = words.first().copied().unwrap_or("");
    let remedy = match FORMS.iter().find(|(word, _)| *word == first) {
        Some((_, form)) => format!("write `{form}`"),
        None if first == "io-errors" => format!("write `{IO_ERRORS}`"),
        None => {
            let known: Vec<&str> = FORMS.iter().map(|(word, _)| *word).collect();
            format!("the first word after the time is one of {}, io-errors", known.join(", "))
        }
    };
    Problem { problem, remedy }
}

fn known_form(words: &[&str]) -> Option<Fault> {
    let owned = |text: &&str| (*text).to_owned();
    Some(match words {
        ["disk", c, disk, what @ ..] => {
            Fault::Disk { controller: owned(c), disk: owned(disk), what: disk_fault(what)? }
        }
        ["battery", c, what] => Fault::Battery { controller: owned(c), what: battery_fault(what)? },
        ["rebuild", c, "speed", speed] => {
            Fault::RebuildSpeed { controller: owned(c), percent_per_second: percent_per_second(speed)? }
        }
        ["check", c, array, what @ ..] => {
            Fault::Check { controller: owned(c), array: array_number(array)?, what: check_fault(what)? }
        }
        ["controller", c, what @ ..] => Fault::Controller { controller: owned(c), what: controller_fault(what)? },
        ["enclosure", c, id, part, n, what @ ("fails" | "recovers")] => Fault::Part {
            controller: owned(c),
            enclosure: id.parse().ok()?,
            part: part_name(part, n)?,
            ok: *what == "recovers",
        },
        ["array", c, array, "bad-blocks"] => Fault::BadBlocks { controller: owned(c), array: array_number(array)? },
        ["tool", tool, what] => Fault::Tool { tool: known_tool(tool)?, what: tool_fault(what)? },
        ["schedule", c, "off"] => Fault::Schedule { controller: owned(c), hours: None },
        ["schedule", c, "every", hours] => {
            let hours = hours.strip_suffix('h')?.parse().ok().filter(|h| (1..100_000).contains(h))?;
            Fault::Schedule { controller: owned(c), hours: Some(hours) }
        }
        ["host", "reboots"] => Fault::Reboots,
        ["log", "rotates"] => Fault::LogRotates,
        ["io-errors", device, n] => Fault::IoErrors { device: owned(device), count: n.parse().ok()? },
        _ => return None,
    })
}

fn disk_fault(words: &[&str]) -> Option<DiskFault> {
    Some(match words {
        ["fails"] => DiskFault::Fails,
        ["offline"] => DiskFault::Offline,
        ["predictive"] => DiskFault::Predictive,
        ["foreign"] => DiskFault::Foreign,
        ["pulled"] => DiskFault::Pulled,
        ["spare"] => DiskFault::Spare,
        ["rebuild-fails"] => DiskFault::RebuildFails,
        ["replaced"] => DiskFault::Replaced(None),
        ["replaced", serial] => DiskFault::Replaced(Some((*serial).to_owned())),
        ["media-errors", n] => DiskFault::MediaErrors(n.parse().ok()?),
        ["other-errors", n] => DiskFault::OtherErrors(n.parse().ok()?),
        ["unreadable", n] => DiskFault::Unreadable(n.parse().ok()?),
        ["temperature", n] => DiskFault::Temperature(n.parse().ok()?),
        _ => return None,
    })
}

fn battery_fault(word: &str) -> Option<BatteryFault> {
    Some(match word {
        "fails" => BatteryFault::Fails,
        "removed" => BatteryFault::Removed,
        "replaced" => BatteryFault::Replaced,
        "learns" => BatteryFault::Learns,
        _ => return None,
    })
}

fn check_fault(words: &[&str]) -> Option<CheckFault> {
    Some(match words {
        ["starts"] => CheckFault::Starts,
        ["stops"] => CheckFault::Stops,
        ["finds", n] => CheckFault::Finds(n.parse().ok()?),
        ["next-finds", n] => CheckFault::NextFinds(n.parse().ok()?),
        ["fails"] => CheckFault::Fails,
        ["hangs"] => CheckFault::Hangs,
        ["refused"] => CheckFault::Refused,
        ["allowed"] => CheckFault::Allowed,
        _ => return None,
    })
}

fn controller_fault(words: &[&str]) -> Option<ControllerFault> {
    Some(match words {
        ["vanishes"] => ControllerFault::Vanishes,
        ["returns"] => ControllerFault::Returns,
        ["resets"] => ControllerFault::Resets,
        ["temperature", n] => ControllerFault::Temperature(n.parse().ok()?),
        ["memory-errors", n] => ControllerFault::MemoryErrors(n.parse().ok()?),
        _ => return None,
    })
}

fn part_name(part: &str, n: &str) -> Option<PartName> {
    let n = n.parse().ok()?;
    match part {
        "fan" => Some(PartName::Fan(n)),
        "supply" => Some(PartName::Supply(n)),
        _ => None,
    }
}

fn known_tool(name: &str) -> Option<String> {
    crate::tools::NAMES.contains(&name).then(|| name.to_owned())
}

fn tool_fault(word: &str) -> Option<Option<ToolFault>> {
    Some(match word {
        "hangs" => Some(ToolFault::Hangs),
        "garbage" => Some(ToolFault::Garbage),
        "crashes" => Some(ToolFault::Crashes),
        "killed" => Some(ToolFault::Killed),
        "absent" => Some(ToolFault::Absent),
        "empty" => Some(ToolFault::Empty),
        "works" => None,
        _ => return None,
    })
}

fn array_number(text: &str) -> Option<u32> {
    text.strip_prefix('v')?.parse().ok()
}

fn percent_per_second(text: &str) -> Option<f64> {
    text.strip_suffix("%/s")?.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_line_and_the_remedy() {
        let error = Script::parse("# fine\nat 5s disk c0 32:5 explodes\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.problem.contains("disk c0 32:5 explodes"));
        assert!(error.remedy.contains("fails|offline|predictive"), "{error}");
        for (text, hint) in [
            ("disk c0 32:5 fails", "at 5s WHAT"),
            ("at soon disk c0 32:5 fails", "5s, 2m or 1h"),
            ("at 5s dsik c0 32:5 fails", "disk, battery"),
            ("at 5s tool hammer hangs", "tool NAME"),
            ("at 5s io-errors sda lots", "io-errors DEVICE N"),
        ] {
            let error = Script::parse(text).unwrap_err();
            assert!(error.to_string().contains(hint), "{error}");
        }
    }

    #[test]
    fn steps_come_in_time_order_and_once() {
        let mut script = Script::parse("at 1m log rotates\nat 5s tool arcconf hangs").unwrap();
        assert_eq!(script.due(4.9), vec![]);
        assert_eq!(script.next_at(), Some(5.0));
        assert_eq!(script.due(60.0).last(), Some(&Fault::LogRotates));
        assert_eq!(script.due(1e9), vec![]);
        assert_eq!(script.next_at(), None);
    }

    #[test]
    fn the_demo_script_fits_its_world() {
        let mut world = crate::presets::demo();
        let mut script = Script::parse(crate::presets::DEMO_SCRIPT).unwrap();
        while let Some(at) = script.next_at() {
            let elapsed = (world.now - crate::presets::START) as f64;
            crate::motion::advance(&mut world, at - elapsed);
            script.due(at).iter().for_each(|f| drop(crate::faults::apply(&mut world, f).unwrap()));
        }
        assert!(script.len() > 10);
    }
}
