//! Lists, so that every message says them the same way.

/// Joins words for a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn all_of<S: AsRef<str>>(words: &[S]) -> String {
    join(words, "and")
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
