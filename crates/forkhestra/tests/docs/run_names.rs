//! Run ids differ every time. A page has the ids of the day it was written. Outputs bind each name
//! to a run, and a name always means the same run.

use std::collections::{BTreeMap, BTreeSet};

/// The length of an id.
pub(crate) const LENGTH: usize = 8;

/// The runs so far and their names.
#[derive(Debug, Default, Clone)]
pub(crate) struct RunNames {
    /// The ids of the runs of this session.
    runs: BTreeSet<String>,
    /// From the name in the page to the id of the run.
    meant: BTreeMap<String, String>,
}

impl RunNames {
    pub(crate) fn add_run(&mut self, id: &str) {
        self.runs.insert(id.to_owned());
    }

    pub(crate) fn is_run(&self, id: &str) -> bool {
        self.runs.contains(id)
    }

    /// Binds a name of the page to this run; false if either is bound to another.
    pub(crate) fn bind(&mut self, name: &str, id: &str) -> bool {
        if !self.is_run(id) {
            return false;
        }
        match self.meant.get(name) {
            Some(meant) => meant == id,
            None if self.meant.values().any(|meant| meant == id) => false,
            None => {
                self.meant.insert(name.to_owned(), id.to_owned());
                true
            }
        }
    }

    /// A command of the page with the ids of this session.
    pub(crate) fn in_command(&self, command: &str) -> String {
        words(command, |word| {
            let digits = word.bytes().any(|byte| byte.is_ascii_digit());
            let mut meant = self.meant.iter();
            // The first characters of an id are enough for a run.
            let begun = meant.find(|(name, _)| word.len() >= 3 && digits && name.starts_with(word));
            begun.map(|(_, id)| id.clone())
        })
    }

    /// An output with the names of the page instead of ids. A run without a name keeps its id, with
    /// a digit in it, so that it still has the form of an id.
    pub(crate) fn in_page(&self, output: &str) -> String {
        words(output, |word| {
            let mut meant = self.meant.iter();
            let name = meant.find(|(_, id)| *id == word).map(|(name, _)| name.clone());
            name.or_else(|| {
                (self.is_run(word) && !is_name(word)).then(|| format!("{}7", &word[..LENGTH - 1]))
            })
        })
    }

    /// Binds the names of a page to the runs of an output in the order of their appearance.
    pub(crate) fn bind_in_order(&mut self, expected: &str, printed: &str) {
        let unbound = |word: &&str| is_name(word) && !self.meant.contains_key(*word);
        let names = distinct(split(expected).filter(unbound));
        let known: BTreeSet<&String> = self.meant.values().collect();
        let fresh = |word: &&str| self.is_run(word) && !known.contains(&(*word).to_owned());
        let runs = distinct(split(printed).filter(fresh));
        for (name, id) in names.into_iter().zip(runs) {
            self.meant.insert(name, id);
        }
    }
}

/// Whether a word of a page has the form of an id.
pub(crate) fn is_name(word: &str) -> bool {
    let of_ids =
        |byte: u8| byte.is_ascii_digit() || (byte.is_ascii_lowercase() && !b"ilou".contains(&byte));
    let digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let letter = word.bytes().any(|byte| byte.is_ascii_lowercase());
    word.len() == LENGTH && word.bytes().all(of_ids) && digit && letter
}

/// The pieces of a text: words of letters and digits, and what is between them.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    let of_word = |c: char| c.is_ascii_alphanumeric();
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| of_word(c) != of_word(first)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

fn words(text: &str, replaced: impl Fn(&str) -> Option<String>) -> String {
    split(text).map(|piece| replaced(piece).unwrap_or_else(|| piece.to_owned())).collect()
}

fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> RunNames {
        let mut names = RunNames::default();
        names.add_run("aaaa1111");
        names.add_run("bbbb2222");
        names
    }

    #[test]
    fn a_name_means_one_run_and_a_run_has_one_name() {
        let mut names = names();
        assert!(names.bind("c0m9e2xk", "aaaa1111"));
        assert!(names.bind("c0m9e2xk", "aaaa1111"));
        assert!(!names.bind("c0m9e2xk", "bbbb2222"));
        assert!(!names.bind("wwt4ksg5", "aaaa1111"));
        assert!(!names.bind("wwt4ksg5", "zzzz9999"), "there is no such run");
    }

    #[test]
    fn commands_get_the_current_run_ids() {
        let mut names = names();
        assert!(names.bind("c0m9e2xk", "aaaa1111"));
        let command = "forkhestra show c0m -v; cat .agent-state/chain-c0m9e2xk.json com";
        let today = "forkhestra show aaaa1111 -v; cat .agent-state/chain-aaaa1111.json com";
        assert_eq!(names.in_command(command), today);
        assert_eq!(names.in_page("run aaaa1111"), "run c0m9e2xk");
    }

    #[test]
    fn names_have_the_form_of_ids() {
        assert!(is_name("c0m9e2xk"));
        for word in ["complete", "restarts", "c0m9e2x", "c0m9e2xkk", "20261115", "c0m9e2xl"] {
            assert!(!is_name(word), "{word}");
        }
    }
}
