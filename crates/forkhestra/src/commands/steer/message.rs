//! Arguments of `tell`: the run and the text of the message.

use std::io::{self, Read};

use forkhestra_core::control::{MAX_MESSAGE_BYTES, RefusedRequest};
use forkhestra_core::diagnostic::Diagnostic;

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
        words => return Err(CommandError::wrong(unquoted_text_error(words))),
    };
    if run.is_none() {
        refuse_id(text, location)?;
    }
    let text = if text == "-" { read()? } else { text.clone() };
    if text.trim().is_empty() {
        return Err(CommandError::wrong(
            Diagnostic::error(RefusedRequest::EmptyMessage.to_string())
                .hint("as in `forkhestra tell \"Leave the parser alone.\"`"),
        ));
    }
    if text.trim_end().len() > MAX_MESSAGE_BYTES {
        return Err(CommandError::wrong(too_long()));
    }
    Ok((run, text))
}

/// Error for a text without quotation marks: its first word could be meant as a run.
fn unquoted_text_error(words: &[String]) -> Diagnostic {
    let words = words.len();
    Diagnostic::error(format!("a run and a text are two words, but there are {words}")).hint(
        "put the text in quotation marks, as in `forkhestra tell \"Leave the parser alone.\"`",
    )
}

fn too_long() -> Diagnostic {
    Diagnostic::error(RefusedRequest::LongMessage.to_string())
        .hint("write it to a file, and tell the agent to read that")
}

/// Refuses a text that is the id of a run: the text was probably forgotten.
fn refuse_id(text: &str, location: &RunLocationArgs) -> Result<(), CommandError> {
    let is_word = text.len() >= MIN_ID_PREFIX && text.bytes().all(|b| b.is_ascii_alphanumeric());
    if !is_word {
        return Ok(());
    }
    let project = ProjectLocation::find(&location.project())?;
    let finder = RunFinder { project: &project, state_dir: location.state_dir.as_deref() };
    let wanted = text.to_ascii_lowercase();
    let meant = finder.all_runs()?.into_iter().find(|run| run.run().as_str().starts_with(&wanted));
    let Some(run) = meant.as_ref().map(forkhestra_store::RunDir::run) else { return Ok(()) };
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
