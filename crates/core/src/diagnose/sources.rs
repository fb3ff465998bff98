//! raidmond's own sight: tools that fail, words it does not know, channels that do not deliver.

use super::{Condition, ConditionKind as K, Context, Subject};
use crate::host::{Host, SourceKey, SourceState};
use crate::model::{ObjectKind, Path};
use crate::survey::{Note, NoteKind};

pub(super) fn diagnose(cx: &mut Context<'_>) {
    blind_sources(cx);
    notes(cx);
    let monitor: Vec<Condition> = cx
        .memory
        .monitor
        .values()
        .map(|fact| {
            let subject = Subject::named("monitor", &fact.name);
            let condition = Condition::new(fact.kind, cx.policy.severity(fact.kind), subject, fact.said.clone());
            match &fact.remedy {
                Some(remedy) => condition.because("remedy", remedy.clone()),
                None => condition,
            }
        })
        .collect();
    cx.found.extend(monitor);
}

fn blind_sources(cx: &mut Context<'_>) {
    let host = cx.host;
    for (key, state) in &host.sources {
        if state.failures < cx.policy.blind_after.max(1) || is_gone(host, key, state) {
            continue;
        }
        let why = state.notes.iter().find(|n| is_failure(n)).or(state.notes.first());
        let said = why.map_or("no usable answer", |n| n.said.as_str());
        let subject = Subject::named("source", &key.to_string());
        let mut condition = cx
            .condition(K::SourceBlind, subject, format!("cannot read {key}: {said}"))
            .because(key.family.clone(), said);
        if let Some(remedy) = why.and_then(|n| n.remedy.clone()) {
            condition = condition.because("remedy", remedy);
        }
        cx.found.push(condition);
    }
}

/// That a missing controller cannot be read is no news.
fn is_gone(host: &Host, key: &SourceKey, state: &SourceState) -> bool {
    let controller = host.any_by_path(state.space, &Path::new(&key.about));
    controller.is_some_and(|id| host.gone.contains_key(&id))
}

fn is_failure(note: &Note) -> bool {
    matches!(note.kind, NoteKind::ToolFailed | NoteKind::Unreadable | NoteKind::CommandRefused)
}

fn notes(cx: &mut Context<'_>) {
    let view = cx.view;
    for (id, source, note) in &view.notes {
        let wholly_failing = cx.host.sources.iter().any(|(k, s)| k.to_string() == *source && s.failures > 0);
        let kind = match note.kind {
            NoteKind::UnknownWord => K::UnknownWord,
            NoteKind::ToolFailed | NoteKind::Unreadable | NoteKind::CommandRefused if !wholly_failing => K::SourceBlind,
            NoteKind::FewerThanCounted => K::SourceBlind,
            NoteKind::Partial => K::PartlyRead,
            _ => continue,
        };
        let subject = match id {
            Some(id) => {
                let object = cx.host.registry.get(*id).map_or(ObjectKind::Source, |e| e.kind);
                Subject::object(*id, object, cx.host.name(*id))
            }
            None => Subject::named("source", source),
        };
        let headline = match note.at.as_str() {
            "" => format!("{source}: {}", note.said),
            at => format!("{at}: {}", note.said),
        };
        let mut condition = cx.condition(kind, subject, headline).because(source.clone(), note.said.clone());
        if let Some(remedy) = &note.remedy {
            condition = condition.because("remedy", remedy.clone());
        }
        cx.found.push(condition);
    }
}
