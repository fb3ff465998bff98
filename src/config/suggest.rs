//! "Did you mean": the known word nearest to the one that stands there.

/// `None` when nothing is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = plain(word);
    let known: Vec<&str> = known.into_iter().collect();
    let longer = known.iter().find(|k| word.chars().count() >= 3 && k.starts_with(&word));
    longer.copied().or_else(|| misspelt(&word, known))
}

fn misspelt<'a>(word: &str, known: Vec<&'a str>) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    let ranked = known.into_iter().map(|k| (distance(word, &plain(k)), k));
    ranked.filter(|(d, _)| *d <= allowed).min_by_key(|(d, _)| *d).map(|(_, k)| k)
}

fn plain(word: &str) -> String {
    word.chars().take(64).flat_map(char::to_lowercase).map(|c| if c == '_' { '-' } else { c }).collect()
}

/// Letters inserted, dropped, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_letters() {
        for (a, b, d) in
            [("", "", 0), ("", "ab", 2), ("schedul", "schedule", 1), ("mial", "mail", 1), ("abc", "xyz", 3)]
        {
            assert_eq!(distance(a, b), d, "{a} {b}");
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["schedule", "spread", "to", "from"];
        assert_eq!(nearest("schedul", known), Some("schedule"));
        assert_eq!(nearest("Form", known), Some("from"));
        assert_eq!(nearest("min_severity", ["min-severity"]), Some("min-severity"));
        assert_eq!(nearest("sched", known), Some("schedule"));
        assert_eq!(nearest("recipients", known), None);
        assert_eq!(nearest("xy", known), None);
    }
}
