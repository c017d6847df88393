//! Arguments of `tell`, `approve` and `deny`: the run, and a text for the next agent.

use std::io::{self, Read};

use forkhestra_core::control::{MAX_MESSAGE_BYTES, RefusedRequest};
use forkhestra_core::diagnostic::Diagnostic;

use crate::cli::args::runs::RunLocationArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::run_or_text::{self, RunOrText};
use crate::project::project_location::ProjectLocation;
use crate::report::text::shell_word::shell_word;

/// A single word of this length that is the start of a run id is not taken for a message. A shorter
/// one may be a word of any language.
const MIN_ID_PREFIX: usize = 4;

/// The words of an answer.
pub(super) struct AnswerWords<'a> {
    pub(super) run: Option<&'a str>,
    pub(super) comment: Option<String>,
    /// The hint for an only word that is taken for the run, and could be a word of a language.
    pub(super) comment_hint: Option<String>,
}

/// Splits the words into the optional run and the text.
pub(super) fn split_run_and_text<'a>(
    words: &'a [String],
    location: &RunLocationArgs,
) -> Result<(Option<&'a str>, String), CommandError> {
    let (run, text) = match words {
        [run, text] => (Some(run.as_str()), text),
        [text] => (None, text),
        words => return Err(CommandError::wrong(unquoted_text_error(words, "tell"))),
    };
    if run.is_none() {
        refuse_id(text, location)?;
    }
    let text = given_text(text)?;
    if text.trim().is_empty() {
        return Err(CommandError::wrong(
            Diagnostic::error(RefusedRequest::EmptyMessage.to_string())
                .hint("as in `forkhestra tell \"Leave the parser alone.\"`"),
        ));
    }
    Ok((run, text))
}

/// Splits the words of `approve` and `deny` into the optional run and the optional comment. A single
/// word is a run if it names one, and is refused if it only looks like one: the answer would go to
/// another run.
pub(super) fn split_run_and_comment<'a>(
    words: &'a [String],
    verb: &str,
    location: &RunLocationArgs,
) -> Result<AnswerWords<'a>, CommandError> {
    let (run, text) = match words {
        [] => (None, None),
        // As of a variable that is not set. The run of this work tree is not meant.
        [word] if word.trim().is_empty() => {
            return Err(CommandError::wrong(
                Diagnostic::error(format!("there is no run `{word}`"))
                    .hint("`forkhestra runs --all` lists all runs"),
            ));
        }
        [run, text] => (Some(run.as_str()), Some(text)),
        [word] => {
            let as_comment = format!("forkhestra {verb} RUN {}", shell_word(word));
            match classify(word, location)? {
                RunOrText::Run(_) => {
                    let is_word = word.chars().all(char::is_alphabetic);
                    let hint = || format!("if `{word}` is the comment: {as_comment}");
                    let comment_hint = is_word.then(hint);
                    return Ok(AnswerWords { run: Some(word), comment: None, comment_hint });
                }
                RunOrText::LooksLikeRun => {
                    let error = run_or_text::no_run_error(word, &as_comment);
                    return Err(CommandError::wrong(error));
                }
                RunOrText::Text => (None, Some(word)),
            }
        }
        words => return Err(CommandError::wrong(unquoted_text_error(words, verb))),
    };
    let comment = text.map(|text| given_comment(text, verb)).transpose()?;
    let comment = comment.filter(|comment| !comment.trim().is_empty());
    Ok(AnswerWords { run, comment, comment_hint: None })
}

/// The comment of an argument. Standard input without text is a mistake: the command that should
/// have written it may have failed.
fn given_comment(text: &str, verb: &str) -> Result<String, CommandError> {
    let comment = given_text(text)?;
    if text == "-" && comment.trim().is_empty() {
        return Err(CommandError::wrong(
            Diagnostic::error("there is no comment on standard input")
                .hint(format!("without a comment: forkhestra {verb}")),
        ));
    }
    Ok(comment)
}

/// The text of an argument, or of standard input for `-`, unless it is too long.
fn given_text(text: &str) -> Result<String, CommandError> {
    let text = if text == "-" { read()? } else { text.to_owned() };
    match text.trim_end().len() > MAX_MESSAGE_BYTES {
        true => Err(CommandError::wrong(too_long())),
        false => Ok(text),
    }
}

/// Error for a text without quotation marks: its first word could be meant as a run.
fn unquoted_text_error(words: &[String], verb: &str) -> Diagnostic {
    let words = words.len();
    Diagnostic::error(format!("a run and a text are two words, but there are {words}")).hint(
        format!(
            "put the text in quotation marks, as in `forkhestra {verb} \"Leave the parser alone.\"`"
        ),
    )
}

fn too_long() -> Diagnostic {
    Diagnostic::error(RefusedRequest::LongMessage.to_string())
        .hint("write it to a file, and tell the agent to read that")
}

/// Whether a single word is a run or a text.
fn classify(word: &str, location: &RunLocationArgs) -> Result<RunOrText, CommandError> {
    let project = ProjectLocation::find(&location.project())?;
    let finder = RunFinder { project: &project, state_dir: location.state_dir.as_deref() };
    finder.classify(word)
}

/// Refuses a text that is the id of a run: the text was probably forgotten.
fn refuse_id(text: &str, location: &RunLocationArgs) -> Result<(), CommandError> {
    if text.len() < MIN_ID_PREFIX {
        return Ok(());
    }
    let RunOrText::Run(run) = classify(text, location)? else { return Ok(()) };
    let run = run.run();
    Err(CommandError::wrong(
        Diagnostic::error(format!("there is no text for run {run}"))
            .hint(format!("add it: forkhestra tell {run} \"…\""))
            .hint(format!(
                "or say that `{text}` is the text: forkhestra tell {run} {}",
                shell_word(text)
            )),
    ))
}

/// Reads the text from standard input without the white space at its end, up to the longest message
/// that can be sent.
fn read() -> Result<String, CommandError> {
    let limit = 2 * MAX_MESSAGE_BYTES as u64;
    let mut bytes = Vec::new();
    io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(|error| {
        CommandError::wrong(Diagnostic::error(format!("cannot read standard input: {error}")))
    })?;
    bytes.truncate(bytes.trim_ascii_end().len());
    // The limit may cut a UTF-8 sequence. The text is too long in any case.
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(CommandError::wrong(too_long()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to() + 1;
        CommandError::wrong(Diagnostic::error(format!(
            "the text on standard input is not UTF-8: byte {place}"
        )))
    })
}
