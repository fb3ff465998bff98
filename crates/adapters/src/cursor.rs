//! Which entries of a dated list are news. A cursor is the newest second seen and how many entries it held.
//! Dates are the host's local time without a zone: they order entries and place none.

/// Indices of the entries that the cursor has not seen, and the next cursor; `times` in order, seconds of
/// any one clock. Without a cursor (`baseline`) a list that may reach back years is history, not news.
pub fn news(times: &[Option<i64>], cursor: Option<&str>, baseline: bool) -> (Vec<usize>, Option<String>) {
    let seen = cursor.and_then(|c| c.split_once('/')).and_then(|(s, n)| Some((s.parse().ok()?, n.parse().ok()?)));
    let (old_second, old_count): (i64, usize) = seen.unwrap_or((i64::MIN, 0));
    let mut newest = (old_second, old_count);
    let mut again = 0;
    let mut fresh = Vec::new();
    for (index, at) in times.iter().copied().enumerate() {
        let old = at.is_some_and(|s| s < old_second) || (at == Some(old_second) && again < old_count);
        again += usize::from(at == Some(old_second));
        newest = advance(newest, at, old);
        let history = baseline && cursor.is_none();
        if !old && !history {
            fresh.push(index);
        }
    }
    let next = (newest.0 != i64::MIN).then(|| format!("{}/{}", newest.0, newest.1));
    (fresh, next.or_else(|| cursor.map(str::to_owned)))
}

fn advance(newest: (i64, usize), at: Option<i64>, old: bool) -> (i64, usize) {
    match at {
        Some(second) if second > newest.0 => (second, 1),
        Some(second) if second == newest.0 && !old => (second, newest.1 + 1),
        _ => newest,
    }
}

/// Seconds since 1970 on that clock's face; `None` for what no calendar holds. `date` is year, month, day,
/// `clock` hour, minute, second.
pub fn seconds(date: [i64; 3], clock: [i64; 3]) -> Option<i64> {
    let ([year, month, day], [hour, minute, second]) = (date, clock);
    let plausible = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let plausible = plausible && (0..=23).contains(&hour) && (0..=59).contains(&minute) && (0..=60).contains(&second);
    plausible.then(|| days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Days since 1970-01-01 in the Gregorian calendar; years counted from March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let era_day = (year % 400) * 365 + (year % 400) / 4 - (year % 400) / 100 + day_of_year;
    (year / 400) * 146_097 + era_day - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_news_once() {
        let (fresh, cursor) = news(&[Some(7)], Some("5/1"), true);
        assert_eq!((fresh, cursor.as_deref()), (vec![0], Some("7/1")));
        let (fresh, cursor) = news(&[Some(7), Some(7)], cursor.as_deref(), true);
        assert_eq!((fresh, cursor.as_deref()), (vec![1], Some("7/2")));
        assert_eq!(news(&[Some(7), Some(7)], cursor.as_deref(), true).0, Vec::<usize>::new());
        assert_eq!(news(&[Some(7)], None, true), (Vec::new(), Some("7/1".to_owned())));
        assert_eq!(news(&[Some(7), None], None, false).0, [0, 1]);
    }

    #[test]
    fn dates() {
        assert_eq!(seconds([2008, 7, 8], [14, 52, 10]), Some(1_215_528_730));
        assert_eq!(seconds([1970, 1, 1], [0, 0, 10]), Some(10));
        assert_eq!(seconds([2008, 13, 8], [0, 0, 0]), None);
        assert_eq!(seconds([2008, 1, 8], [0, i64::MAX, 0]), None);
    }
}
