//! Alarm lines of `show alarms` → observations, and the cursor that keeps old ones old.
//!
//! Their dates are the host's local time without a zone, so they order events and place none.

use super::aen;
use super::parse::Alarm;
use raidmond_core::model::{Path, Space};
use raidmond_core::observe::{Observation, Sign};

/// The alarms that the cursor has not seen, as observations, and the next cursor.
pub fn news(alarms: &[&Alarm], cursor: Option<&str>, baseline: bool) -> (Vec<Observation>, Option<String>) {
    let times: Vec<Option<i64>> = alarms.iter().map(|a| seconds(&a.date)).collect();
    let (fresh, next) = crate::cursor::news(&times, cursor, baseline);
    (fresh.iter().filter_map(|i| alarms.get(*i)).map(|a| observation(a)).collect(), next)
}

/// Seconds since 1970 on the host's own clock face: `Tue Jul  8 14:52:10 2008`, `Fri Aug 09 2013 13:12:02`.
fn seconds(date: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = date.split_whitespace().collect();
    let month = words.iter().find_map(|w| MONTHS.iter().position(|m| m == w))?;
    let mut numbers = words.iter().filter_map(|w| w.parse::<i64>().ok());
    let (day, year) = (numbers.next()?, numbers.next()?);
    let mut clock = words.iter().find(|w| w.contains(':'))?.split(':').map(|n| n.parse::<i64>().unwrap_or(0));
    let (hour, minute, second) = (clock.next()?, clock.next()?, clock.next()?);
    crate::cursor::seconds([year, month as i64 + 1, day], [hour, minute, second])
}

/// An alarm line. Its text carries no code; the event list is searched by the text.
fn observation(alarm: &Alarm) -> Observation {
    let message = alarm.message.as_str();
    let (code, text) = split_code(message);
    let event = code.and_then(aen::by_code).or_else(|| aen::by_text(text));
    let sign = event.map_or_else(|| by_severity(&alarm.severity), |e| e.sign);
    let rule = event.map_or_else(|| "3ware:unlisted".to_owned(), |e| format!("3ware:{:#06x}", e.code));
    let said = format!("[{}] {} {message}", alarm.date, alarm.severity);
    let mut observation = Observation::new(sign, rule, &said);
    let controller = Path::controller(&alarm.controller);
    observation.source_seconds = seconds(&alarm.date).map(|s| s as f64);
    observation.about.space = Some(Space::ThreeWare);
    observation.about.fields = fields(text);
    observation.about.path = place(&controller, sign, &observation.about.fields);
    observation
}

/// `(0x04:0x000F): SMART threshold exceeded` as some versions print it.
fn split_code(message: &str) -> (Option<u16>, &str) {
    let Some((code, text)) = message.strip_prefix("(0x04:0x").and_then(|m| m.split_once(')')) else {
        return (None, message);
    };
    (u16::from_str_radix(code, 16).ok(), text.trim_start_matches(':').trim())
}

/// Firmware newer than the list: an ERROR without a known text is still a fault.
fn by_severity(severity: &str) -> Sign {
    if severity.eq_ignore_ascii_case("INFO") { Sign::Info } else { Sign::UnspecifiedFault }
}

/// `unit=0, port=3` after the text.
fn fields(text: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (key, value) = part.split_once('=')?;
        let key = key.rsplit([' ', ':']).next()?;
        Some((key.to_ascii_lowercase(), value.trim_end_matches('.').trim().to_owned()))
    };
    text.split(',').filter_map(pair).collect()
}

/// The unit for what befalls units, else the disk where a port is named, else the controller.
fn place(controller: &Path, sign: Sign, fields: &[(String, String)]) -> Path {
    let value = |key: &str| fields.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    let unit = value("unit").map(|unit| controller.child(format_args!("u{unit}")));
    let port = value("port").or(value("vport")).map(|port| controller.port(port));
    let of_unit = matches!(sign, Sign::ArrayDegraded | Sign::ArrayFailed | Sign::ArrayOptimal | Sign::DataLoss);
    let (first, second) = if of_unit { (unit, port) } else { (port, unit) };
    first.or(second).unwrap_or_else(|| controller.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alarm(date: &str, message: &str) -> Alarm {
        Alarm { controller: "0".into(), date: date.into(), severity: "ERROR".into(), message: message.into() }
    }

    #[test]
    fn dates_of_both_firmwares() {
        assert_eq!(seconds("Thu Jan  1 00:00:10 1970"), Some(10));
        assert_eq!(seconds("Tue Jul  8 14:52:10 2008"), Some(1_215_528_730));
        assert_eq!(seconds("Fri Aug 09 2013 13:12:02"), Some(1_376_053_922));
        assert_eq!(seconds("xx"), None);
        assert_eq!(seconds("Jan 1 1:99999999999999999:1 1970"), None);
    }

    #[test]
    fn an_alarm_is_news_once() {
        let first = alarm("Tue Jul  8 14:52:10 2008", "Degraded unit: unit=0, port=3");
        let twin = alarm("Tue Jul  8 14:52:10 2008", "Drive timeout detected: port=3");
        let (news_1, cursor) = news(&[&first], Some("5/1"), true);
        assert_eq!((news_1.len(), news_1[0].about.path.as_str(), news_1[0].sign), (1, "c0/u0", Sign::ArrayDegraded));
        let (news_2, cursor) = news(&[&first, &twin], cursor.as_deref(), true);
        assert_eq!((news_2.len(), news_2[0].sign), (1, Sign::Timeout));
        assert_eq!(news(&[&first, &twin], cursor.as_deref(), true).0, []);
    }

    #[test]
    fn the_first_list_is_history() {
        let old = alarm("Tue Jul  8 14:52:10 2008", "Rebuild failed: unit=0");
        assert_eq!(news(&[&old], None, true), (Vec::new(), Some("1215528730/1".to_owned())));
        assert_eq!(news(&[&old], None, false).0.len(), 1);
    }
}
