//! Plurals and lists, for uniform messages.

/// Says a number of things: `1 task`, `3 tasks`.
pub(crate) fn count(number: usize, singular: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {singular}{plural}")
}

/// Joins words for a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn join_with_and<S: AsRef<str>>(words: &[S]) -> String {
    join(words, "and")
}

/// Joins words for a sentence: `a`, `a or b`, `a, b or c`.
pub(crate) fn join_with_or<S: AsRef<str>>(words: &[S]) -> String {
    join(words, "or")
}

fn join<S: AsRef<str>>(words: &[S], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [others @ .., last] => {
            let others: Vec<&str> = others.iter().map(AsRef::as_ref).collect();
            format!("{} {conjunction} {}", others.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_plurals_and_lists_are_joined() {
        assert_eq!([count(1, "task"), count(0, "task")], ["1 task", "0 tasks"]);
        assert_eq!(join_with_and::<&str>(&[]), "");
        assert_eq!(join_with_and(&["a", "b", "c"]), "a, b and c");
        assert_eq!(join_with_or(&["a", "b"]), "a or b");
    }
}
