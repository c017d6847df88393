//! Arguments of `tell`, `approve` and `deny`: the run, and a text for the next agent.

use std::io::{self, Read};
use std::path::Path;

use forkhestra_core::control::{MAX_MESSAGE_BYTES, RefusedRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::RunId;
use forkhestra_store::RunDir;

use crate::cli::args::runs::RunLocationArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;

/// A single word of this length that is the start of a run id is not taken for a message.
const MIN_ID_PREFIX: usize = 4;

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
/// word is a run if it names one.
pub(super) fn split_run_and_comment<'a>(
    words: &'a [String],
    verb: &str,
    location: &RunLocationArgs,
) -> Result<(Option<&'a str>, Option<String>), CommandError> {
    let (run, text) = match words {
        [] => (None, None),
        [word] if names_run(word, verb, location)? => (Some(word.as_str()), None),
        [text] => (None, Some(text)),
        [run, text] => (Some(run.as_str()), Some(text)),
        words => return Err(CommandError::wrong(unquoted_text_error(words, verb))),
    };
    let text = text.map(|text| given_text(text)).transpose()?;
    Ok((run, text.filter(|text| !text.trim().is_empty())))
}

/// The text of an argument, or of standard input for `-`, unless it is too long.
fn given_text(text: &str) -> Result<String, CommandError> {
    let text = if text == "-" { read()? } else { text.to_owned() };
    match text.trim_end().len() > MAX_MESSAGE_BYTES {
        true => Err(CommandError::wrong(too_long())),
        false => Ok(text),
    }
}

/// Whether a single word names a run. A word that has the form of an id and names none is refused:
/// it could be a mistyped id, and the answer would go to another run.
fn names_run(word: &str, verb: &str, location: &RunLocationArgs) -> Result<bool, CommandError> {
    let is_path = word.contains('/') && !word.contains(char::is_whitespace);
    if is_path && Path::new(word).exists() {
        return Ok(true);
    }
    if run_with_prefix(word, location)?.is_some() {
        return Ok(true);
    }
    if RunId::parse(word).is_err() {
        return Ok(false);
    }
    let command = format!("forkhestra {verb}");
    Err(CommandError::wrong(
        Diagnostic::error(format!("no run has the id `{word}`"))
            .hint(format!("if `{word}` is the comment, name the run: {command} RUN {word}")),
    ))
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

/// The newest run whose id starts with a word, if it is long enough to be meant as one.
fn run_with_prefix(word: &str, location: &RunLocationArgs) -> Result<Option<RunDir>, CommandError> {
    let is_word = word.len() >= MIN_ID_PREFIX && word.bytes().all(|b| b.is_ascii_alphanumeric());
    if !is_word {
        return Ok(None);
    }
    let project = ProjectLocation::find(&location.project())?;
    let finder = RunFinder { project: &project, state_dir: location.state_dir.as_deref() };
    let wanted = word.to_ascii_lowercase();
    Ok(finder.all_runs()?.into_iter().find(|run| run.run().as_str().starts_with(&wanted)))
}

/// Refuses a text that is the id of a run: the text was probably forgotten.
fn refuse_id(text: &str, location: &RunLocationArgs) -> Result<(), CommandError> {
    let meant = run_with_prefix(text, location)?;
    let Some(run) = meant.as_ref().map(RunDir::run) else { return Ok(()) };
    Err(CommandError::wrong(
        Diagnostic::error(format!("there is no text for run {run}"))
            .hint(format!("add it: forkhestra tell {run} \"…\""))
            .hint(format!("or say that `{text}` is the text: forkhestra tell {run} {text}")),
    ))
}

/// Reads the text from standard input, up to the longest message that can be sent.
fn read() -> Result<String, CommandError> {
    let limit = MAX_MESSAGE_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(|error| {
        CommandError::wrong(Diagnostic::error(format!("cannot read standard input: {error}")))
    })?;
    // The limit may cut a UTF-8 sequence. The text is too long in any case.
    if bytes.len() > MAX_MESSAGE_BYTES && !bytes.trim_ascii_end().is_empty() {
        return Err(CommandError::wrong(too_long()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to() + 1;
        CommandError::wrong(Diagnostic::error(format!(
            "the text on standard input is not UTF-8: byte {place}"
        )))
    })
}
