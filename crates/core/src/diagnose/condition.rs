use super::kind::{ConditionKind, Topic};
use crate::identity::ObjectId;
use crate::model::ObjectKind;
use crate::notice::EvidenceLine;
use crate::severity::Severity;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a condition is about. The key is stable for life; the name is for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Subject {
    pub key: String,
    pub name: String,
    pub kind: ObjectKind,
    pub id: Option<ObjectId>,
}

impl Subject {
    pub fn object(id: ObjectId, kind: ObjectKind, name: impl Into<String>) -> Self {
        Self { key: format!("o{id}"), name: name.into(), kind, id: Some(id) }
    }

    /// A source, channel or device raidmond has no object for.
    pub fn named(kind: &str, name: &str) -> Self {
        Self { key: format!("{kind}:{name}"), name: name.to_owned(), kind: ObjectKind::Source, id: None }
    }
}

/// Something that is the case now, with its severity and the reasons to believe it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    pub kind: ConditionKind,
    pub severity: Severity,
    pub subject: Subject,
    /// The object whose incident this belongs to: the redundancy group once redundancy is touched.
    pub anchor: Subject,
    pub topic: Topic,
    /// One clause: "RAID 5 data degraded, disk 32:5 failed, no redundancy left".
    pub headline: String,
    pub evidence: Vec<EvidenceLine>,
    /// Further objects concerned: failed members, suspects.
    pub related: Vec<ObjectId>,
    /// Stated by one weak source only: a confirming poll comes first.
    pub wants_confirming: bool,
}

impl Condition {
    pub fn new(kind: ConditionKind, severity: Severity, subject: Subject, headline: impl Into<String>) -> Self {
        Self {
            kind,
            severity,
            anchor: subject.clone(),
            subject,
            topic: kind.topic(),
            headline: headline.into(),
            evidence: Vec::new(),
            related: Vec::new(),
            wants_confirming: false,
        }
    }

    #[must_use]
    pub fn because(mut self, source: impl Into<String>, said: impl Into<String>) -> Self {
        self.evidence.push(EvidenceLine { at: None, source: source.into(), said: said.into() });
        self
    }

    /// A log line, with the time it tells of.
    #[must_use]
    pub fn because_at(mut self, source: &str, said: &str, at: Timestamp) -> Self {
        self.evidence.push(EvidenceLine { at: Some(at), source: source.to_owned(), said: said.to_owned() });
        self
    }

    /// Identity of the condition itself.
    pub fn fingerprint(&self) -> String {
        format!("{}/{}", self.subject.key, self.kind.word())
    }

    /// Identity of the incident it belongs to.
    pub fn incident_key(&self) -> IncidentKey {
        IncidentKey { anchor: self.anchor.key.clone(), topic: self.topic }
    }

    /// Identity of the incident it would have alone.
    pub fn own_key(&self) -> IncidentKey {
        IncidentKey { anchor: self.subject.key.clone(), topic: self.kind.topic() }
    }
}

/// Nothing in here moves: no index, count, slot, severity or text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IncidentKey {
    pub anchor: String,
    pub topic: Topic,
}
