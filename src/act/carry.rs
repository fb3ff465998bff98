//! Carries an order out: the audit row first, then the act, then its answer.
//!
//! What cannot be written down is not done. The row before says what is about to happen, so that a daemon
//! that dies in the middle leaves a trace of what it may have done.

use super::{Done, Order};
use crate::clock;
use crate::poll::lock_name;
use crate::run::Runner;
use crate::store::{AuditEntry, Store};
use raidmond_adapters::{Act, Maintenance, Verdict, registry};
use raidmond_core::survey::{Answer, Deadline, Known, Scope};
use std::time::Duration;

/// A store that answers no sooner is as good as lost.
const STORE_PATIENCE: Duration = Duration::from_secs(10);
/// Of a tool's answer.
const QUOTED: usize = 300;

pub async fn carry_out(runner: &Runner, store: &Store, mut order: Order) -> Done {
    let Some(maintenance) = registry::by_family(&order.family).and_then(|a| a.maintenance()) else {
        return Done { verdict: Verdict::Refused(format!("{} changes nothing", order.family)), order };
    };
    let first = one(runner, store, maintenance, &order).await;
    let tool = order.tool.as_ref().map_or("", |t| t.name.as_str());
    let second = match &first {
        (Verdict::Refused(_), Some(answer)) => maintenance.otherwise(tool, &order.mutation, answer),
        _ => None,
    };
    let Some(act) = second else { return Done { verdict: first.0, order } };
    order.act = act;
    let (verdict, _) = one(runner, store, maintenance, &order).await;
    Done { order, verdict }
}

async fn one(
    runner: &Runner,
    store: &Store,
    maintenance: &dyn Maintenance,
    order: &Order,
) -> (Verdict, Option<Answer>) {
    let intent = format!("{}; about to run: {}", order.why, order.act);
    if let Err(why) = write_down(store, order, intent).await {
        return (
            Verdict::Refused(format!("nothing was done, because it could not be written to the audit log: {why}")),
            None,
        );
    }
    let (answer, tried) = perform(runner, order).await;
    let verdict = match tried {
        true => maintenance.judge(&order.mutation, &answer),
        false => Verdict::Refused(format!("it was not run: {}", quote(&answer))),
    };
    if let Err(why) = write_down(store, order, outcome(&verdict, &answer)).await {
        tracing::error!("what became of \"{}\" could not be written to the audit log: {why}", order.act);
    }
    (verdict, Some(answer))
}

async fn write_down(store: &Store, order: &Order, said: String) -> Result<(), String> {
    let now = clock::now();
    let what = format!("{} {}", order.mutation.word(), order.name);
    let entry = AuditEntry { at: now, who: order.by.to_string(), what, said };
    match tokio::time::timeout(STORE_PATIENCE, store.audit(entry, now)).await {
        Ok(written) => written.map_err(|lost| lost.to_string()),
        Err(_) => Err("the state store does not answer".to_owned()),
    }
}

async fn perform(runner: &Runner, order: &Order) -> (Answer, bool) {
    match &order.act {
        Act::Command(argv) => runner.act(&located(argv, order), &lock(order), Deadline::Normal).await,
        Act::Write(writes) => runner.write(writes, &lock(order)).await,
    }
}

/// The tool by the path where it was found.
fn located(argv: &[String], order: &Order) -> Vec<String> {
    let mut argv = argv.to_vec();
    if let (Some(first), Some(tool)) = (argv.first_mut(), &order.tool) {
        first.clone_from(&tool.path);
    }
    argv
}

/// The lock of the questions to the same controller: no order while a question is asked.
fn lock(order: &Order) -> String {
    let scope = match order.about().strip_prefix('c') {
        Some(number) => Scope::Controller(number.to_owned()),
        None => Scope::Discover,
    };
    lock_name(&order.family, &Known { scope, tool: order.tool.clone(), ..Known::default() })
}

fn outcome(verdict: &Verdict, answer: &Answer) -> String {
    let word = match verdict {
        Verdict::Started => "done".to_owned(),
        Verdict::Refused(why) => format!("refused: {why}"),
        Verdict::Unknown => "not known what became of it".to_owned(),
    };
    format!("{word}; {}; answer: {}", answer.outcome.words(), quote(answer))
}

fn quote(answer: &Answer) -> String {
    let text = format!("{} {}", answer.text(), answer.stderr_text());
    let words: Vec<&str> = text.split_whitespace().collect();
    let all = words.join(" ");
    if all.is_empty() { "nothing".to_owned() } else { all.chars().take(QUOTED).collect() }
}
