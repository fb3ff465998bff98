//! Log rules an admin writes: a name, a pattern, what it means, and "how many within how long".

use super::{Observation, Rate, Sign, rule};
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize, de::IntoDeserializer};

/// As it stands in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRule {
    pub name: String,
    /// Matched against the text without syslog header and time stamp; named groups name objects.
    pub pattern: String,
    /// `disk-failed`, `io-error`, … or `benign` to silence lines.
    pub sign: String,
    /// "3 within 24h": fewer than that is nothing.
    #[serde(default)]
    pub rate: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("log rule \"{rule}\": the pattern is not a regular expression: {why}")]
    Pattern { rule: String, why: String },
    #[error("log rule \"{rule}\": the pattern matches every line, even an empty one")]
    MatchesAll { rule: String },
    #[error("log rule \"{rule}\": \"{word}\" is no sign; one of: {known}")]
    Sign { rule: String, word: String, known: String },
    #[error("log rule \"{rule}\": rate \"{said}\" is not of the form \"3 within 24h\" (s, m, h or d)")]
    Rate { rule: String, said: String },
    #[error("a log rule has no name")]
    NoName,
    #[error("log rule \"{rule}\" is there twice")]
    Twice { rule: String },
}

#[derive(Debug, Clone)]
pub(super) struct Compiled {
    /// `user:NAME`.
    pub id: String,
    pattern: Regex,
    names: Vec<Option<String>>,
    sign: Sign,
    pub rate: Option<Rate>,
}

impl Compiled {
    pub fn of_all(rules: &[UserRule]) -> Result<Vec<Self>, RuleError> {
        let mut compiled: Vec<Self> = Vec::new();
        for rule in rules {
            let new = Self::of(rule)?;
            if compiled.iter().any(|c| c.id == new.id) {
                return Err(RuleError::Twice { rule: rule.name.clone() });
            }
            compiled.push(new);
        }
        Ok(compiled)
    }

    fn of(rule: &UserRule) -> Result<Self, RuleError> {
        if rule.name.trim().is_empty() {
            return Err(RuleError::NoName);
        }
        let name = || rule.name.clone();
        let pattern = RegexBuilder::new(&rule.pattern)
            .size_limit(1 << 20)
            .build()
            .map_err(|e| RuleError::Pattern { rule: name(), why: e.to_string() })?;
        if pattern.is_match(b"") {
            return Err(RuleError::MatchesAll { rule: name() });
        }
        let rate = rule
            .rate
            .as_deref()
            .map(|said| Rate::parse(said).ok_or_else(|| RuleError::Rate { rule: name(), said: said.to_owned() }));
        Ok(Self {
            id: format!("user:{}", rule.name),
            names: rule::group_names(&pattern),
            pattern,
            sign: sign(&rule.sign).map_err(|known| RuleError::Sign { rule: name(), word: rule.sign.clone(), known })?,
            rate: rate.transpose()?,
        })
    }

    pub fn observe(&self, text: &[u8]) -> Option<Observation> {
        let found = self.pattern.captures(text)?;
        let mut seen = Observation::new(self.sign, self.id.clone(), String::from_utf8_lossy(text).trim());
        seen.about = rule::about(&self.names, &found);
        Some(seen)
    }
}

/// The error is the list of known words.
fn sign(word: &str) -> Result<Sign, String> {
    type Plain = serde::de::value::Error;
    let spelled = word.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    Sign::deserialize(IntoDeserializer::<Plain>::into_deserializer(spelled.as_str()))
        .map_err(|unknown| unknown.to_string().rsplit("one of ").next().unwrap_or_default().replace('`', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(pattern: &str, sign: &str, rate: Option<&str>) -> UserRule {
        UserRule { name: "mine".into(), pattern: pattern.into(), sign: sign.into(), rate: rate.map(str::to_owned) }
    }

    #[test]
    fn a_rule_names_its_object_by_its_groups() {
        let rule = Compiled::of(&user(r"box (?P<dev>\w+) lost", "disk-missing", Some("2 within 1h"))).unwrap();
        let seen = rule.observe(b"box sdb1 lost").unwrap();
        assert_eq!((seen.sign, seen.rule.as_str()), (Sign::DiskMissing, "user:mine"));
        assert_eq!(seen.about.aliases, [crate::model::Alias::Kernel("sdb".into())]);
        assert_eq!(rule.rate, Some(Rate { n: 2, within_seconds: 3600 }));
        assert!(rule.observe(b"box is fine").is_none());
    }

    #[test]
    fn mistakes_are_named() {
        let said = |pattern, sign, rate| Compiled::of(&user(pattern, sign, rate)).unwrap_err().to_string();
        assert!(said("(", "io-error", None).contains("\"mine\": the pattern is not a regular expression"));
        assert!(said("x*", "io-error", None).contains("every line"));
        assert!(said("x", "explosion", None).contains("\"explosion\" is no sign; one of: io-error, medium-error"));
        assert!(said("x", "io-error", Some("often")).contains("\"often\""));
        let twice = [user("x", "benign", None), user("y", "benign", None)];
        assert!(matches!(Compiled::of_all(&twice), Err(RuleError::Twice { .. })));
    }
}
