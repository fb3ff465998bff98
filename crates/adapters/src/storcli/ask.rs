//! What to ask next, from what is known and heard.

use super::dialect::Dialect;
use super::recognise::{
    ARRAYS, BATTERY, CACHEVAULT, COPYBACK, DRIVES, DRIVES_SHORT, ENCLOSURES, EVENTS, FOREIGN, OPERATIONS, OVERVIEW,
    PATROL, REBUILD, SCHEDULE, SHOW, SHOW_ALL,
};
use raidmond_core::model::{CacheKind, Disk, DiskState, Path, TaskKind};
use raidmond_core::survey::{AnswerKind, Asked, Deadline, Heard, Known, Query, Reading, Scope};

/// Entries of the event log asked for; when they do not reach back to the cursor, more.
const EVENTS_USUAL: &str = "type=latest=50";
const EVENTS_MORE: &str = "type=latest=1000";

pub fn queries(dialect: &Dialect, known: &Known, heard: &Heard, reading: &Reading) -> Vec<Query> {
    let tool = known.tool.as_ref().map_or(dialect.commands[0], |t| t.name.as_str());
    match &known.scope {
        Scope::Everything => Vec::new(),
        Scope::Discover => {
            let first = [Query::cmd(OVERVIEW, &[tool, "show", "J", "nolog"])];
            unasked(first.into_iter().chain(in_plain_text(heard)).collect(), heard)
        }
        Scope::Controller(number) => {
            let ask = Ask { dialect, tool, at: format!("/c{number}"), heard, reading, known };
            if heard.is_empty() { ask.first() } else { unasked(ask.further(), heard) }
        }
    }
}

fn unasked(queries: Vec<Query>, heard: &Heard) -> Vec<Query> {
    queries.into_iter().filter(|q| !heard.has_asked(&q.asked)).collect()
}

/// Kinds without which a controller is not known, asked again without `J` where the JSON was broken.
fn in_plain_text(heard: &Heard) -> Vec<Query> {
    let essential = [OVERVIEW, SHOW, SHOW_ALL, ARRAYS, DRIVES];
    let mut again = Vec::new();
    for (kind, answer) in heard.all().filter(|(kind, _)| essential.contains(kind)) {
        let Asked::Cmd(argv) = &answer.asked else { continue };
        let json = argv.iter().any(|w| w == "J");
        if json && answer.outcome.ended() && super::parse::parse(&answer.text()).broken_json {
            let words: Vec<&str> = argv.iter().map(String::as_str).filter(|w| *w != "J").collect();
            again.push(Query::cmd(kind, &words));
        }
    }
    again
}

struct Ask<'a> {
    dialect: &'a Dialect,
    tool: &'a str,
    at: String,
    heard: &'a Heard,
    reading: &'a Reading,
    known: &'a Known,
}

impl Ask<'_> {
    fn query(&self, kind: AnswerKind, below: &str, words: &[&str]) -> Query {
        let object = format!("{}{below}", self.at);
        let mut argv = vec![self.tool, object.as_str()];
        argv.extend_from_slice(words);
        Query::cmd(kind, &argv)
    }

    fn first(&self) -> Vec<Query> {
        let mut first = vec![
            self.query(SHOW, "", &["show", "J", "nolog"]),
            self.query(SHOW_ALL, "", &["show", "all", "J", "nolog"]).slow(),
            self.query(ARRAYS, "/vall", &["show", "all", "J", "nolog"]).slow(),
            self.query(DRIVES, "/eall/sall", &["show", "all", "J", "nolog"]).slow().deadline(Deadline::Long),
            self.query(ENCLOSURES, "/eall", &["show", "all", "J", "nolog"]).slow(),
            self.query(PATROL, "", &["show", "patrolread", "J", "nolog"]).daily(),
            self.query(SCHEDULE, "", &["show", "cc", "J", "nolog"]).daily(),
        ];
        if self.dialect.events {
            first.push(self.events(EVENTS_USUAL));
        }
        first
    }

    /// What the first answers call for.
    fn further(&self) -> Vec<Query> {
        let mut more = in_plain_text(self.heard);
        more.extend(self.for_drives());
        more.extend(self.for_cache());
        // The arrays' own list of operations is asked slowly.
        if self.reading.tasks.iter().any(|t| t.kind == TaskKind::Check) {
            more.push(self.query(OPERATIONS, "/vall", &["show", "cc", "J", "nolog"]));
        }
        if self.reading.disks.iter().any(|d| d.foreign == Some(true)) {
            more.push(self.query(FOREIGN, "/fall", &["show", "all", "J", "nolog"]).slow());
        }
        if self.events_fall_short() {
            more.push(self.events(EVENTS_MORE));
        }
        more
    }

    fn events(&self, how_many: &str) -> Query {
        self.query(EVENTS, "", &["show", "events", how_many, "nolog"]).slow().deadline(Deadline::Long)
    }

    fn for_drives(&self) -> Vec<Query> {
        let mut more = Vec::new();
        let is = |state: DiskState| move |d: &Disk| d.state.as_ref().is_some_and(|s| s.state == state);
        if self.reading.disks.iter().any(is(DiskState::Rebuilding)) {
            more.push(self.query(REBUILD, "/eall/sall", &["show", "rebuild", "J", "nolog"]));
        }
        if self.reading.disks.iter().any(is(DiskState::CopyingBack)) {
            more.push(self.query(COPYBACK, "/eall/sall", &["show", "copyback", "J", "nolog"]));
        }
        if self.reading.disks.iter().any(|d| d.enclosure.is_none() && d.slot.is_some()) {
            more.push(self.query(DRIVES, "/sall", &["show", "all", "J", "nolog"]).slow().deadline(Deadline::Long));
        }
        // The detailed form crashes some versions on hosts with two different cards.
        let crashed =
            |answer: &raidmond_core::survey::Answer| answer.outcome.signal.is_some() || answer.outcome.timed_out;
        if self.heard.of(DRIVES).any(crashed) {
            more.push(self.query(DRIVES_SHORT, "/eall/sall", &["show", "J", "nolog"]));
        }
        more
    }

    fn for_cache(&self) -> Option<Query> {
        let cache = self.reading.caches.first()?;
        let words = ["show", "all", "J", "nolog"];
        let none = || cache.state.as_ref().is_none_or(|s| s.state == raidmond_core::model::CacheState::NotFitted);
        if self.dialect.second {
            return (!none()).then(|| self.query(BATTERY, "/ep", &words).slow());
        }
        match cache.kind {
            CacheKind::Supercapacitor => Some(self.query(CACHEVAULT, "/cv", &words).slow()),
            CacheKind::Battery => Some(self.query(BATTERY, "/bbu", &words).slow()),
            CacheKind::Unknown => (!none()).then(|| self.query(CACHEVAULT, "/cv", &words).slow()),
        }
    }

    /// The oldest entry heard is newer than the one after the cursor.
    fn events_fall_short(&self) -> bool {
        let Some(cursor) = self.known.cursor.as_deref().and_then(|c| c.parse::<u64>().ok()) else { return false };
        let heard = self.heard.of(EVENTS).flat_map(|a| crate::megaraid::events::parse(&a.text()));
        heard.filter_map(|e| e.sequence).min().is_some_and(|oldest| oldest > cursor.saturating_add(1))
    }
}

/// The path of the controller a conversation is about.
pub fn controller_of(known: &Known) -> Option<Path> {
    match &known.scope {
        Scope::Controller(number) => Some(Path::controller(number)),
        Scope::Discover | Scope::Everything => None,
    }
}
