//! What `tell` is to tell, and whom.

use std::io::{self, Read};

use forkhestra_core::control::{LONGEST_MESSAGE, Refused};
use forkhestra_core::diagnostic::Diagnostic;

use crate::args_runs::PlaceArgs;
use crate::error::CliError;
use crate::find_run::Places;
use crate::project::Project;

/// A word so long that begins like the id of a run was not meant as a message.
const SURELY_AN_ID: usize = 4;

/// The run, if one is named, and the text.
pub(super) fn taken_apart<'a>(
    words: &'a [String],
    place: &PlaceArgs,
) -> Result<(Option<&'a str>, String), CliError> {
    let (run, text) = match words {
        [run, text] => (Some(run.as_str()), text),
        [text] => (None, text),
        words => return Err(CliError::wrong(loose(words))),
    };
    if run.is_none() {
        refuse_id(text, place)?;
    }
    let text = if text == "-" { read()? } else { text.clone() };
    if text.trim().is_empty() {
        return Err(CliError::wrong(
            Diagnostic::error(Refused::EmptyMessage.to_string())
                .hint("as in `forkhestra tell \"Leave the parser alone.\"`"),
        ));
    }
    if text.trim_end().len() > LONGEST_MESSAGE {
        return Err(CliError::wrong(too_long()));
    }
    Ok((run, text))
}

/// A text that nothing holds together: its first word could be meant as a run.
fn loose(words: &[String]) -> Diagnostic {
    let words = words.len();
    Diagnostic::error(format!("a run and a text are two words, but there are {words}")).hint(
        "put the text in quotation marks, as in `forkhestra tell \"Leave the parser alone.\"`",
    )
}

fn too_long() -> Diagnostic {
    Diagnostic::error(Refused::LongMessage.to_string())
        .hint("write it to a file, and tell the agent to read that")
}

/// Whoever names a run and nothing else has forgotten the text.
fn refuse_id(text: &str, place: &PlaceArgs) -> Result<(), CliError> {
    let is_word = text.len() >= SURELY_AN_ID && text.bytes().all(|b| b.is_ascii_alphanumeric());
    if !is_word {
        return Ok(());
    }
    let project = Project::find(&place.project())?;
    let places = Places { project: &project, state_dir: place.state_dir.as_deref() };
    let wanted = text.to_ascii_lowercase();
    let meant =
        places.everywhere()?.into_iter().find(|run| run.run().as_str().starts_with(&wanted));
    let Some(run) = meant.as_ref().map(forkhestra_store::RunDir::run) else { return Ok(()) };
    Err(CliError::wrong(
        Diagnostic::error(format!("there is no text for run {run}"))
            .hint(format!("add it: forkhestra tell {run} \"…\""))
            .hint(format!("or say that `{text}` is the text: forkhestra tell {run} {text}")),
    ))
}

/// Reads the text from standard input, but no more of it than could be sent.
fn read() -> Result<String, CliError> {
    let most = LONGEST_MESSAGE as u64 + 1;
    let mut bytes = Vec::new();
    io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(|error| {
        CliError::wrong(Diagnostic::error(format!("cannot read standard input: {error}")))
    })?;
    // Cut off in the middle of a letter, it is too long all the same.
    if bytes.len() > LONGEST_MESSAGE && !bytes.trim_ascii_end().is_empty() {
        return Err(CliError::wrong(too_long()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to() + 1;
        CliError::wrong(Diagnostic::error(format!(
            "the text on standard input is not UTF-8: byte {place}"
        )))
    })
}
