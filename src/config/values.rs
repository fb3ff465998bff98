//! Values of the configuration: from what was written to what is meant, or what to write instead.

use super::suggest::nearest;
use jiff::tz::TimeZone;
use lettre::message::Mailbox;
use raidmond_core::severity::Severity;
use std::path::PathBuf;
use std::time::Duration;

/// What is wrong with a value, and what to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub what: String,
    pub hint: String,
}

pub fn wrong<T>(what: impl Into<String>, hint: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { what: what.into(), hint: hint.into() })
}

/// One of some words; the hint is the nearest, or all of them.
pub fn one_of(text: &str, of_what: &str, known: &[&str]) -> Result<usize, Wrong> {
    if let Some(index) = known.iter().position(|k| k.eq_ignore_ascii_case(text)) {
        return Ok(index);
    }
    let hint = match nearest(text, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.len() <= 16 => format!("one of: {}", known.join(", ")),
        None => String::new(),
    };
    wrong(format!("unknown {of_what} `{text}`"), hint)
}

const DURATION: &str = "a number and a unit: \"90s\", \"15m\", \"4h\", \"3d\"";
const TEN_YEARS: u64 = 10 * 366 * 86_400;

/// "90s", "4h", "1d 12h".
pub fn duration(text: &str) -> Result<Duration, Wrong> {
    let bad = || Wrong { what: format!("`{text}` is no duration"), hint: DURATION.to_owned() };
    let (mut rest, mut total) = (text.trim(), 0_u64);
    if rest.is_empty() {
        return Err(bad());
    }
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        let after = after.trim_start();
        let (unit, after) = after.split_at(after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len()));
        let part = number.parse::<u64>().ok().zip(seconds_of(unit)).and_then(|(n, s)| n.checked_mul(s));
        total = part.and_then(|p| p.checked_add(total)).filter(|t| *t <= TEN_YEARS).ok_or_else(bad)?;
        rest = after.trim_start();
    }
    Ok(Duration::from_secs(total))
}

fn seconds_of(unit: &str) -> Option<u64> {
    match unit {
        "s" | "sec" | "second" | "seconds" => Some(1),
        "m" | "min" | "minute" | "minutes" => Some(60),
        "h" | "hour" | "hours" => Some(3600),
        "d" | "day" | "days" => Some(86_400),
        "w" | "week" | "weeks" => Some(7 * 86_400),
        _ => None,
    }
}

/// As it would be written: "36h", "90s".
pub fn written(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let units = [(86_400, "d"), (3600, "h"), (60, "m")];
    let unit = units.into_iter().find(|(size, _)| seconds >= *size && seconds.is_multiple_of(*size));
    let (size, unit) = unit.unwrap_or((1, "s"));
    format!("{}{unit}", seconds / size)
}

pub fn severity(text: &str) -> Result<Severity, Wrong> {
    let words = Severity::ALL.map(Severity::word);
    let index = one_of(text, "severity", &words)?;
    Ok(Severity::ALL.get(index).copied().unwrap_or(Severity::Warning))
}

/// 1 Monday … 7 Sunday.
pub fn weekday(text: &str) -> Result<i8, Wrong> {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let short = days.iter().position(|d| d.get(..3).is_some_and(|s| s.eq_ignore_ascii_case(text)));
    let index = short.map_or_else(|| one_of(text, "day", &days), Ok)?;
    Ok(i8::try_from(index).unwrap_or(0) + 1)
}

pub fn path(text: &str) -> Result<PathBuf, Wrong> {
    if !text.starts_with('/') {
        return wrong(format!("`{text}` is no absolute path"), "a path begins with /");
    }
    if text.contains('\0') {
        return wrong("a path cannot contain a zero byte", "");
    }
    Ok(PathBuf::from(text))
}

pub fn host_name(text: &str) -> Result<String, Wrong> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    if text.is_empty() || text.len() > 253 || !text.chars().all(fits) {
        return wrong(format!("`{text}` is no host name"), "letters, digits, - and . only");
    }
    Ok(text.to_owned())
}

pub fn time_zone(text: &str) -> Result<TimeZone, Wrong> {
    TimeZone::get(text).or_else(|_| {
        let known: Vec<String> = jiff::tz::db().available().map(|n| n.to_string()).collect();
        let hint = match nearest(text, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a name such as \"Europe/Berlin\" or \"UTC\"".to_owned(),
        };
        wrong(format!("unknown time zone `{text}`"), hint)
    })
}

/// Errors do not show it: it may be as good as a password.
pub fn http_url(text: &str) -> Result<String, Wrong> {
    let example = "write \"https://HOST/PATH\"";
    match reqwest::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(text.to_owned()),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            wrong(format!("`{}:` is not a kind of URL raidmond can call", url.scheme()), example)
        }
        _ => wrong("this is no URL", example),
    }
}

pub fn mailbox(text: &str) -> Result<Mailbox, Wrong> {
    text.parse().or_else(|_| wrong(format!("`{text}` is no mail address"), "an address has the form name@example.com"))
}

/// `0000:05:00.0`; the domain may be left out.
pub fn pci_address(text: &str) -> Result<String, Wrong> {
    let bad = || Wrong {
        what: format!("`{text}` is no PCI address"),
        hint: "as lspci and raidmond doctor show it: \"0000:05:00.0\"".to_owned(),
    };
    let parts: Vec<&str> = text.split([':', '.']).collect();
    let (domain, rest) = match parts.as_slice() {
        [domain, rest @ ..] if rest.len() == 3 => (*domain, rest),
        rest => ("0000", rest),
    };
    let [bus, device, function] = rest else { return Err(bad()) };
    let hex = |s: &str, longest: usize| (1..=longest).contains(&s.len()) && s.chars().all(|c| c.is_ascii_hexdigit());
    let address = format!("{domain:0>4}:{bus:0>2}:{device:0>2}.{function}").to_ascii_lowercase();
    let shape = text.rsplit_once('.').is_some_and(|(head, _)| !head.contains('.'));
    let good = shape && hex(domain, 8) && hex(bus, 2) && hex(device, 2) && hex(function, 1);
    good.then_some(address).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, seconds) in
            [("90s", 90), ("15m", 900), ("4h", 14_400), ("3d", 259_200), ("1d 12h", 129_600), ("1w", 604_800)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "4", "h", "4 hous", "-4h", "1.5h", "4h!", "99999999999999999999s", "9999999999w"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_are_written_as_they_are_read() {
        for text in ["90s", "1m", "36h", "3d", "0s"] {
            assert_eq!(written(duration(text).unwrap()), text);
        }
    }

    #[test]
    fn pci_addresses() {
        for text in ["0000:05:00.0", "05:00.0", "5:0.0"] {
            assert_eq!(pci_address(text).as_deref(), Ok("0000:05:00.0"), "{text}");
        }
        assert_eq!(pci_address("0001:AF:1f.7").as_deref(), Ok("0001:af:1f.7"));
        for text in ["", "c0", "05.00.0", "05:00:0", "0000:05:00", "xx:00.0", "0000:005:00.0"] {
            assert!(pci_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn urls_are_not_repeated_in_errors() {
        assert!(http_url("https://chat.example.com/hook/s3cret").is_ok());
        for text in ["chat.example.com/s3cret", "ftp://chat.example.com/s3cret", "https:///", "http://"] {
            let said = http_url(text).unwrap_err();
            assert!(!format!("{said:?}").contains("s3cret"), "{said:?}");
        }
    }

    #[test]
    fn days_by_name() {
        assert_eq!((weekday("Monday"), weekday("sun")), (Ok(1), Ok(7)));
        assert_eq!(weekday("Mondya").unwrap_err().hint, "did you mean `Monday`?");
    }
}
