//! A small kit for vendor output: `Key : Value` lines, sections, fixed-width tables, sizes, numbers.
//! Nothing here fails: what cannot be read is `None`.

/// Removes what terminals and old tools leave in captures: CR (a bare CR starts the line over, as a
/// progress display does; blank overprints are skipped), ANSI escape sequences, NUL and other controls, NBSP.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split('\n') {
        let line = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or("");
        push_visible(&mut out, line);
        out.push('\n');
    }
    out.pop();
    out
}

fn push_visible(out: &mut String, line: &str) {
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\t' => out.push('\t'),
            '\u{a0}' | '\u{202f}' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
}

fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if chars.peek() != Some(&'[') {
        chars.next();
        return;
    }
    chars.next();
    for c in chars.by_ref() {
        if ('@'..='~').contains(&c) {
            break;
        }
    }
}

/// `Key : Value`, split at the first separator; both trimmed. `None` without a key.
pub fn key_value(line: &str, separator: char) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(separator)?;
    let key = key.trim();
    (!key.is_empty()).then_some((key, value.trim()))
}

/// Compares keys and words as vendors should have: case and runs of blanks do not matter.
pub fn same_word(a: &str, b: &str) -> bool {
    let mut a = a.split_whitespace();
    let mut b = b.split_whitespace();
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x.eq_ignore_ascii_case(y) => {}
            _ => return false,
        }
    }
}

pub fn starts_with_word(line: &str, prefix: &str) -> bool {
    line.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

/// The first whole number in a text: "21 C", "0x1f" (hexadecimal), "1,234".
pub fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let digits: String = hex.chars().take_while(char::is_ascii_hexdigit).collect();
        return i64::from_str_radix(&digits, 16).ok();
    }
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let negative = text[..start].ends_with('-');
    let digits: String =
        text[start..].chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
    let value: i64 = digits.parse().ok()?;
    Some(if negative { -value } else { value })
}

pub fn count(text: &str) -> Option<u64> {
    number(text).and_then(|n| u64::try_from(n).ok())
}

/// "55.73%", "55 %", "55".
pub fn percent(text: &str) -> Option<f64> {
    let text = text.trim();
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().ok().filter(|p| (0.0..=100.0).contains(p))
}

/// "931.5 GB", "1.818TB", "3,631.87 GiB", "1907200 MB". Vendors print binary sizes under decimal
/// names; `binary_names` says whether "GB" means GiB in this tool.
pub fn size_bytes(text: &str, binary_names: bool) -> Option<u64> {
    let text = text.trim().replace(',', "");
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let value: f64 = text[..end].parse().ok()?;
    let unit = text[end..].trim().to_ascii_lowercase();
    let unit: String = unit.chars().take_while(char::is_ascii_alphabetic).collect();
    let binary = binary_names || unit.contains("ib");
    let power = match unit.chars().next() {
        None | Some('b') => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some('p') => 5,
        Some(_) => return None,
    };
    let base: f64 = if binary { 1024.0 } else { 1000.0 };
    Some((value * base.powi(power)) as u64)
}

/// Columns of a fixed-width table, found from its header line: (name, start, end) in characters.
/// A column reaches to the start of the next one.
pub fn columns(header: &str) -> Vec<(String, usize, usize)> {
    let chars: Vec<char> = header.chars().collect();
    let starts: Vec<usize> =
        (0..chars.len()).filter(|&i| !chars[i].is_whitespace() && (i == 0 || chars[i - 1].is_whitespace())).collect();
    let mut found = Vec::new();
    for (n, &start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(usize::MAX);
        let name: String = chars[start..end.min(chars.len())].iter().collect();
        found.push((name.trim().to_owned(), start, end));
    }
    found
}

/// A line that only rules: `-----`, `=====`, `_____`.
pub fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '_' | '*' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleaning_keeps_the_text() {
        assert_eq!(clean("a\r\nb\x1b[1A\x1b[31mc\0\r\n"), "a\nbc\n");
        assert_eq!(clean("10%\r20%\rdone\n"), "done\n");
        assert_eq!(clean("Personalities :\u{a0}[raid1]"), "Personalities : [raid1]");
    }

    #[test]
    fn numbers_and_sizes() {
        assert_eq!((number("21 C"), number("0x1f"), number("-5"), number("N/A")), (Some(21), Some(31), Some(-5), None));
        assert_eq!(size_bytes("1.5 TB", true), Some(1_649_267_441_664));
        assert_eq!(size_bytes("3,631.87 GiB", false), Some(3899690718330));
        assert_eq!(size_bytes("n/a", true), None);
        assert_eq!(percent("Recovering, 55.73% complete"), Some(55.73));
    }

    #[test]
    fn words_compare_loosely() {
        assert!(same_word("Firmware  state", "firmware State"));
        assert!(!same_word("Online", "Online, Spun Up"));
    }
}
