//! Orders: what a person or the schedule wants done to an array, on its way through the loop.
//!
//! One at a time for each controller. After an order of which nobody knows what became, nothing more is done
//! to that controller before its tool has been read again.

use super::inbox::Heard;
use super::turn::Daemon;
use crate::act::choose::{self, Objection};
use crate::act::{By, CheckVerb, Done, Order, carry};
use crate::clock;
use crate::serve::socket::{CheckWish, Request, Said};
use raidmond_adapters::{Mutation, Verdict};
use raidmond_core::checks::{self as core, Ordered, Planning, Reason, Refusal, Starter, Verb, against};
use raidmond_core::host::{Seen, SourceKey, View, says_something};
use raidmond_core::incident::Input;
use raidmond_core::model::{Array, Path};
use raidmond_core::survey::Reading;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A controller needs a moment before its tool shows what it was told.
const SETTLE: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct Orders {
    under_way: BTreeMap<SourceKey, Option<oneshot::Sender<Said>>>,
    /// Read again before anything else is done there, by questions asked after this moment.
    doubtful: BTreeMap<SourceKey, Instant>,
}

fn place(order: &Order) -> SourceKey {
    SourceKey { family: order.family.clone(), about: order.about() }
}

impl Daemon {
    /// A person's wish: answered at once, or when it has been carried out.
    pub(super) fn check_wished(&mut self, request: Request<CheckWish>) {
        let Request { by, wish, answer } = request;
        let why = if wish.comment.is_empty() { "by hand".to_owned() } else { format!("by hand: {}", wish.comment) };
        let planned = self.plan(&wish.array, wish.verb, By::Person(by), &why, wish.force);
        let said = match planned {
            Ok(order) if wish.dry_run => Ok(format!("would run: {}", order.act)),
            Ok(order) => match self.carry_out(order, Some(answer)) {
                // Answered when it is done.
                Ok(()) => return,
                Err((said, answer)) => return tell(answer, Err(said)),
            },
            Err(said) => Err(said),
        };
        tell(Some(answer), said);
    }

    /// The order, or why not. For the schedule, too.
    pub fn plan(&self, array: &str, verb: CheckVerb, by: By, why: &str, force: bool) -> Result<Order, String> {
        let host = &self.engine.state().host;
        let view = host.view();
        let array = choose::array(&view, array)?;
        let order = choose::order(host, array, verb, by, why, |family| self.polls.tool(family))?;
        self.setup.permits.ask(&order.by, &order.mutation)?;
        choose::never(&view, array, verb).map_err(|o| o.why)?;
        match self.objection(&view, array, verb, &order.by) {
            Some(o) if !o.harmless => Err(o.why),
            Some(o) if !force => Err(format!("{}; --force goes over this", o.why)),
            _ => Ok(order),
        }
    }

    /// What the planner has against it now, beyond what must never be done. For the schedule it has been asked.
    fn objection(&self, view: &View, array: &Seen<Array>, verb: CheckVerb, by: &By) -> Option<Objection> {
        let starts = matches!(verb, CheckVerb::Start | CheckVerb::StartFixing);
        if !starts || *by == By::Schedule {
            return None;
        }
        let planning = Planning::of(&self.engine.settings, self.engine.state(), view, clock::now());
        // A paused one goes on where it was, and a person may ask again at any time.
        let not_theirs = |r: &Refusal| matches!(r.reason, Reason::Running | Reason::Asked);
        let refusals = against(&planning, array).into_iter().filter(|r| !not_theirs(r));
        let (harmless, firm): (Vec<_>, Vec<_>) = refusals.partition(Refusal::is_harmless);
        let words = |r: &[Refusal]| r.iter().map(|r| r.why.clone()).collect::<Vec<_>>().join("; ");
        match (firm.as_slice(), harmless.as_slice()) {
            ([], []) => None,
            ([], harmless) => Some(Objection::harmless(words(harmless))),
            (firm, _) => Some(Objection::firm(words(firm))),
        }
    }

    /// The planner wants something done. What cannot even be tried is answered at once.
    pub(super) fn by_schedule(&mut self, wanted: &core::Order) {
        let name = self.engine.state().host.name(wanted.array);
        let order = self.plan(&name, wanted.verb.into(), By::Schedule, &wanted.why, false);
        let refused = match order.map(|order| self.carry_out(order, None)) {
            Ok(Ok(())) => return,
            Ok(Err((said, _))) | Err(said) => said,
        };
        tracing::warn!("{} check {name}, by schedule: {refused}", wanted.verb.word());
        let (array, verb, by) = (wanted.array, wanted.verb, Starter::Raidmond);
        self.follow.push_back(Input::Ordered { array, verb, by, what: Ordered::Refused(refused) });
    }

    /// Begins it; `Heard::Done` comes when it is over. `Err` gives back who waits.
    pub fn carry_out(
        &mut self,
        order: Order,
        waits: Option<oneshot::Sender<Said>>,
    ) -> Result<(), (String, Option<oneshot::Sender<Said>>)> {
        let key = place(&order);
        if self.orders.under_way.contains_key(&key) {
            return Err((format!("another order to {key} is under way"), waits));
        }
        if self.orders.doubtful.contains_key(&key) {
            let said = format!("it is not known what became of the last order to {key}; it has to be read first");
            return Err((said, waits));
        }
        self.orders.under_way.insert(key, waits);
        let (polls, store, inbox) = (self.polls.clone(), self.store.clone(), self.inbox.clone());
        tokio::task::spawn_local(async move {
            let done = carry::carry_out(polls.runner(), &store, order).await;
            drop(inbox.send(Heard::Done(Box::new(done))).await);
        });
        Ok(())
    }

    /// What became of an order: for whoever asked, and for the engine.
    pub(super) fn done(&mut self, done: &Done) -> Input {
        let key = place(&done.order);
        let waits = self.orders.under_way.remove(&key).flatten();
        if done.verdict == Verdict::Unknown {
            // The nudge below makes the tool say everything anew.
            self.orders.doubtful.insert(key.clone(), Instant::now() + SETTLE);
        }
        self.polls.nudge(Some(done.order.space), &Path::new(&key.about), SETTLE);
        tracing::info!("{}, for {}", done.words(), done.order.by);
        let ok = done.verdict == Verdict::Started;
        tell(waits, if ok { Ok(done.words()) } else { Err(done.words()) });
        ordered(done)
    }

    /// A controller that was read since holds no doubt any more.
    pub(super) fn settled(&mut self, key: &SourceKey, reading: &Reading, begun: Instant) {
        let since = self.orders.doubtful.get(key).is_some_and(|after| begun >= *after);
        if since && says_something(reading) {
            self.orders.doubtful.remove(key);
        }
    }
}

fn ordered(done: &Done) -> Input {
    let verb = match done.order.mutation {
        Mutation::StopCheck { .. } => Verb::Stop,
        Mutation::PauseCheck { .. } => Verb::Pause,
        Mutation::ResumeCheck { .. } => Verb::Resume,
        Mutation::StartCheck { .. } | Mutation::VerifyFix { .. } => Verb::Start,
        // Lamps are no business of the engine's.
        Mutation::Locate { .. } => return Input::Tick,
    };
    let what = match &done.verdict {
        Verdict::Started => Ordered::Done,
        Verdict::Refused(why) => Ordered::Refused(why.clone()),
        Verdict::Unknown => Ordered::Unknown,
    };
    let by = match &done.order.by {
        By::Person(name) => Starter::Person(name.clone()),
        By::Schedule => Starter::Raidmond,
    };
    Input::Ordered { array: done.order.object, verb, by, what }
}

fn tell(waits: Option<oneshot::Sender<Said>>, said: Result<String, String>) {
    let ok = said.is_ok();
    let said = said.unwrap_or_else(|why| why);
    // Whoever asked may be gone.
    if let Some(waits) = waits {
        drop(waits.send(Said { ok, said }));
    }
}
