//! arcconf's text as blocks of fields, without judgement.
//!
//! Three generations (IBM "Logical drive", "Logical device", SmartRAID with arrays) differ in capitals,
//! indentation, blank lines and field sets; none of that matters here. A block is a controller, a
//! device, an array…; a field keeps the sub-heading it stood under. What a value means is for
//! `lower_*` to say. Layouts as in the ARCCONF user guides 5.x to 4.x and as captured in the corpus.

use crate::scan;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Controller,
    /// `Controller #1` of GETVERSION.
    Version,
    Array,
    Logical,
    MaxCache,
    /// `Device #1` before its kind is stated.
    Device,
    Disk,
    Enclosure,
    /// Tape, expander, backplane controller: nothing to judge.
    Other,
    Connector,
    Task,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Sub-heading in lower case; empty before the first.
    pub section: String,
    pub key: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    pub id: String,
    pub fields: Vec<Field>,
}

impl Block {
    /// First value under any of these keys, empty ones left out.
    pub fn get(&self, keys: &[&str]) -> Option<&str> {
        let mut wanted = self.fields.iter().filter(|f| keys.iter().any(|k| scan::same_word(&f.key, k)));
        wanted.find(|f| !f.value.is_empty()).map(|f| f.value.as_str())
    }

    /// The same, under a sub-heading that contains `section`.
    pub fn within(&self, section: &str, keys: &[&str]) -> Option<&str> {
        let mut wanted = self
            .fields
            .iter()
            .filter(|f| f.section.contains(section) && keys.iter().any(|k| scan::same_word(&f.key, k)));
        wanted.find(|f| !f.value.is_empty()).map(|f| f.value.as_str())
    }

    /// Values whose key begins so.
    pub fn starting<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |f| scan::starts_with_word(&f.key, prefix))
    }
}

/// Headed parts of a GETCONFIG answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Controller,
    Logical,
    Physical,
}

#[derive(Debug, Default)]
pub struct Output {
    pub controllers_found: Option<u64>,
    pub parts: Vec<Part>,
    pub blocks: Vec<Block>,
    /// "Command completed successfully."
    pub completed: bool,
    /// The blank lines that stand before that sentence end the text: the capture lost only the sentence.
    pub blank_end: bool,
    /// The tool's own words for not doing it.
    pub refusal: Option<String>,
    /// "No logical devices configured" was said.
    pub none_configured: bool,
    /// "Current operation : None" outside any block: GETSTATUS without tasks.
    pub idle: bool,
    /// LIST rows: number, "Optimal, Slot 8, HBA, …".
    pub listed: Vec<(String, String)>,
}

impl Output {
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |b| b.kind == kind)
    }

    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Ends as the tool ends its answers. Blank lines alone count only behind a logical device with its
    /// status, which no other tool prints.
    pub fn ended(&self) -> bool {
        let status = ["Status of logical device", "Status of logical drive"];
        self.completed || (self.blank_end && self.of(Kind::Logical).any(|b| b.get(&status).is_some()))
    }

    /// As many logical devices with a status as the controller counts.
    pub fn lists_all_counted(&self) -> bool {
        let key = ["Logical devices/Failed/Degraded", "Logical drives/Offline/Critical"];
        let counted = self.of(Kind::Controller).find_map(|b| b.get(&key)?.split('/').next().and_then(scan::count));
        let status = ["Status of logical device", "Status of logical drive"];
        let listed = self.of(Kind::Logical).filter(|b| b.get(&status).is_some()).count() as u64;
        counted.is_some_and(|n| n > 0 && listed >= n)
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.listed.is_empty() && !self.idle && !self.none_configured
    }
}

pub fn arcconf(text: &str) -> Output {
    let mut reader = Reader::default();
    let text = scan::clean(text);
    for line in text.lines() {
        reader.line(line.trim());
    }
    reader.out.blank_end = text.lines().rev().take_while(|l| l.trim().is_empty()).count() >= 2;
    reader.out
}

#[derive(Default)]
struct Reader {
    out: Output,
    /// Index of the block that fields go to.
    current: Option<usize>,
    section: String,
    after_rule: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        if scan::is_rule(line) {
            self.after_rule = true;
            return;
        }
        let after_rule = std::mem::take(&mut self.after_rule);
        if self.message(line) || self.opener(line) {
            return;
        }
        match field(line) {
            Some((key, value)) => self.field(key, value),
            None if after_rule => self.title(line),
            None => self.plain(line),
        }
    }

    /// Sentences of the tool itself.
    fn message(&mut self, line: &str) -> bool {
        const REFUSALS: [&str; 9] = [
            "command aborted",
            "command failed",
            "no controllers found",
            "the requested feature is not supported",
            "invalid controller",
            "controller id is invalid",
            "invalid argument",
            "error:",
            "unable to",
        ];
        let starts = |word: &str| scan::starts_with_word(line, word);
        if starts("controllers found") {
            self.out.controllers_found = scan::count(line);
        } else if starts("command completed successfully") {
            self.out.completed = true;
        } else if starts("no logical devices configured") || starts("no logical drives configured") {
            self.out.none_configured = true;
        } else if REFUSALS.iter().any(|r| starts(r)) {
            self.refused(line);
        } else {
            return starts("no ") && field(line).is_none();
        }
        true
    }

    fn refused(&mut self, line: &str) {
        match &mut self.out.refusal {
            Some(said) => {
                said.push(' ');
                said.push_str(line);
            }
            none => *none = Some(line.to_owned()),
        }
    }

    /// Lines that begin an object.
    fn opener(&mut self, line: &str) -> bool {
        const NUMBERED: [(&str, Kind); 7] = [
            ("logical device number ", Kind::Logical),
            ("logical drive number ", Kind::Logical),
            ("array number ", Kind::Array),
            ("maxcache device number ", Kind::MaxCache),
            ("device #", Kind::Device),
            ("connector #", Kind::Connector),
            ("controller #", Kind::Version),
        ];
        for (words, kind) in NUMBERED {
            if let Some(id) = number_after(line, words) {
                self.open(kind, id);
                return true;
            }
        }
        let lower = line.to_ascii_lowercase();
        if lower.ends_with("task:") {
            self.open(Kind::Task, lower);
        } else if lower.starts_with("phy #") {
            self.section = "phy".to_owned();
        } else if lower.starts_with("channel #") || lower == "backplane:" {
            self.current = None;
        } else {
            return false;
        }
        true
    }

    fn open(&mut self, kind: Kind, id: impl Into<String>) {
        self.out.blocks.push(Block { kind, id: id.into(), fields: Vec::new() });
        self.current = Some(self.out.blocks.len() - 1);
        self.section.clear();
    }

    fn title(&mut self, line: &str) {
        let title = line.to_ascii_lowercase();
        let title = title.trim_end_matches(':');
        match title {
            "controller information" => self.part(Part::Controller),
            "logical device information" | "logical drive information" => self.part(Part::Logical),
            "physical device information" => self.part(Part::Physical),
            "array information" => self.current = None,
            "connector information" => self.open(Kind::Connector, ""),
            t if t.starts_with("maxcache") && t.ends_with("information") => self.current = None,
            t => self.subtitle(t),
        }
    }

    fn part(&mut self, part: Part) {
        self.out.parts.push(part);
        match part {
            Part::Controller => self.open(Kind::Controller, ""),
            Part::Logical | Part::Physical => self.current = None,
        }
    }

    /// A controller's headings go on after the list of its connectors.
    fn subtitle(&mut self, title: &str) {
        if self.block().is_some_and(|b| b.kind == Kind::Connector) {
            self.current = self.out.blocks.iter().rposition(|b| b.kind == Kind::Controller);
        }
        self.section = title.to_owned();
    }

    fn field(&mut self, key: &str, value: &str) {
        if let Some(id) = number_after(key.trim_end_matches(':'), "controller ").filter(|_| value.contains(',')) {
            self.out.listed.push((id, value.to_owned()));
            return;
        }
        if self.current.is_none() && scan::starts_with_word(key, "controller status") {
            self.open(Kind::Controller, "");
        }
        let field = Field { section: self.section.clone(), key: key.to_owned(), value: value.to_owned() };
        match self.block() {
            Some(block) => block.fields.push(field),
            None if scan::same_word(key, "Current operation") && scan::same_word(value, "None") => self.out.idle = true,
            None => {}
        }
    }

    fn plain(&mut self, line: &str) {
        let lower = line.to_ascii_lowercase();
        if let Some(what) = lower.strip_prefix("device is a") {
            self.device_kind(what);
        } else if lower.starts_with("status of enclosure") {
            self.section = "enclosure status".to_owned();
        } else if line.split_whitespace().all(|w| w.split(',').all(|n| n.parse::<u32>().is_ok())) {
            // "Stripe order" goes on in the next line.
            if let Some(last) = self.block().and_then(|b| b.fields.last_mut()) {
                last.value.push(' ');
                last.value.push_str(line);
            }
        }
    }

    fn device_kind(&mut self, what: &str) {
        let kind = if what.contains("enclosure") {
            Kind::Enclosure
        } else if ["drive", "disk", "ssd", "solid state"].iter().any(|w| what.contains(w)) {
            Kind::Disk
        } else {
            Kind::Other
        };
        if let Some(block) = self.block().filter(|b| b.kind == Kind::Device) {
            block.kind = kind;
        }
    }

    fn block(&mut self) -> Option<&mut Block> {
        self.current.and_then(|index| self.out.blocks.get_mut(index))
    }
}

/// `Key   : value`; keys may hold colons of their own ("Channel,Device(T:L)").
fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(" :").or_else(|| line.split_once(": "))?;
    Some((key.trim(), value.trim_start_matches(':').trim()))
}

/// `N` of "Logical device number N", when nothing but a number follows.
fn number_after(line: &str, words: &str) -> Option<String> {
    let rest = line.get(words.len()..).filter(|_| scan::starts_with_word(line, words))?.trim();
    let number = rest.trim_end_matches(':');
    (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then(|| number.to_owned())
}
