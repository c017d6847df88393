//! Plurals, lists and near misses, so that every message says them the same way.

/// Says a number of things: `1 task`, `3 tasks`.
pub(crate) fn count(number: usize, singular: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {singular}{plural}")
}

/// Joins words for a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn all_of<S: AsRef<str>>(words: &[S]) -> String {
    join(words, "and")
}

/// Joins words for a sentence: `a`, `a or b`, `a, b or c`.
pub(crate) fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    join(words, "or")
}

fn join<S: AsRef<str>>(words: &[S], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} {conjunction} {}", most.join(", "), last.as_ref())
        }
    }
}

/// Finds the candidate nearest to what was typed, if one is near enough to be a slip.
pub(crate) fn nearest<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const NEAR_ENOUGH: f64 = 0.8;
    let typed = typed.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&typed, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= NEAR_ENOUGH)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_and_lists() {
        assert_eq!([count(1, "task"), count(0, "task")], ["1 task", "0 tasks"]);
        assert_eq!(all_of::<&str>(&[]), "");
        assert_eq!(all_of(&["a", "b", "c"]), "a, b and c");
        assert_eq!(one_of(&["a", "b"]), "a or b");
    }

    #[test]
    fn a_slip_finds_what_was_meant_and_nonsense_finds_nothing() {
        let known = ["TASK-001", "TASK-012"];
        assert_eq!(nearest("task-0012", known), Some("TASK-012"));
        assert_eq!(nearest("zebra", known), None);
    }
}
