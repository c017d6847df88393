//! Text helpers for messages: plurals, lists and similar words.

pub mod count;
pub mod digest;
pub mod lane_count;
pub mod variables;

/// A number of things: `1 iteration`, `3 iterations`, `2 processes`.
pub fn count(number: impl TryInto<u64>, singular: &str) -> String {
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {singular}"),
        number if singular.ends_with('s') => format!("{number} {singular}es"),
        number => format!("{number} {singular}s"),
    }
}

/// How often: `once`, `3 times`.
pub fn times(number: u32) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

/// Joins words for a sentence: `a`, `a or b`, `a, b or c`.
pub fn join_with_or<S: AsRef<str>>(words: &[S]) -> String {
    join(words, "or")
}

/// Joins words for a sentence: `a`, `a and b`, `a, b and c`.
pub fn join_with_and<S: AsRef<str>>(words: &[S]) -> String {
    join(words, "and")
}

/// Joins the first of many words: `a, b and 3 more`.
pub fn join_with_more<S: AsRef<str>>(listed: &[S], more: usize) -> String {
    let listed = listed.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if more == 0 { listed } else { format!("{listed} and {more} more") }
}

/// At most `most` characters of a text. An ellipsis marks a cut.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// The last `limit` bytes of a text, in whole characters.
pub fn last_bytes(text: &str, limit: usize) -> &str {
    let mut from = text.len().saturating_sub(limit);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// Puts backticks around each word.
pub fn quoted<S: AsRef<str>>(words: &[S]) -> Vec<String> {
    words.iter().map(|word| format!("`{}`", word.as_ref())).collect()
}

/// Quotes a word for a shell, if it needs quotes.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A "did you mean" hint for the most similar candidate.
pub fn did_you_mean<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(typed, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Finds the candidate most similar to what was typed, if it is similar enough to be a typo.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MIN_SIMILARITY: f64 = 0.8;
    let typed_lower = typed.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != typed)
        .map(|candidate| (strsim::jaro_winkler(&typed_lower, &candidate.to_lowercase()), candidate))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals() {
        assert_eq!(count(0_usize, "step"), "0 steps");
        assert_eq!(count(1_u32, "step"), "1 step");
        assert_eq!(count(2_u64, "step"), "2 steps");
        assert_eq!(count(2_u32, "process"), "2 processes");
    }

    #[test]
    fn lists() {
        assert_eq!(join_with_or::<&str>(&[]), "");
        assert_eq!(join_with_or(&["a"]), "a");
        assert_eq!(join_with_or(&["a", "b"]), "a or b");
        assert_eq!(join_with_and(&["a", "b", "c"]), "a, b and c");
        assert_eq!(join_with_more(&["a", "b"], 0), "a, b");
        assert_eq!(join_with_more(&["a", "b"], 3), "a, b and 3 more");
    }

    #[test]
    fn a_misspelling_gets_a_suggestion_and_nonsense_none() {
        let known = ["prompt", "promptFile", "iterations"];
        assert_eq!(nearest("promt", known), Some("prompt"));
        assert_eq!(nearest("Iterations", known), Some("iterations"));
        assert_eq!(nearest("zebra", known), None);
    }
}
