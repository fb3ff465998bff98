//! Colour on a terminal, and text that does not carry a terminal's escapes.

use std::io::IsTerminal;

#[derive(Debug, Clone, Copy)]
pub struct Paint {
    colour: bool,
}

impl Paint {
    /// NO_COLOR and pipes turn colour off; meaning never depends on it.
    pub fn detect() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { colour: wanted && std::io::stdout().is_terminal() }
    }

    pub fn plain() -> Self {
        Self { colour: false }
    }

    pub fn red(self, text: &str) -> String {
        self.with(text, "31;1")
    }

    pub fn yellow(self, text: &str) -> String {
        self.with(text, "33")
    }

    pub fn green(self, text: &str) -> String {
        self.with(text, "32")
    }

    pub fn bold(self, text: &str) -> String {
        self.with(text, "1")
    }

    pub fn severity(self, word: &str, text: &str) -> String {
        match word {
            "emergency" | "critical" | "blind" => self.red(text),
            "warning" => self.yellow(text),
            _ => self.green(text),
        }
    }

    fn with(self, text: &str, code: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Vendor words on a terminal: no control characters, and nothing that reorders what stands beside them.
pub fn visible(text: &str) -> String {
    text.chars().filter(|c| !turns_direction(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Rows in columns, two blanks apart; the last column is free.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(i, cell)| {
            let pad = widths[i].saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(pad))
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_that_steers_a_terminal_is_visible() {
        assert_eq!(visible("a\u{1b}[2J\u{7}\r\nb\u{202e}c\u{2066}d\u{200f}e\u{9b}f"), "a [2J   bcde f");
        assert_eq!(visible("Gerät 7 ✓"), "Gerät 7 ✓");
    }
}
