//! The words of smartctl. Sources: smartctl(8) and the print functions of smartmontools 5.38 to 7.4; most of
//! them seen in public captures.

use crate::{Said, Term};
use raidmond_core::model::{TaskKind, TaskState};

pub const HEALTH: &str = "overall health";
pub const SELF_TEST: &str = "self-test";

pub static TERMS: &[Term] = &[
    health("PASSED", true),
    health("OK", true),
    // JSON: smart_status.passed
    health("true", true),
    health("FAILED!", false),
    health("false", false),
    test("Completed without error", TaskState::Completed),
    test("Completed", TaskState::Completed),
    test("Completed: read failure", TaskState::Failed),
    test("Completed: servo/seek failure", TaskState::Failed),
    test("Completed: electrical failure", TaskState::Failed),
    test("Completed: unknown failure", TaskState::Failed),
    test("Completed: handling damage", TaskState::Failed),
    test("Completed, segment failed", TaskState::Failed),
    test("Completed: unknown failed segment", TaskState::Failed),
    test("Completed: failed segments", TaskState::Failed),
    test("Failed in first segment", TaskState::Failed),
    test("Failed in second segment", TaskState::Failed),
    test("Failed in segment", TaskState::Failed),
    test("Fatal or unknown error", TaskState::Failed),
    test("Fatal or unknown test error", TaskState::Failed),
    test("Unknown error, incomplete", TaskState::Failed),
    // Says nothing of the disk: somebody or a reset ended it.
    test("Aborted", TaskState::Stopped),
    test("Aborted:", TaskState::Stopped),
    test("Interrupted", TaskState::Stopped),
    test("Self-test routine in progress", TaskState::Running),
    test("Self test in progress", TaskState::Running),
    test("in progress", TaskState::Running),
    test("in progress,", TaskState::Running),
];

const fn health(word: &'static str, well: bool) -> Term {
    Term { of: HEALTH, word, means: Said::Health(well) }
}

const fn test(word: &'static str, state: TaskState) -> Term {
    Term { of: SELF_TEST, word, means: Said::Task(TaskKind::SelfTest, state) }
}

/// Words of SCSI sense data for a disk that predicts its failure (T10: ASC 5D, and 0B for warnings).
const PREDICTS: [&str; 4] = ["IMPENDING FAILURE", "FAILURE PREDICTION", "FAILED", "FAILING"];

/// Whether the disk is well; `None`: not known.
pub fn is_well(word: &str) -> Option<bool> {
    let exact = TERMS.iter().find(|t| t.of == HEALTH && t.word.eq_ignore_ascii_case(word.trim()));
    if let Some(Said::Health(well)) = exact.map(|t| t.means) {
        return Some(well);
    }
    let upper = word.to_ascii_uppercase();
    PREDICTS.iter().any(|p| upper.contains(p)).then_some(false)
}

/// The result as it begins a text; the longest known word wins.
pub fn result_of(said: &str) -> Option<TaskState> {
    let fits = TERMS.iter().filter(|t| t.of == SELF_TEST && said.starts_with(t.word) && ends_word(said, t.word.len()));
    let best = fits.max_by_key(|t| t.word.len())?;
    match best.means {
        Said::Task(_, state) => Some(state),
        _ => None,
    }
}

/// Title and result of a row of a self-test log.
pub fn self_test_in(row: &str) -> Option<(String, String)> {
    let words = TERMS.iter().filter(|t| t.of == SELF_TEST).map(|t| t.word);
    let at =
        words.filter_map(|word| row.match_indices(word).map(|(at, _)| at).find(|at| begins_word(row, *at))).min()?;
    let (title, rest) = row.split_at_checked(at)?;
    let best = TERMS.iter().filter(|t| t.of == SELF_TEST && rest.starts_with(t.word));
    let word = best.max_by_key(|t| t.word.len())?.word;
    let known = ends_word(rest, word.len());
    known.then(|| (title.trim().to_owned(), word.to_owned()))
}

fn begins_word(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(' '))
}

/// "Completed: strange" is not "Completed".
fn ends_word(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or("");
    rest.is_empty() || rest.starts_with([' ', '(', '[', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_result_is_not_taken_for_a_shorter_one() {
        assert_eq!(result_of("Completed without error"), Some(TaskState::Completed));
        assert_eq!(result_of("Completed: read failure"), Some(TaskState::Failed));
        assert_eq!(result_of("Completed: strange"), None);
        let row = "Extended offline    Completed: read failure       90%      1234         42";
        assert_eq!(self_test_in(row), Some(("Extended offline".into(), "Completed: read failure".into())));
        assert_eq!(self_test_in("Short offline   Completed: strange   10%"), None);
    }

    #[test]
    fn health_in_words_of_scsi() {
        assert_eq!(is_well("OK"), Some(true));
        assert_eq!(is_well("HARDWARE IMPENDING FAILURE GENERAL HARD DRIVE FAILURE [asc=5d, ascq=10]"), Some(false));
        assert_eq!(is_well("UNKNOWN!"), None);
    }
}
