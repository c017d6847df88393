//! Warnings about valid chains.

use super::*;

/// The warnings about a chain, each with the text under its caret.
fn warnings(text: &str) -> Vec<String> {
    let show = |warning: Diagnostic| {
        assert!(!warning.is_error());
        let label = warning.label.expect("a warning has a place");
        let related = label.related.map(|(span, _)| format!(" ({})", &text[span.range()]));
        let under = &text[label.span.range()];
        format!("{under} | {}{}", warning.message, related.unwrap_or_default())
    };
    parsed(text).warnings().into_iter().map(show).collect()
}

#[test]
fn a_group_with_one_round_is_reported_with_its_position() {
    let message = "a group with one round cannot repeat a refused round";
    assert_eq!(warnings("(a:5):1"), [format!("(a:5):1 | {message}")]);
    assert_eq!(
        parsed("(a -> b):1").warnings()[0].hints,
        ["allow more rounds: `(a -> b):3`", "without the count no stage decides about a round"]
    );
    assert_eq!(
        warnings("((a -> b):1 -> c):2 -> d else (e):1"),
        [format!("(a -> b):1 | {message}"), format!("(e):1 | {message}")]
    );
    // Something runs after a refusal.
    for text in ["(a:5):1 else b", "(a:5):2", "(a -> b)", "a:1"] {
        assert_eq!(warnings(text), [""; 0], "{text:?}");
    }
}

#[test]
fn a_repeated_alternative_is_reported_with_its_position() {
    assert_eq!(warnings("a else a"), ["a | the alternative `a` repeats an earlier one (a)"]);
    assert_eq!(
        warnings("(a->b):2 else c else ( a -> b ):2"),
        ["( a -> b ):2 | the alternative `(a -> b):2` repeats an earlier one ((a->b):2)"]
    );
    // A denied question can be approved.
    for text in [
        "? else ?",
        "? else b else ?",
        "a else a:5",
        "a:5 else a:6",
        "a else b -> a else b",
        "(a else b) else a",
    ] {
        assert_eq!(warnings(text), [""; 0], "{text:?}");
    }
}
