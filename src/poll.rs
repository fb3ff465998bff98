//! Holds an adapter's conversation with the machine: questions to the runner, answers from the machine or
//! from the cache while they are fresh enough.
//!
//! One conversation at a time per tool and controller; several may run beside each other on one thread.
//! What an answer means is the adapter's business, when to ask again the caller's.

use crate::discover::{Inventory, Watch};
use crate::run::Runner;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use raidmond_adapters::{Adapter, Conversation, MAX_ROUNDS, Step, registry};
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{
    Answer, Asked, Freshness, Known, KnownDisk, Note, NoteKind, Outcome, Query, Reading, Scope, ToolFound,
};
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::time::Duration;
use tokio::time::Instant;

/// How old an answer may be; `None`: always asked.
pub fn shelf_life(freshness: Freshness) -> Option<Duration> {
    match freshness {
        Freshness::Fast => None,
        Freshness::Slow => Some(Duration::from_secs(15 * 60)),
        Freshness::Daily => Some(Duration::from_secs(24 * 3600)),
    }
}

/// Answers that may still serve. One for each tool and controller. Packed: they are most of what an idle
/// daemon would hold, and are read once in a poll.
#[derive(Debug, Default)]
pub struct AnswerCache {
    kept: HashMap<Asked, Kept>,
}

#[derive(Debug)]
struct Kept {
    at: Instant,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    outcome: Outcome,
}

impl AnswerCache {
    pub fn fresh(&self, query: &Query, now: Instant) -> Option<(Duration, Answer)> {
        let kept = self.kept.get(&query.asked)?;
        let age = now.saturating_duration_since(kept.at);
        (age < shelf_life(query.freshness)?).then_some(())?;
        let (stdout, stderr) = (unpack(&kept.stdout)?, unpack(&kept.stderr)?);
        Some((age, Answer { asked: query.asked.clone(), stdout, stderr, outcome: kept.outcome.clone() }))
    }

    /// A tool that did not come to its end is asked again, as soon as the runner lets it.
    pub fn keep(&mut self, query: &Query, answer: &Answer, now: Instant) {
        let whole = answer.outcome.ended() && !answer.outcome.truncated;
        if whole
            && shelf_life(query.freshness).is_some()
            && let (Some(stdout), Some(stderr)) = (pack(&answer.stdout), pack(&answer.stderr))
        {
            self.kept.insert(query.asked.clone(), Kept { at: now, stdout, stderr, outcome: answer.outcome.clone() });
        }
    }

    /// An answer that could not be read is asked for again at the next look.
    fn doubt(&mut self, reading: &Reading) {
        let unread = |n: &Note| matches!(n.kind, NoteKind::Unreadable | NoteKind::ToolFailed);
        if reading.notes.iter().any(unread) {
            self.clear();
        }
    }

    /// After a sign of trouble everything is asked anew.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}

fn pack(text: &[u8]) -> Option<Vec<u8>> {
    let mut packed = Vec::new();
    DeflateEncoder::new(text, Compression::fast()).read_to_end(&mut packed).ok()?;
    packed.shrink_to_fit();
    Some(packed)
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    DeflateDecoder::new(packed).read_to_end(&mut text).ok()?;
    Some(text)
}

/// One question with its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub query: Query,
    pub answer: Answer,
    /// From the cache, and this old.
    pub age: Option<Duration>,
}

#[derive(Debug)]
pub struct Spoken {
    pub family: &'static str,
    pub known: Known,
    pub exchanges: Vec<Exchange>,
    pub reading: Reading,
}

impl Spoken {
    /// What the conversation was about: "" for discovery, "c0".
    pub fn about(&self) -> String {
        about(&self.known.scope, self.known.space)
    }
}

/// "" for discovery, "c0"; "megaraid:c0" for a family that follows others.
pub fn about(scope: &Scope, space: Option<Space>) -> String {
    match (scope, space) {
        (Scope::Controller(number), None) => format!("c{number}"),
        (Scope::Controller(number), Some(space)) => format!("{}:c{number}", space.word()),
        _ => String::new(),
    }
}

/// Asks until the adapter has what it wants.
pub async fn converse(runner: &Runner, adapter: &'static dyn Adapter, known: Known, cache: &mut AnswerCache) -> Spoken {
    let mut conversation = Conversation::new(adapter, known.clone());
    let mut exchanges = Vec::new();
    let lock = lock_name(adapter.family(), &known);
    for _ in 0..=MAX_ROUNDS + 1 {
        let queries = match conversation.advance() {
            Step::Done(mut reading) => {
                name_what_is_gone(&mut reading, &known, &exchanges);
                if known.scope == Scope::Discover {
                    leave_counts(&mut reading);
                }
                cache.doubt(&reading);
                return Spoken { family: adapter.family(), known, exchanges, reading: *reading };
            }
            Step::Ask { queries, .. } => queries,
        };
        for query in queries {
            let exchange = exchange(runner, &known, query, &lock, cache).await;
            conversation.hear(&exchange.query, exchange.answer.clone());
            exchanges.push(exchange);
        }
    }
    // The conversation bounds itself; this stands for a bug in that.
    let mut reading = Reading::new(adapter.family(), raidmond_core::model::Space::Monitor);
    reading.note(NoteKind::Partial, Path::default(), "the conversation did not end");
    Spoken { family: adapter.family(), known, exchanges, reading }
}

/// A tool that was found and is not there any more: the adapter only sees that nothing answers.
fn name_what_is_gone(reading: &mut Reading, known: &Known, exchanges: &[Exchange]) {
    let is_gone = |e: &Exchange| e.answer.outcome.absent && matches!(e.query.asked, Asked::Cmd(_));
    let Some(tool) = known.tool.as_ref().filter(|_| exchanges.iter().any(is_gone)) else { return };
    let remedy = format!("{} is not there any more: install {} again.", tool.path, tool.name);
    for note in reading.notes.iter_mut().filter(|n| n.remedy.is_none()) {
        note.remedy = Some(remedy.clone());
    }
}

/// A summary that counts trouble says no more than the lists that are read next, by which it has a name.
fn leave_counts(reading: &mut Reading) {
    if reading.arrays.is_empty() {
        for card in &mut reading.controllers {
            (card.arrays_failed_counted, card.arrays_degraded_counted) = (None, None);
            (card.disks_failed_counted, card.disks_critical_counted) = (None, None);
        }
    }
}

async fn exchange(runner: &Runner, known: &Known, query: Query, lock: &str, cache: &mut AnswerCache) -> Exchange {
    if let Some((age, answer)) = cache.fresh(&query, Instant::now()) {
        return Exchange { query, answer, age: Some(age) };
    }
    let mut answer = runner.ask(&located(&query, known), lock).await;
    answer.asked = query.asked.clone();
    cache.keep(&query, &answer, Instant::now());
    Exchange { query, answer, age: None }
}

/// The tool by the path where it was found; the answer keeps the name it goes by.
fn located(query: &Query, known: &Known) -> Query {
    let mut query = query.clone();
    if let (Asked::Cmd(argv), Some(tool)) = (&mut query.asked, &known.tool)
        && let Some(first) = argv.first_mut().filter(|first| **first == tool.name)
    {
        first.clone_from(&tool.path);
    }
    query
}

/// One child at a time of each tool and controller, or of the tool alone where it does not stand two.
pub fn lock_name(family: &str, known: &Known) -> String {
    let tool = known.tool.as_ref().map_or(family, |t| t.name.as_str());
    match &known.scope {
        _ if registry::by_family(family).is_some_and(Adapter::asks_one_at_a_time) => tool.to_owned(),
        Scope::Controller(_) => format!("{tool}-{}", about(&known.scope, known.space).replace(':', "-")),
        _ => format!("{tool}-discover"),
    }
}

/// What an adapter is told before it asks.
pub fn known_for(inventory: &Inventory, tool: Option<&ToolFound>, scope: Scope, cursor: Option<String>) -> Known {
    Known {
        scope,
        tool: tool.cloned(),
        pci: inventory.pci(),
        scsi_hosts: inventory.scsi_hosts.iter().map(|h| (h.number, h.driver.clone())).collect(),
        cursor,
        ..Known::default()
    }
}

/// What a family that follows others is told beside that.
pub fn known_to_follow(known: Known, inventory: &Inventory, space: Option<Space>, disks: Vec<KnownDisk>) -> Known {
    Known { space, disks, blocks: inventory.blocks.clone(), ..known }
}

/// The disks a reading lists, for those who follow.
pub fn disks_listed(reading: &Reading) -> Vec<KnownDisk> {
    use raidmond_core::model::{Alias, Disk, DiskState};
    // What is not there or out of service does not answer, and asking may cost a minute each.
    let absent = |d: &Disk| {
        use DiskState::{Empty, Failed, Missing, Offline};
        let state = d.state.as_ref().map(|s| s.state);
        d.at.is_missing_member() || matches!(state, Some(Missing | Empty | Failed | Offline))
    };
    let pci = |controller: Option<&Path>| {
        let described = reading.controllers.iter().find(|c| Some(&c.at) == controller)?;
        described.aliases.iter().find(|a| matches!(a, Alias::Pci(_))).map(|a| a.value().to_owned())
    };
    let wwn = |d: &Disk| d.aliases.iter().find(|a| matches!(a, Alias::Wwn(_))).map(|a| a.value().to_owned());
    let disk = |d: &Disk| KnownDisk {
        space: reading.space,
        at: d.at.clone(),
        controller: d.controller.clone(),
        pci: pci(d.controller.as_ref()),
        device_id: d.device_id.clone(),
        serial: d.serial.clone(),
        wwn: wwn(d),
        device: d.device.clone(),
    };
    reading.disks.iter().filter(|d| !absent(d)).map(disk).collect()
}

/// The controllers these disks are behind: the space of its numbers, and the number in it.
pub fn followed(disks: &[KnownDisk]) -> BTreeSet<(Space, String)> {
    let number = |d: &KnownDisk| Some((d.space, d.controller.as_ref()?.as_str().strip_prefix('c')?.to_owned()));
    disks.iter().filter_map(number).collect()
}

/// A family to be asked here, and through what.
#[derive(Clone)]
pub struct Talk {
    pub adapter: &'static dyn Adapter,
    pub tool: Option<ToolFound>,
}

impl Talk {
    pub fn family(&self) -> &'static str {
        self.adapter.family()
    }
}

/// Families that watch a controller here; also those that know a driver's files where the tool is
/// missing, and every tool that is there on a host whose bus cannot be seen. A family without a
/// controller is asked where it has something to watch, or `had` something: all of it may be gone.
pub fn talks(inventory: &Inventory, had: impl Fn(&str) -> bool) -> Vec<Talk> {
    registry::ADAPTERS.iter().copied().filter_map(|adapter| talk(inventory, adapter, &had)).collect()
}

fn talk(inventory: &Inventory, adapter: &'static dyn Adapter, had: &impl Fn(&str) -> bool) -> Option<Talk> {
    let family = adapter.family();
    let tool = inventory.tool(family).cloned();
    let watches = inventory.controllers.iter().any(|c| match &c.watch {
        Watch::Watched { by } => by.iter().any(|via| via.family == family),
        _ => false,
    });
    let blind_here = inventory.blind().any(|c| adapter.drivers().contains(&c.driver()));
    let needed = watches || (blind_here && reads_files(inventory, adapter));
    if adapter.watches_without_card().is_some() {
        let something = if adapter.follows_others() { tool.is_some() } else { inventory.software.contains(&family) };
        let here = something || had(family);
        return here.then_some(Talk { adapter, tool });
    }
    let no_bus = inventory.controllers.is_empty() && tool.is_some();
    (needed || no_bus).then_some(Talk { adapter, tool })
}

/// Without its tool a family is worth asking only where it asks for files, too. Cards it is refused for
/// end its conversation before it begins.
fn reads_files(inventory: &Inventory, adapter: &'static dyn Adapter) -> bool {
    let known = known_for(inventory, None, Scope::Discover, None);
    match Conversation::new(adapter, known).advance() {
        Step::Ask { queries, .. } => queries.iter().any(|q| !matches!(q.asked, Asked::Cmd(_))),
        Step::Done(_) => false,
    }
}

/// The tool's own numbers of the controllers a discovery listed: "0" of `c0`, "0b" of `c0b`.
pub fn controllers(discovery: &Reading) -> Vec<String> {
    let number = |at: &Path| at.as_str().strip_prefix('c').map(str::to_owned);
    let is_number = |n: &String| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric());
    discovery.controllers.iter().filter_map(|c| number(&c.at)).filter(is_number).collect()
}

/// For [`crate::discover::blind_spots`]: the controllers a discovery's tool listed.
pub fn controllers_read(discovery: &Reading) -> Vec<(Option<String>, String)> {
    let listed = controllers(discovery);
    let of = |number: &String| {
        let at = Path::controller(number);
        let aliases = discovery.controllers.iter().filter(|c| c.at == at).flat_map(|c| &c.aliases);
        let pci = aliases.into_iter().find(|a| matches!(a, raidmond_core::model::Alias::Pci(_)));
        (pci.map(|a| a.value().to_owned()), discovery.family.clone())
    };
    listed.iter().map(of).collect()
}

/// Everything once: a discovery of each family, then each controller it lists; those who follow come last.
pub async fn survey(runner: &Runner, inventory: &Inventory, only: Option<&str>) -> Vec<Spoken> {
    let mut spoken = Vec::new();
    let mut talks = talks(inventory, |_| false);
    talks.sort_by_key(|t| t.adapter.follows_others());
    for talk in talks {
        let follows = talk.adapter.follows_others();
        // What others listed is needed even where only the follower is asked for.
        if only.is_some_and(|o| o != talk.family() && (follows || !follower_named(o))) {
            continue;
        }
        let disks: Vec<KnownDisk> = spoken.iter().flat_map(|s: &Spoken| disks_listed(&s.reading)).collect();
        let known = |scope, space| {
            let known = known_for(inventory, talk.tool.as_ref(), scope, None);
            if follows { known_to_follow(known, inventory, space, disks.clone()) } else { known }
        };
        let known_at_first = known(Scope::Discover, None);
        let discovery = converse(runner, talk.adapter, known_at_first, &mut AnswerCache::default()).await;
        let cards: Vec<(Option<Space>, String)> = match follows {
            true => followed(&disks).into_iter().map(|(space, number)| (Some(space), number)).collect(),
            false => controllers(&discovery.reading).into_iter().map(|number| (None, number)).collect(),
        };
        spoken.push(discovery);
        for (space, number) in cards {
            let known = known(Scope::Controller(number), space);
            spoken.push(converse(runner, talk.adapter, known, &mut AnswerCache::default()).await);
        }
    }
    spoken
}

fn follower_named(family: &str) -> bool {
    registry::by_family(family).is_some_and(Adapter::follows_others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::survey::AnswerKind;

    fn query() -> Query {
        Query::cmd(AnswerKind("test"), &["tool"])
    }

    fn answer(outcome: Outcome) -> Answer {
        Answer { asked: query().asked, stdout: b"well".to_vec(), stderr: Vec::new(), outcome }
    }

    /// Age of the kept answer after so many minutes.
    fn after(query: &Query, outcome: Outcome, minutes: u64) -> Option<Duration> {
        let (mut cache, now) = (AnswerCache::default(), Instant::now());
        cache.keep(query, &answer(outcome), now);
        cache.fresh(query, now + Duration::from_secs(60 * minutes)).map(|(age, _)| age)
    }

    #[test]
    fn an_answer_serves_as_long_as_its_question_allows() {
        let well = Outcome::default;
        assert_eq!(after(&query(), well(), 0), None);
        assert_eq!(after(&query().slow(), well(), 14), Some(Duration::from_secs(14 * 60)));
        assert_eq!(after(&query().slow(), well(), 15), None);
        assert_eq!(after(&query().daily(), well(), 1439), Some(Duration::from_secs(1439 * 60)));
        assert_eq!(after(&query().daily(), well(), 1440), None);
    }

    #[test]
    fn a_kept_answer_comes_back_as_it_was() {
        let mut cache = AnswerCache::default();
        let stdout: Vec<u8> = (0..20_000_u32).flat_map(|n| [n as u8, b'\n', 0xff]).collect();
        let answer = Answer { stdout, stderr: b"beside".to_vec(), ..answer(Outcome { exit: 3, ..Outcome::default() }) };
        cache.keep(&query().slow(), &answer, Instant::now());
        assert_eq!(cache.fresh(&query().slow(), Instant::now()).map(|(_, kept)| kept), Some(answer));
    }

    #[test]
    fn what_did_not_come_to_its_end_is_not_kept() {
        for outcome in [
            Outcome { timed_out: true, ..Outcome::default() },
            Outcome { truncated: true, ..Outcome::default() },
            Outcome { signal: Some("SIGSEGV".into()), ..Outcome::default() },
            Outcome { absent: true, ..Outcome::default() },
        ] {
            assert_eq!(after(&query().daily(), outcome.clone(), 0), None, "{outcome:?}");
        }
    }

    #[test]
    fn a_tool_is_run_where_it_was_found() {
        let tool = ToolFound { name: "tool".into(), path: "/opt/odd/tool".into(), version: None };
        let known = Known { tool: Some(tool), scope: Scope::Controller("1".into()), ..Known::default() };
        assert_eq!(located(&query(), &known).asked, Asked::cmd(&["/opt/odd/tool"]));
        assert_eq!(lock_name("family", &known), "tool-c1");
        assert_eq!(lock_name("hp", &known), "tool", "ssacli does not run twice");
    }

    #[test]
    fn software_raid_is_asked_where_it_is_and_where_it_was() {
        let families = |software: &[&'static str], had: bool| -> Vec<&str> {
            let inventory = Inventory { software: software.to_vec(), ..Inventory::default() };
            talks(&inventory, |_| had).iter().map(Talk::family).collect()
        };
        assert_eq!(families(&[], false), Vec::<&str>::new());
        assert_eq!(families(&["md"], false), ["md"]);
        assert_eq!(families(&[], true), ["bond", "btrfs", "lvm", "md", "ses", "smart", "zfs"]);
    }

    #[test]
    fn only_numbered_controllers_are_asked_about() {
        let mut reading = Reading::new("test", raidmond_core::model::Space::Aacraid);
        for at in ["c0", "c12", "c0b", "host3", "c", "cFAR-AWAY"] {
            reading.controller(&at.into());
        }
        assert_eq!(controllers(&reading), ["0", "12", "0b"]);
        assert_eq!(controllers_read(&reading).len(), 3);
    }
}
