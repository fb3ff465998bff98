//! When which tool is asked: one loop looks at the machine, one discovers per family, one polls per
//! controller.
//!
//! A hung controller delays only itself. A loop rests so long that its tool works at most one fiftieth
//! of the time. A nudge (a log line, a confirming look) cuts the rest short.

use super::Places;
use super::inbox::Heard;
use super::setup::Setup;
use crate::discover::{self, Inventory, blind_spots};
use crate::locate::Tools;
use crate::poll::{self, AnswerCache, Talk};
use crate::run::{Limits, Runner};
use crate::serve::status::{Asking, SourceDoc};
use raidmond_adapters::registry;
use raidmond_core::host::{SourceKey, says_something};
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{Covers, KnownDisk, Reading, Scope, ToolFound};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout};

/// New cards and tools are rare.
const LOOK_AROUND_EVERY: Duration = Duration::from_secs(300);
/// A tool works at most one part in this many.
const DUTY: u32 = 50;
/// Two looks at the same place lie at least this far apart.
const BREATH: Duration = Duration::from_secs(2);
/// A loop that is later than three rests and this is stuck.
const LATE: Duration = Duration::from_secs(600);

/// The daemon's handle on all polls.
#[derive(Clone)]
pub struct Polls(Rc<Shared>);

struct Shared {
    root: PathBuf,
    runner: Runner,
    inbox: mpsc::Sender<Heard>,
    options: RefCell<Options>,
    loops: RefCell<BTreeMap<SourceKey, Loop>>,
    inventory: RefCell<Rc<Inventory>>,
    look_around: Notify,
    /// Disks each source last listed, for the families that follow.
    disks: RefCell<BTreeMap<SourceKey, Vec<KnownDisk>>>,
    /// What each family's last good discovery listed.
    listed: RefCell<BTreeMap<String, Listed>>,
    /// Blind spots told, to take back when they close.
    spots: RefCell<BTreeSet<String>>,
    cursors: RefCell<BTreeMap<String, String>>,
    looked_around: Cell<bool>,
    first_round_told: Cell<bool>,
}

struct Options {
    every: Duration,
    tool_dirs: Vec<PathBuf>,
    disabled: Vec<String>,
    ignored: Vec<String>,
    consume_alarms: bool,
    tools: Tools,
}

#[derive(Default)]
struct Listed {
    /// The tool's own numbers.
    numbers: Vec<String>,
    /// PCI address, where stated, and family.
    cards: Vec<(Option<String>, String)>,
}

struct Loop {
    /// Its discovery reads everything: there is no controller to poll beside it.
    reads_all: bool,
    /// Of a family that asks about disks others listed: slow, never in a hurry, and nobody waits for it.
    follows: bool,
    space: Option<Space>,
    nudge: Rc<Notify>,
    done: Option<Instant>,
    rest: Duration,
    asking: Asking,
}

impl Options {
    fn of(setup: &Setup) -> Self {
        Self {
            every: setup.poll_every,
            tool_dirs: setup.tool_dirs.clone(),
            disabled: setup.disabled.clone(),
            ignored: setup.ignored.clone(),
            consume_alarms: setup.consume_alarms,
            tools: setup.tools.clone(),
        }
    }
}

pub fn start(places: &Places, setup: &Setup, cursors: &BTreeMap<String, String>, inbox: mpsc::Sender<Heard>) -> Polls {
    let shared = Rc::new(Shared {
        root: places.root.clone(),
        runner: Runner::new(&places.root, setup.tool_dirs.clone(), &places.run_dir)
            .with_limits(Limits::for_usual(setup.tool_limit)),
        inbox,
        options: RefCell::new(Options::of(setup)),
        loops: RefCell::default(),
        inventory: RefCell::default(),
        look_around: Notify::new(),
        disks: RefCell::default(),
        listed: RefCell::default(),
        spots: RefCell::default(),
        cursors: RefCell::new(cursors.clone()),
        looked_around: Cell::new(false),
        first_round_told: Cell::new(false),
    });
    tokio::task::spawn_local(Rc::clone(&shared).look_around());
    Polls(shared)
}

impl Polls {
    /// The answers of a source were taken in: its cursor is committed.
    pub fn heard(&self, key: &SourceKey, reading: &Reading) {
        if let Some(cursor) = &reading.cursor {
            self.0.cursors.borrow_mut().insert(key.to_string(), cursor.clone());
        }
    }

    pub fn root(&self) -> &std::path::Path {
        &self.0.root
    }

    /// For orders; questions are this module's.
    pub fn runner(&self) -> &Runner {
        &self.0.runner
    }

    /// The tool a family is read with here, the inner `None` where it needs none; `None` where the family is
    /// not used.
    pub fn tool(&self, family: &str) -> Option<Option<ToolFound>> {
        let inventory = Rc::clone(&self.0.inventory.borrow());
        let talk = self.0.talks(&inventory).into_iter().find(|t| t.family() == family)?;
        let disabled = self.0.options.borrow().disabled.iter().any(|d| is_named(&talk, d));
        (!disabled).then_some(talk.tool)
    }

    /// Looks again at a controller, or at all of them when none is named or its space is not known.
    pub fn nudge(&self, space: Option<Space>, at: &Path, after: Duration) {
        let concerned = |key: &SourceKey, l: &Loop| {
            let other_space = space.is_some() && l.space.is_some() && l.space != space;
            let other_place = space.is_some() && at.as_str().starts_with('c') && key.about != at.as_str();
            let polls = !l.follows && (l.reads_all || !key.about.is_empty());
            polls && !other_space && (l.reads_all || !other_place)
        };
        self.wake(concerned, after);
    }

    /// A hint from the kernel that something of this family changed.
    pub fn nudge_family(&self, family: &str) {
        self.wake(|key, _| key.family == family, Duration::ZERO);
    }

    fn wake(&self, concerned: impl Fn(&SourceKey, &Loop) -> bool, after: Duration) {
        for (_, l) in self.0.loops.borrow().iter().filter(|(key, l)| concerned(key, l)) {
            let nudge = Rc::clone(&l.nudge);
            tokio::task::spawn_local(async move {
                tokio::time::sleep(after).await;
                nudge.notify_one();
            });
        }
    }

    pub fn reload(&self, setup: &Setup) {
        *self.0.options.borrow_mut() = Options::of(setup);
        // Whoever reloads may have mended a tool.
        self.0.runner.forgive();
        self.0.look_around.notify_one();
        self.0.loops.borrow().values().for_each(|l| l.nudge.notify_one());
    }

    pub fn unread(&self) -> Vec<SourceDoc> {
        let loops = self.0.loops.borrow();
        let waiting = loops.iter().filter(|(_, l)| l.done.is_none() && !l.follows);
        let doc = |key: &SourceKey| SourceDoc {
            name: key.to_string(),
            state: "not read yet".to_owned(),
            at: None,
            said: None,
            asking: None,
        };
        waiting.map(|(key, _)| doc(key)).collect()
    }

    pub fn asking(&self) -> BTreeMap<String, Asking> {
        self.0.loops.borrow().iter().map(|(key, l)| (key.to_string(), l.asking.clone())).collect()
    }

    /// Every loop came round lately.
    pub fn alive(&self) -> Result<(), String> {
        if !self.0.first_round_told.get() {
            return Err("not everything has been read yet".to_owned());
        }
        let loops = self.0.loops.borrow();
        let late = |l: &Loop| l.done.is_some_and(|done| done.elapsed() > l.rest * 3 + LATE);
        match loops.iter().find(|(_, l)| late(l)) {
            Some((key, _)) => Err(format!("{key} has not been read for too long")),
            None => Ok(()),
        }
    }
}

impl Shared {
    /// What is on this machine, and a discovery for every family that has something to watch.
    async fn look_around(self: Rc<Self>) {
        loop {
            let (root, dirs) = (self.root.clone(), self.options.borrow().tool_dirs.clone());
            let found = tokio::task::spawn_blocking(move || discover::discover(&root, &dirs)).await;
            let inventory = Rc::new(found.unwrap_or_default());
            let before = self.inventory.replace(Rc::clone(&inventory));
            self.tell_departed(&before, &inventory).await;
            if self.inbox.send(Heard::Devices(Rc::clone(&inventory))).await.is_err() {
                return;
            }
            for talk in self.talks(&inventory) {
                if let Some(tool) = &talk.tool {
                    self.options.borrow().tools.found(talk.family(), &tool.name);
                }
                if !self.options.borrow().disabled.iter().any(|d| is_named(&talk, d)) {
                    self.spawn(&talk, Scope::Discover, None);
                }
            }
            self.tell_blind_spots().await;
            self.looked_around.set(true);
            self.tell_first_round();
            let _nudged = timeout(LOOK_AROUND_EVERY, self.look_around.notified()).await;
        }
    }

    fn talks(&self, inventory: &Inventory) -> Vec<Talk> {
        let key = |family: &str| SourceKey { family: family.to_owned(), about: String::new() };
        poll::talks(inventory, |family| self.cursors.borrow().contains_key(&key(family).to_string()))
    }

    fn spawn(self: &Rc<Self>, talk: &Talk, scope: Scope, space: Option<Space>) {
        let key = SourceKey { family: talk.family().to_owned(), about: poll::about(&scope, space) };
        if self.loops.borrow().contains_key(&key) {
            return;
        }
        let nudge = Rc::new(Notify::new());
        let reads_all = talk.adapter.watches_without_card().is_some();
        let follows = talk.adapter.follows_others();
        let new = Loop {
            reads_all,
            follows,
            space: None,
            nudge: Rc::clone(&nudge),
            done: None,
            rest: Duration::ZERO,
            asking: Asking::default(),
        };
        self.loops.borrow_mut().insert(key.clone(), new);
        let poller = Poller {
            shared: Rc::clone(self),
            family: talk.family(),
            scope,
            space,
            key,
            nudge,
            cache: AnswerCache::default(),
            asked_about: Vec::new(),
        };
        tokio::task::spawn_local(poller.run());
    }

    /// Takes in what a source listed; whoever follows gets a loop for every controller with disks.
    fn list_disks(self: &Rc<Self>, key: &SourceKey, reading: &Reading) {
        if !says_something(reading) {
            return;
        }
        self.disks.borrow_mut().insert(key.clone(), poll::disks_listed(reading));
        let followed = poll::followed(&self.disks_known());
        let inventory = Rc::clone(&self.inventory.borrow());
        for talk in self.talks(&inventory).iter().filter(|t| t.adapter.follows_others()) {
            if self.options.borrow().disabled.iter().any(|d| is_named(talk, d)) {
                continue;
            }
            for (space, number) in &followed {
                self.spawn(talk, Scope::Controller(number.clone()), Some(*space));
            }
        }
    }

    fn disks_known(&self) -> Vec<KnownDisk> {
        self.disks.borrow().values().flatten().cloned().collect()
    }

    /// Controllers on the bus that nothing reads, and those that are read again.
    async fn tell_blind_spots(&self) {
        // Before every family has been asked for its cards, any of them may still turn out to be read.
        if self.loops.borrow().iter().any(|(key, l)| key.about.is_empty() && !l.follows && l.done.is_none()) {
            return;
        }
        let inventory = Rc::clone(&self.inventory.borrow());
        let listed: Vec<_> = self.listed.borrow().values().flat_map(|l| l.cards.clone()).collect();
        let ignored = self.options.borrow().ignored.clone();
        let mut facts = blind_spots(&inventory, &listed);
        facts.retain(|(key, _)| !ignored.iter().any(|address| key.contains(address.as_str())));
        let now: BTreeSet<String> = facts.iter().map(|(key, _)| key.clone()).collect();
        let before = self.spots.replace(now.clone());
        let closed = before.difference(&now).map(|key| (key.clone(), None));
        let open = facts.into_iter().map(|(key, fact)| (key, Some(fact)));
        for (key, fact) in open.chain(closed) {
            drop(self.inbox.send(Heard::Monitor { key, fact }).await);
        }
    }

    /// A family whose last card left the bus: its tool only says that it found none, which may have many
    /// reasons; the bus shows it.
    async fn tell_departed(&self, before: &Inventory, now: &Inventory) {
        for adapter in registry::ADAPTERS {
            let on_bus = |i: &Inventory| i.controllers.iter().any(|c| adapter.drivers().contains(&c.driver()));
            let key = SourceKey { family: adapter.family().to_owned(), about: String::new() };
            let space = self.loops.borrow().get(&key).and_then(|l| l.space);
            let (true, false, Some(space)) = (on_bus(before), on_bus(now), space) else { continue };
            self.listed.borrow_mut().remove(adapter.family());
            let mut reading = Reading::new(adapter.family(), space);
            reading.coverage.add(&Path::default(), Covers::Controllers);
            let heard = Heard::Reading { key, reading: Box::new(reading), begun: Instant::now() };
            drop(self.inbox.send(heard).await);
        }
    }

    /// A tool that began to fail may have lost its card: the bus and the family's other cards are looked at.
    fn suspect_departure(&self, family: &str) {
        self.look_around.notify_one();
        let discovery = SourceKey { family: family.to_owned(), about: String::new() };
        if let Some(l) = self.loops.borrow().get(&discovery) {
            l.nudge.notify_one();
        }
    }

    fn count(&self, key: &SourceKey, rest: Duration, took: Duration, fails: bool) {
        if let Some(l) = self.loops.borrow_mut().get_mut(key) {
            l.asking = Asking {
                every_seconds: rest.as_secs_f64(),
                took_seconds: took.as_secs_f64(),
                looks: l.asking.looks + 1,
                failed: l.asking.failed + u64::from(fails),
                unknown_words: 0,
            };
        }
    }

    fn came_round(&self, key: &SourceKey, space: Space, rest: Duration) {
        if let Some(l) = self.loops.borrow_mut().get_mut(key) {
            (l.done, l.rest, l.space) = (Some(Instant::now()), rest, Some(space));
        }
        self.tell_first_round();
    }

    fn tell_first_round(&self) {
        let all = self.looked_around.get() && self.loops.borrow().values().all(|l| l.follows || l.done.is_some());
        if all && !self.first_round_told.replace(true) {
            let inbox = self.inbox.clone();
            tokio::task::spawn_local(async move { drop(inbox.send(Heard::FirstRoundDone).await) });
        }
    }
}

/// By family or by the name of its tool.
fn is_named(talk: &Talk, word: &str) -> bool {
    word == talk.family() || talk.tool.as_ref().is_some_and(|t| t.name == word)
}

struct Poller {
    shared: Rc<Shared>,
    family: &'static str,
    scope: Scope,
    /// Whose number the controller in `scope` is, where this family follows another.
    space: Option<Space>,
    key: SourceKey,
    nudge: Rc<Notify>,
    cache: AnswerCache,
    /// Disks of others it was last asked about.
    asked_about: Vec<KnownDisk>,
}

impl Poller {
    async fn run(mut self) {
        let mut failing = false;
        while let Some(talk) = self.talk() {
            let begun = Instant::now();
            let reading = self.look(&talk).await;
            let discovers = self.scope == Scope::Discover;
            let reads_all = talk.adapter.watches_without_card().is_some();
            let every = if discovers && !reads_all { LOOK_AROUND_EVERY } else { self.shared.options.borrow().every };
            // A tool that fails works for nobody: trying it again soon is the runner's decision.
            let fails = !says_something(&reading);
            let took = begun.elapsed();
            let rest = if fails { every } else { every.max(took * DUTY) };
            if talk.adapter.follows_others() {
                // Its own failure is no sign of a lost card.
            } else if fails && !failing && !discovers {
                self.shared.suspect_departure(self.family);
            }
            failing = fails;
            let space = reading.space;
            if discovers {
                self.follow(&talk, &reading);
            }
            if !talk.adapter.follows_others() {
                self.shared.list_disks(&self.key, &reading);
            }
            let heard = Heard::Reading { key: self.key.clone(), reading: Box::new(reading), begun };
            if self.shared.inbox.send(heard).await.is_err() {
                return;
            }
            self.shared.count(&self.key, rest, took, fails);
            self.shared.came_round(&self.key, space, rest);
            if discovers {
                self.shared.tell_blind_spots().await;
            }
            let nudged = timeout(rest, self.nudge.notified()).await.is_ok();
            if nudged {
                self.cache.clear();
            }
            tokio::time::sleep_until(begun + BREATH).await;
        }
        self.shared.loops.borrow_mut().remove(&self.key);
        self.shared.disks.borrow_mut().remove(&self.key);
        if let Some(space) = self.space {
            // Nothing it complained of holds any more.
            let reading = Box::new(Reading::new(self.family, space));
            drop(
                self.shared.inbox.send(Heard::Reading { key: self.key.clone(), reading, begun: Instant::now() }).await,
            );
        }
    }

    /// The adapter and tool to talk through now; `None` ends the loop: the family has nothing to watch
    /// here any more, is switched off, or does not list this controller.
    fn talk(&self) -> Option<Talk> {
        if let (Scope::Controller(number), Some(space)) = (&self.scope, self.space) {
            poll::followed(&self.shared.disks_known()).get(&(space, number.clone()))?;
        } else if let Scope::Controller(number) = &self.scope {
            let listed = self.shared.listed.borrow();
            listed.get(self.family)?.numbers.iter().find(|n| *n == number)?;
        }
        let talk =
            self.shared.talks(&self.shared.inventory.borrow()).into_iter().find(|t| t.family() == self.family)?;
        let disabled = self.shared.options.borrow().disabled.iter().any(|d| is_named(&talk, d));
        (!disabled).then_some(talk)
    }

    async fn look(&mut self, talk: &Talk) -> Reading {
        let inventory = Rc::clone(&self.shared.inventory.borrow());
        let cursor = self.shared.cursors.borrow().get(&self.key.to_string()).cloned();
        let mut known = poll::known_for(&inventory, talk.tool.as_ref(), self.scope.clone(), cursor);
        known.may_consume_alarms = self.shared.options.borrow().consume_alarms;
        if !talk.adapter.follows_others() {
            return poll::converse(&self.shared.runner, talk.adapter, known, &mut self.cache).await.reading;
        }
        let disks = self.followed();
        if disks.iter().any(|d| !self.asked_about.contains(d)) {
            // A disk was replaced or moved: what was answered may be another disk's.
            self.cache.clear();
        }
        self.asked_about.clone_from(&disks);
        let known = poll::known_to_follow(known, &inventory, self.space, disks);
        let mut reading = poll::converse(&self.shared.runner, talk.adapter, known, &mut self.cache).await.reading;
        // Meanwhile one may have gone: it must not come back by this.
        let still = self.followed();
        reading.disks.retain(|d| d.controller.is_none() || still.iter().any(|s| s.at == d.at));
        reading
    }

    /// Disks behind its controller, or all of them where it looks for members of arrays.
    fn followed(&self) -> Vec<KnownDisk> {
        let mut disks = self.shared.disks_known();
        if let (Scope::Controller(number), Some(space)) = (&self.scope, self.space) {
            let at = Path::controller(number);
            disks.retain(|d| d.space == space && d.controller.as_ref() == Some(&at));
        } else {
            disks.retain(|d| d.controller.is_none());
        }
        disks
    }

    /// A loop for every controller found.
    fn follow(&self, talk: &Talk, discovery: &Reading) {
        // A discovery that failed proves nothing about who is there.
        if !discovery.coverage.has(&Path::default(), Covers::Controllers) {
            return;
        }
        let listed = Listed { numbers: poll::controllers(discovery), cards: poll::controllers_read(discovery) };
        self.shared.listed.borrow_mut().insert(self.family.to_owned(), listed);
        for number in poll::controllers(discovery) {
            self.shared.spawn(talk, Scope::Controller(number), None);
        }
    }
}
