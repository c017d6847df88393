//! Whether a word names a run, where a run and a text may be given.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::RunId;
use forkhestra_store::RunDir;

use crate::cli::command_error::CommandError;
use crate::past_runs::run_finder::RunFinder;

/// A word where a run or a text may be given.
pub(crate) enum RunOrText {
    /// The run whose id begins with it, the newest of several, or whose path it is.
    Run(RunDir),
    /// It looks like an id or a path, but no run has it: it may be mistyped.
    LooksLikeRun,
    Text,
}

impl RunFinder<'_> {
    /// Whether a word is a run or a text. The beginning of the id of any run names that run, as for all verbs.
    pub(crate) fn classify(&self, word: &str) -> Result<RunOrText, CommandError> {
        if word.is_empty() || word.contains(char::is_whitespace) || word == "-" {
            return Ok(RunOrText::Text);
        }
        let wanted = word.to_ascii_lowercase();
        let runs = self.all_runs()?;
        if let Some(run) = runs.into_iter().find(|run| run.run().as_str().starts_with(&wanted)) {
            return Ok(RunOrText::Run(run));
        }
        let path = self.project.environment.current_directory.join(word);
        if (word.contains('/') || path.is_file())
            && let Ok(run) = self.find_named(word)
        {
            return Ok(RunOrText::Run(run));
        }
        let looks_like_run = looks_like_id(word) || looks_like_path(word);
        Ok(if looks_like_run { RunOrText::LooksLikeRun } else { RunOrText::Text })
    }
}

/// The error for a word that looks like a run. `command` is the command that takes it as a comment.
pub(crate) fn no_run_error(word: &str, command: &str) -> Diagnostic {
    Diagnostic::error(format!("`{word}` looks like a run, but no run has this id or path"))
        .hint(format!("if it is the comment: {command}"))
        .hint("`forkhestra runs --all` lists all runs")
}

/// Whether a word could be a mistyped id: part of one has digits, and a whole one may have none.
fn looks_like_id(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    word.bytes().all(is_letter) && has_digit || RunId::could_be(&word.to_ascii_lowercase())
}

/// Whether a word could be the path of a run.
fn looks_like_path(word: &str) -> bool {
    let extensions = [".json", ".jsonl"];
    word.contains('/') || extensions.iter().any(|extension| word.ends_with(extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_language_look_like_no_run() {
        for word in ["yes", "ok", "good", "LGTM", "ja", "approved", "continue", "No.", "go!"] {
            assert!(!looks_like_id(word) && !looks_like_path(word), "{word}");
        }
        for word in ["8t2s92", "8t2s9jqqx", "armsa5k1", "ARMSA5K1", "bcdefghj", "a1"] {
            assert!(looks_like_id(word), "{word}");
        }
        assert!(looks_like_id("20261119T053033Z-nbrmz80x"));
        for word in ["/nonexistent/x.jsonl", "./run", "journal.jsonl", "chain-abcd.json"] {
            assert!(looks_like_path(word), "{word}");
        }
    }
}
