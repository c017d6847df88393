//! Lists and near misses, so that every message says them the same way.

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
