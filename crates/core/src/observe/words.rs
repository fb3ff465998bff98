//! Words of trouble, for logs and driver texts without a rule of their own.
//!
//! Order matters: the first phrase found decides, so phrases that mean the opposite (`0 failed`,
//! `failover`, `no failure`, a refused login) are blanked out first. Of a change only the new state
//! counts. Case does not matter.

use super::Sign;
use super::transition::as_of_now;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What sounds like trouble and is none.
const HARMLESS: &str = r"(?x)
    \b (?:fail|failed|failures|fails) (?:\s+ (?:drives|disks|devices|lds|pds|count|counter))? \s* [:=] \s* (?:0+|none|no|nil) (?: \s* [,;|)] | \s+ [a-z] | \s* $)
  | \b (?:no|none|zero|without (?:\s+ any)?) \s+ (?:(?:drives?|disks?|media|medium|new|other|more|physical|logical|lds?|pds?) \s+)?
       (?:is \s+ | are \s+)? (?:fail(?:ed|ures?)?|errors?|faults?|problems?|missing|degraded|offline|bad|dead) (?:\s+ (?:blocks?|sectors?|drives?|disks?))? \b
  | \b (?:not|no\ longer) \s+ (?:failed|failing|degraded|critical|off-?line|missing|dead|bad|faulty) \b
  | \b (?:recover\w*|restored|cleared|resolved|returned) \s+ from \s+ (?:(?:a|an|the) \s+)? (?:partially \s+)? (?:fail\w*|degrad\w*|critical|off-?line|error|fault)\w* (?: \s+ (?:state|mode|condition))? \b
  | \b (?:errors?|faults?|bad\ blocks?|missing|degraded|offline|dead|mismatch(?:es)?|inconsisten\w+|lost|removed|predictive\ \w+(?:\ \w+)?) (?:\s* count)? \s* [:=] \s* 0+ (?: \s* [,;|)] | \s+ [a-z] | \s* $)
  | \b fail(?:ed)? [\s-]* over \b | \b fail [\s-]* (?:back|safe) \b | \b failover\w*
  | \b (?:failed|invalid|bad) \s+ (?:login|logon|password|authentication|user|ssh|session|auth)\w* .*
  | \b (?:login|logon|password|authentication|auth|pam_unix\S*) \b .* \b fail\w*
  | \b timeout \s* (?:value|setting)? \s* (?:[:=]|is \b|set \b|to \b)
  | \b fault[\s-]* toleran\w+ | \b smart \s* (?:enabled|polling|poll \s* interval|capable|status \s* [:=]? \s* ok|check \s* passed|passed|ok)
  | \b (?:rebuild|check|consistency|verif\w+|initiali[sz]\w+) \s* rate \b
  | \b hot [\s-]* remov(?:e|able|al) \s* (?:supported|enabled|capable)";

/// `0 failed` is a count, `drive 0 failed` is a name.
const ZERO: &str = r"(?:(\w+)\s*[-.:=#]?\s*)?\b0+\s+(?:\w+\s+)?(?:fail(?:ed|ures?)?|errors?|faults?|problems?|missing|degraded|offline|bad|dead|inconsisten\w+|mis-?match\w*)\b";
const NAMED_BY_NUMBER: &str = r"^(?:\w*drive|\w*disk|adapter|adp|controller|ctrl|hba|card|ld|vd|pd|lun|array|unit|volume|container|device|dev|channel|chan|chn?|port|target|tgt|id|slot|bay|enclosure|encl|span|number|no|battery|bbu|fan|psu|supply|sensor|\d+)$";

/// Parts that say they are well, unless the same breath says they are not.
const GOOD: &str = r"\b(?:battery|bbu|temperature|fan|power\s*suppl(?:y|ies))\b[^,;.]*?\b(?:ok(?:ay)?|normal|good|optimal|present|charged|charge\s*complete\w*|charge\s*done)\b";
const NEGATED: &str =
    r"\b(?:not|no|never|isn't|without|fail\w*|low|high|bad|missing|removed|above|below|fault\w*|err\w*)\b";

/// Phrase → sign, most telling first.
const TROUBLE: &[(Sign, &str)] = &[
    (
        Sign::Predictive,
        r"predict\w*|impending|\bs\.?m\.?a\.?r\.?t\.?\b.*\b(?:fail|trip|thresh|exceed|alert|warn|error|trouble)\w*|\bsmart\s+(?:event|trip)|pre-?fail\w*",
    ),
    (
        Sign::DataLoss,
        r"punctur\w*|data\s+(?:is\s+|was\s+|has\s+been\s+|may\s+be\s+)?(?:lost|loss)|cache\s+(?:was\s+|data\s+)?(?:lost|discard\w*)|unrecoverable|double\s+medium",
    ),
    (
        Sign::RebuildFailed,
        r"(?:rebuild\w*|reconstruct\w*)\b.*\b(?:fail\w*|abort\w*|error|stopped|cancel\w*|halt\w*|terminat\w*)|(?:fail\w*|abort\w*|error)\b.*\b(?:rebuild\w*|reconstruct\w*)",
    ),
    (
        Sign::CheckFailed,
        r"(?:consistency|verify|patrol)\b.*\b(?:fail\w*|abort\w*|terminat\w*)|check\s+(?:consistency\s+)?(?:fail\w*|abort\w*)",
    ),
    (Sign::RebuildCompleted, r"rebuil\w*\b.*\b(?:complete\w*|finish\w*|success\w*|done)"),
    (Sign::RebuildStarted, r"rebuil\w*\b.*\b(?:start\w*|begin\w*|begun|initiat\w*|progress)|rebuilding"),
    (
        Sign::BatteryFailed,
        r"(?:battery|bbu|accumulator)\b.*\b(?:fail\w*|fault\w*|missing|removed|absent|not\s+present|dead|replace\w*|bad|defect\w*|gone)|(?:no|missing|failed|bad|replace|dead)\s+(?:the\s+)?(?:battery|bbu)",
    ),
    (
        Sign::BatteryWeak,
        r"(?:battery|bbu)\b.*\b(?:low|weak|hot|temperature|voltage|warn\w*|cycles|expired?|discharg\w*|degraded|condition\w*)|(?:low|weak)\s+battery",
    ),
    (Sign::FanFailed, r"\bfans?\b.*\b(?:fail\w*|fault\w*|stopped|stall\w*|missing|removed|slow|dead|bad|critical)"),
    (
        Sign::PowerSupplyFailed,
        r"(?:power\s*suppl\w*|\bpsu?\b)\s*\d*\b.*\b(?:fail\w*|fault\w*|off|missing|removed|lost|dead|bad|critical)",
    ),
    (
        Sign::TemperatureHigh,
        r"over-?\s*(?:heat|temp)\w*|temperature\b.*\b(?:high|exceed\w*|above|critical|warn\w*|thresh\w*|limit|alarm|too)|(?:high|critical|excessive)\s+temperature|too\s+hot",
    ),
    (Sign::MemoryUncorrectable, r"multi-?\s*bit|uncorrectable\s+(?:ecc|memory)"),
    (Sign::MemoryCorrectable, r"single-?\s*bit|correctable\s+ecc|ecc\s+error"),
    (
        Sign::MediumError,
        r"bad\s+(?:block|sector)s?|medi(?:a|um)\s+err\w*|re-?assign\w*|grown?\s+defect|sense\s*key\s*[:=]?\s*(?:0x)?3\b|uncorrect\w*|unread\w*|re-?allocat\w*",
    ),
    (Sign::Inconsistency, r"inconsisten\w*|mis-?match\w*|parity\s+(?:is\s+)?(?:wrong|bad)|mis-?compare"),
    (
        Sign::SpareFailed,
        r"(?:hot\s*-?spare|spare)\b.*\b(?:fail\w*|missing|dead|bad|removed|offline|too\s+small|not\s+available)|no\s+(?:hot\s*-?)?spare",
    ),
    (
        Sign::ArrayFailed,
        r"(?:logical\s*(?:drive|disk|device)|\bl(?:d|drv)\b|virtual\s*(?:drive|disk)|\bvd\b|array|volume|unit|container|system\s+drive)\b.*\b(?:off-?\s*line|fail\w*|dead|inoperable|lost|missing|gone|inaccessible|down)",
    ),
    (
        Sign::ArrayDegraded,
        r"degrad\w*|\bcritical\s+(?:state|mode)|state\b.*\bcritical\b|reduced\s+redundan\w*|lost\s+redundan\w*|redundancy\s+(?:is\s+)?lost|not\s+redundant|incomplete",
    ),
    (Sign::ForeignConfiguration, r"foreign|config\w*\s+(?:mis-?match|conflict|differ\w*)"),
    (
        Sign::ControllerFailed,
        r"(?:controller|adapter|firmware|hba|card)\b.*\b(?:dead|fail\w*|not\s+respond\w*|hung|hang\w*|crash\w*|panic\w*|lock-?\s*up|locked\s+up|killed|gone|lost|offline)|fatal",
    ),
    (Sign::ControllerFault, r"\bfault\w*|\bpanic\w*|\bnot\s+respond\w*|\bcrash\w*|\block-?\s*up|\bhung\b"),
    (
        Sign::DiskMissing,
        r"missing|not\s+(?:found|present|detected|there|ready)|dis-?appear\w*|vanish\w*|\bno\s+longer\b|\blost\b|\bgone\b|\babsent\b|unreachable",
    ),
    (Sign::DiskRemoved, r"\bremov\w*|unplug\w*|pulled|\bejected\b|\bdetach\w*|disconnect\w*"),
    (
        Sign::LinkError,
        r"\bcrc\b|\bparity\b|\bphy\b|link\s+(?:down|error|lost|reset)|cable|bus\s+reset|selection\s+time-?\s*out|channel\b.*\b(?:error|reset|lost)",
    ),
    (Sign::Timeout, r"time-?\s*d?\s*out|timed\s+out|\babort\w*|no\s+response|\bstall\w*"),
    (
        Sign::DiskFailed,
        r"\bfail\w*|\bdead\b|\bdied\b|\bdying\b|\bbroken\b|\bdefect\w*|\bdowned\b|marked\s+(?:as\s+)?(?:bad|down)",
    ),
    (Sign::DeviceOffline, r"off-?\s*line|kicked|taken\s+out|out\s+of\s+service"),
    (
        Sign::UnspecifiedFault,
        r"\berr(?:or)?s?\b|\bcritical\b|\bwarning\b|\balert\b|\balarm\b|\btrouble\b|\bproblem\w*|\bcorrupt\w*|\bunable\b|\bcannot\b|\bcan't\b|\bbad\b|\bworn\b|\bexceed\w*|\bthreshold\b|\breplace\b|\bcould\s+not\b",
    ),
];

/// What is going well, or ordinary work.
const WELL: &[(Sign, &str)] = &[
    (Sign::ArrayOptimal, r"\boptimal\b|state\b.*\bonline\b"),
    (Sign::CheckCompleted, r"(?:consistency|verify|patrol|check)\b.*\b(?:complete\w*|finish\w*|done|success\w*)"),
    (Sign::CheckStarted, r"(?:consistency|verify|patrol|check)\b.*\b(?:start\w*|begin\w*|initiat\w*|progress)"),
    (
        Sign::OtherTask,
        r"initiali[sz]\w*\b.*\b(?:start\w*|complete\w*|progress|success\w*)|migrat\w*|expan(?:d|sion)\w*",
    ),
    (Sign::DiskInserted, r"\binsert\w*|\bhot-?\s*add\w*"),
    (Sign::BatteryGood, r"(?:battery|bbu)\b.*\b(?:ok|normal|good|optimal|charge\s*(?:complete\w*|done))"),
];

struct Words {
    harmless: Option<Regex>,
    zero: Option<Regex>,
    named_by_number: Option<Regex>,
    good: Option<Regex>,
    negated: Option<Regex>,
    trouble: Vec<(Sign, Regex)>,
    well: Vec<(Sign, Regex)>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| Words {
    harmless: insensitive(HARMLESS),
    zero: insensitive(ZERO),
    named_by_number: insensitive(NAMED_BY_NUMBER),
    good: insensitive(GOOD),
    negated: insensitive(NEGATED),
    trouble: compile(TROUBLE),
    well: compile(WELL),
});

fn compile(table: &[(Sign, &str)]) -> Vec<(Sign, Regex)> {
    table.iter().filter_map(|(sign, pattern)| Some((*sign, insensitive(pattern)?))).collect()
}

fn insensitive(pattern: &str) -> Option<Regex> {
    regex::RegexBuilder::new(pattern).case_insensitive(true).build().ok()
}

/// The trouble this text speaks of, or `None`.
pub(super) fn trouble(text: &str) -> Option<Sign> {
    let text = as_of_now(text);
    let text = blank(&WORDS.harmless, &text, |_| true);
    let text =
        blank(&WORDS.zero, &text, |found| !found.get(1).is_some_and(|noun| is(&WORDS.named_by_number, noun.as_str())));
    let text = blank(&WORDS.good, &text, |found| !found.get(0).is_some_and(|whole| is(&WORDS.negated, whole.as_str())));
    first(&WORDS.trouble, &text)
}

/// Takes out what is harmless.
fn blank<'t>(pattern: &Option<Regex>, text: &'t str, harmless: impl Fn(&Captures<'_>) -> bool) -> Cow<'t, str> {
    let Some(pattern) = pattern else { return text.into() };
    pattern.replace_all(text, |found: &Captures<'_>| match found.get(0) {
        Some(whole) if !harmless(found) => whole.as_str().to_owned(),
        _ => " ".to_owned(),
    })
}

fn is(pattern: &Option<Regex>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|p| p.is_match(text))
}

/// Good news and ordinary work.
pub(super) fn well(text: &str) -> Option<Sign> {
    first(&WORDS.well, &as_of_now(text))
}

fn first(table: &[(Sign, Regex)], text: &str) -> Option<Sign> {
    table.iter().find(|(_, pattern)| pattern.is_match(text)).map(|(sign, _)| *sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_compiles() {
        let patterns = [&WORDS.harmless, &WORDS.zero, &WORDS.named_by_number, &WORDS.good, &WORDS.negated];
        assert!(patterns.iter().all(|p| p.is_some()));
        assert_eq!(WORDS.trouble.len(), TROUBLE.len());
        assert_eq!(WORDS.well.len(), WELL.len());
    }

    #[test]
    fn trouble_is_heard_without_the_word_fail() {
        for (text, sign) in [
            ("Logical Drive 0 is now DEGRADED", Sign::ArrayDegraded),
            ("logical drive 1: OFF-LINE", Sign::ArrayFailed),
            ("Physical drive missing on channel 0 id 3", Sign::DiskMissing),
            ("Drive ch0 id2 is dead", Sign::DiskFailed),
            ("Bad Block found at 0x1234", Sign::MediumError),
            ("Media Errors = 12", Sign::MediumError),
            ("Predictive failure on drive 3", Sign::Predictive),
            ("S.M.A.R.T. alert, drive 3", Sign::Predictive),
            ("reassigned sectors on 0:3", Sign::MediumError),
            ("inconsistent parity", Sign::Inconsistency),
            ("Rebuild aborted on 0:2", Sign::RebuildFailed),
            ("Rebuild started on 0:2", Sign::RebuildStarted),
            ("drive was REMOVED", Sign::DiskRemoved),
            ("Battery voltage low", Sign::BatteryWeak),
            ("battery module is missing", Sign::BatteryFailed),
            ("Over-temperature", Sign::TemperatureHigh),
            ("command timed out", Sign::Timeout),
            ("Time-out on channel 1", Sign::Timeout),
            ("SCSI parity errors", Sign::LinkError),
            ("contact with drive 3 lost", Sign::DiskMissing),
            ("Physical drive FAILED", Sign::DiskFailed),
            ("failing drive", Sign::DiskFailed),
            ("Logical Drive 0 is degraded", Sign::ArrayDegraded),
            ("Physical drive 0 failed", Sign::DiskFailed),
            ("ld=0 offline", Sign::ArrayFailed),
            ("Drive removed: 0:3", Sign::DiskRemoved),
            ("Failed drive: 0:3", Sign::DiskFailed),
            ("Battery is not present", Sign::BatteryFailed),
            ("Battery temperature is not normal", Sign::BatteryWeak),
            ("controller not responding, offline", Sign::ControllerFailed),
            ("no response from drive, marked offline", Sign::Timeout),
            ("Logical drive 0 state changed from OPTIMAL to DEGRADED", Sign::ArrayDegraded),
            ("Logical drive 0 state changed from DEGRADED to OFFLINE", Sign::ArrayFailed),
            ("Physical drive state changed from ONLINE to FAILED", Sign::DiskFailed),
            ("drive 3: ONLINE -> FAILED", Sign::DiskFailed),
            ("drive is FAILED (was ONLINE)", Sign::DiskFailed),
        ] {
            assert_eq!(trouble(text), Some(sign), "{text}");
        }
    }

    #[test]
    fn what_only_sounds_like_trouble_is_left_alone() {
        for text in [
            "Fail: 0",
            "Failed: 0",
            "0 failed",
            "Total 0 failed, 0 degraded",
            "drives: 4 ok, 0 failed",
            "Drives: 0 failed",
            "Fail : 0, Degraded : 0, Offline : 0",
            "Failed drives = 0",
            "no failures found",
            "failover to node b complete",
            "Fail-over of service done",
            "failed login for root from 10.0.0.1",
            "authentication failure; user=root",
            "Media errors: 0",
            "Predictive failure count: 0",
            "without errors",
            "no bad blocks, no missing drives",
            "SMART polling interval 60",
            "Battery status is OK",
            "fault tolerance on",
            "Logical drive 0 state changed from DEGRADED to OPTIMAL",
            "Physical drive state changed from FAILED to ONLINE",
            "drive 3 went from OFFLINE to ONLINE",
            "State change: PD = 1:3 Previous = Failed Current = Online",
            "logical drive 0: DEGRADED -> OPTIMAL",
            "Logical drive 0: Check consistency completed, 0 inconsistencies",
            "logical drive 0 is no longer degraded",
            "logical drive 0 recovered from degraded state",
        ] {
            assert_eq!(trouble(text), None, "{text}");
        }
    }

    #[test]
    fn one_harmless_phrase_does_not_hide_real_trouble() {
        assert_eq!(trouble("Fail: 0, Degraded: 1"), Some(Sign::ArrayDegraded));
        assert_eq!(trouble("failover started because drive 3 is dead"), Some(Sign::DiskFailed));
    }
}
