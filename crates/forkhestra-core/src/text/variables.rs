//! `${NAME}` in the arguments, prompts and prompt file names of a config.

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;

/// The variables given on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    values: BTreeMap<String, String>,
}

/// A piece of a text with variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplatePiece<'a> {
    /// Literal text.
    Text(&'a str),
    /// The name of a variable.
    Variable(&'a str),
}

impl Variables {
    /// Collects `NAME=value` words, or returns the errors in them.
    pub fn collect<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, Vec<Diagnostic>> {
        let mut values = BTreeMap::new();
        let mut errors = Vec::new();
        for word in words {
            let Some((name, value)) = assignment(word) else {
                errors.push(not_an_assignment(word));
                continue;
            };
            if values.insert(name.to_owned(), value.to_owned()).is_some() {
                let error = Diagnostic::error(format!("variable '{name}' is given twice"))
                    .hint("give each variable once");
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        if errors.is_empty() { Ok(Self { values }) } else { Err(errors) }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}

/// Whether a word is meant as an assignment, even with an invalid name.
pub fn looks_like_assignment(word: &str) -> bool {
    let is_word = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let Some((name, value)) = word.split_once('=') else { return false };
    // `a=>b` is an arrow of another language, not a variable.
    is_name(name) || (!name.is_empty() && is_word(name) && !value.starts_with('>'))
}

/// Splits `NAME=value`, if the word is of that form.
pub fn assignment(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, _)| is_name(name))
}

/// Splits a text into literal text and variables.
///
/// `$${name}` is the escape for `${name}`. Anything else with a dollar sign is literal text.
pub fn pieces(text: &str) -> Vec<TemplatePiece<'_>> {
    let mut pieces = Vec::new();
    let mut plain_from = 0;
    let mut searched_to = 0;
    while let Some(found) = text[searched_to..].find("${") {
        let dollar = searched_to + found;
        let escaped = text[plain_from..dollar].ends_with('$');
        let is_replaced = |name: &str| escaped || is_name(name);
        let Some((name, after)) = word_at(text, dollar + 2).filter(|(name, _)| is_replaced(name))
        else {
            searched_to = dollar + 2;
            continue;
        };
        let plain_to = if escaped { dollar - 1 } else { dollar };
        if plain_to > plain_from {
            pieces.push(TemplatePiece::Text(&text[plain_from..plain_to]));
        }
        pieces.push(if escaped {
            TemplatePiece::Text(&text[dollar..after])
        } else {
            TemplatePiece::Variable(name)
        });
        plain_from = after;
        searched_to = after;
    }
    if plain_from < text.len() {
        pieces.push(TemplatePiece::Text(&text[plain_from..]));
    }
    pieces
}

/// Whether the text holds variables.
pub fn has_variables(text: &str) -> bool {
    pieces(text).iter().any(|piece| matches!(piece, TemplatePiece::Variable(_)))
}

/// Names that look like variables but have other letters: `feature` of `${feature}`.
pub fn similar_variable_names(text: &str) -> Vec<&str> {
    let in_braces = text.match_indices("${").filter(|(at, _)| !text[..*at].ends_with('$'));
    let words = in_braces.filter_map(|(at, _)| Some(word_at(text, at + 2)?.0));
    words.filter(|word| !is_name(word)).collect()
}

/// The word that begins here and is followed by a brace, and the offset behind the brace.
fn word_at(text: &str, start: usize) -> Option<(&str, usize)> {
    let end = start + text[start..].find('}')?;
    let word = &text[start..end];
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_word = begins && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    is_word.then_some((word, end + 1))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn not_an_assignment(word: &str) -> Diagnostic {
    let rule = "variables are written NAME=value, with a name of A-Z, 0-9 and _";
    let Some((name, value)) = word.split_once('=') else {
        return Diagnostic::error(format!("unexpected argument `{word}`")).hint(rule);
    };
    let upper = name.to_ascii_uppercase();
    let suggestion = is_name(&upper).then(|| format!("did you mean `{upper}={value}`?"));
    Diagnostic::error(format!("`{name}` is not a variable's name"))
        .maybe_hint(suggestion)
        .hint(rule)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::TemplatePiece::{Text, Variable};
    use super::*;

    #[test]
    fn texts_are_taken_apart() {
        let table: [(&str, &[TemplatePiece<'_>]); 15] = [
            ("", &[]),
            ("plain", &[Text("plain")]),
            ("${A}", &[Variable("A")]),
            ("a ${TASK_ID}!", &[Text("a "), Variable("TASK_ID"), Text("!")]),
            ("${A}${_B2}", &[Variable("A"), Variable("_B2")]),
            ("$${A}", &[Text("${A}")]),
            ("$${a-b}", &[Text("${a-b}")]),
            ("$${1}", &[Text("$${1}")]),
            ("x$${A}${A}", &[Text("x"), Text("${A}"), Variable("A")]),
            ("$$${A}", &[Text("$"), Text("${A}")]),
            ("${a} ${1A} ${} ${A-B}", &[Text("${a} ${1A} ${} ${A-B}")]),
            ("${A", &[Text("${A")]),
            ("${ ${A}", &[Text("${ "), Variable("A")]),
            ("$A $(A)", &[Text("$A $(A)")]),
            ("é${A}é", &[Text("é"), Variable("A"), Text("é")]),
        ];
        for (text, expected) in table {
            assert_eq!(pieces(text), expected, "{text:?}");
        }
    }

    #[test]
    fn variable_like_text_is_found_unless_escaped() {
        let table: [(&str, &[&str]); 8] = [
            ("${feature}", &["feature"]),
            ("a ${feature} ${B} ${Feature}", &["feature", "Feature"]),
            ("${my-var}", &["my-var"]),
            ("$${feature}", &[]),
            ("$$${feature}", &[]),
            ("${FEATURE} ${x%.*} ${} ${1} $(a) $a", &[]),
            ("${", &[]),
            ("x ${a} $${a} ${b}", &["a", "b"]),
        ];
        for (text, expected) in table {
            assert_eq!(similar_variable_names(text), expected, "{text:?}");
        }
    }

    #[test]
    fn arguments_are_collected() {
        let variables = Variables::collect(["A=1", "B_2=x=y", "C="]).expect("all are right");
        assert_eq!(variables.get("A"), Some("1"));
        assert_eq!(variables.get("B_2"), Some("x=y"));
        assert_eq!(variables.get("C"), Some(""));
        assert_eq!(variables.get("D"), None);
    }

    #[test]
    fn wrong_names_still_look_like_assignments_and_paths_do_not() {
        for (word, expected) in [
            ("A=1", true),
            ("foo=1", true),
            ("9é_=", true),
            ("a-b=1", true),
            ("a=>b", false),
            ("A=>b", true),
            ("=1", false),
            ("./a=b", false),
            ("a -> b", false),
        ] {
            assert_eq!(looks_like_assignment(word), expected, "{word:?}");
        }
    }

    #[test]
    fn all_wrong_keywords_are_named() {
        let errors = Variables::collect(["A=1", "a=2", "A=3", "x"]).expect_err("three are wrong");
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "`a` is not a variable's name",
                "variable 'A' is given twice",
                "unexpected argument `x`"
            ]
        );
        assert_eq!(errors[0].hints[0], "did you mean `A=2`?");
    }

    proptest! {
        #[test]
        fn text_without_braces_is_left_alone(text in "[^{]{0,30}") {
            prop_assert!(!has_variables(&text));
            let together: String = pieces(&text).iter().map(|piece| match piece {
                Text(text) | Variable(text) => *text,
            }).collect();
            prop_assert_eq!(together, text);
        }
    }
}
