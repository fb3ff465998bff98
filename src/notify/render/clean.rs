//! Making a notice safe to show anywhere.

use raidmond_core::notice::{EvidenceLine, Notice, NoticeObject, Thread};

/// No single line of a message is longer.
const LONGEST: usize = 2000;

/// The same notice with nothing in it that acts: every text is one line of visible characters.
pub fn clean(notice: &Notice) -> Notice {
    Notice {
        id: line(&notice.id),
        event: notice.event,
        severity: notice.severity,
        host: line(&notice.host),
        at: notice.at,
        time_zone: line(&notice.time_zone),
        thread: notice.thread.as_ref().map(|t| Thread { key: line(&t.key), ..t.clone() }),
        kinds: lines(&notice.kinds),
        headline: line(&notice.headline),
        happened: lines(&notice.happened),
        means: lines(&notice.means),
        to_do: lines(&notice.to_do),
        evidence: notice.evidence.iter().map(evidence).collect(),
        footer: lines(&notice.footer),
        object: object(&notice.object),
        drill: notice.drill,
    }
}

/// For ids in headers: letters, digits and a few signs; everything else becomes `-`. Never empty, and
/// without the dots that mail addresses do not allow.
pub fn token(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let token: String = text.chars().map(|c| if allowed(c) { c } else { '-' }).take(150).collect();
    let token = token.replace("..", ".-");
    let token = token.trim_matches('.');
    if token.is_empty() { "unknown".to_owned() } else { token.to_owned() }
}

fn evidence(line_: &EvidenceLine) -> EvidenceLine {
    EvidenceLine { at: line_.at, source: line(&line_.source), said: line(&line_.said) }
}

fn object(object: &NoticeObject) -> NoticeObject {
    let maybe = |text: &Option<String>| text.as_deref().map(line);
    NoticeObject {
        kind: line(&object.kind),
        path: line(&object.path),
        controller: maybe(&object.controller),
        enclosure: maybe(&object.enclosure),
        slot: maybe(&object.slot),
        serial: maybe(&object.serial),
        model: maybe(&object.model),
        array: maybe(&object.array),
    }
}

fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| line(text)).collect()
}

fn line(text: &str) -> String {
    let mut line: String = text.chars().filter(|c| !is_hidden(*c)).map(visible).take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push_str(" …");
    }
    line.trim_end().to_owned()
}

fn visible(c: char) -> char {
    if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }
}

/// Characters that reorder or hide their neighbours.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}
