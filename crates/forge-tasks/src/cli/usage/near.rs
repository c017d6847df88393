//! Typos. Only close matches are suggested: a wrong suggestion is worse than none, since agents
//! follow it.

use std::collections::BTreeMap;

/// The known words that are a typo away, and nearer than the others.
pub(super) fn near<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let most = if typed.chars().count() < 6 { 1 } else { 2 };
    let mut by_distance: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for word in known {
        let distance = strsim::damerau_levenshtein(&typed, &word.to_lowercase());
        by_distance.entry(distance).or_default().push(word);
    }
    let nearest = by_distance.pop_first().filter(|(distance, _)| *distance <= most);
    nearest.map(|(_, words)| words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slip_finds_what_was_meant() {
        let known = ["plan", "plain", "priority", "due", "status", "color"];
        for (typed, expected) in [
            ("paln", &["plan"][..]),
            ("Plains", &["plain"]),
            ("plaan", &["plan", "plain"]),
            ("pirorty", &["priority"]),
            ("statsu", &["status"]),
            ("dep", &[]),
            ("foo", &[]),
            ("colr", &["color"]),
            ("clr", &[]),
        ] {
            assert_eq!(near(typed, known), expected, "{typed}");
        }
    }
}
