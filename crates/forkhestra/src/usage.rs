//! Wrong use of the command line, told the way we tell everything else.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::dsl::Dsl;

/// Turns what the argument parser says into diagnostics of ours.
pub(crate) fn diagnostics(error: &clap::Error, arguments: &[OsString]) -> Vec<Diagnostic> {
    match error.kind() {
        ErrorKind::UnknownArgument => {
            misread_arrow(arguments).unwrap_or_else(|| vec![diagnostic(error)])
        }
        _ => vec![diagnostic(error)],
    }
}

/// A chain that begins with an arrow looks like an option to the parser, but it is a wrong chain.
fn misread_arrow(arguments: &[OsString]) -> Option<Vec<Diagnostic>> {
    let words = arguments.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    match words.into_iter().find(|word| word.starts_with("->"))? {
        "->" => Some(vec![
            Diagnostic::error("unexpected argument `->`")
                .hint("a chain is one argument; quote it: forkhestra \"a:3 -> b\""),
        ]),
        chain => Dsl::parse(chain).err(),
    }
}

fn diagnostic(error: &clap::Error) -> Diagnostic {
    let argument = text(error, ContextKind::InvalidArg).unwrap_or_default();
    let diagnostic = match error.kind() {
        ErrorKind::UnknownArgument => unknown_argument(error, &argument),
        _ => Diagnostic::error(first_paragraph(error)),
    };
    let diagnostic = if value_begins_with_dash(error) {
        let flag = argument.split(' ').next().unwrap_or(&argument).to_owned();
        diagnostic.hint(format!("a value that begins with `-` is written {flag}=VALUE"))
    } else {
        diagnostic
    };
    diagnostic.hint("for the options and their values see `forkhestra --help`")
}

fn unknown_argument(error: &clap::Error, argument: &str) -> Diagnostic {
    let suggestion =
        text(error, ContextKind::SuggestedArg).map(|similar| format!("did you mean `{similar}`?"));
    let what = if argument.starts_with('-') { "unknown option" } else { "unexpected argument" };
    Diagnostic::error(format!("{what} `{argument}`"))
        .maybe_hint(suggestion)
        .hint("arguments for the agents go after `--`")
}

/// `--prompt --dry-run` lacks a value; the next option is never taken for one.
fn value_begins_with_dash(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::NoEquals)
        && matches!(text(error, ContextKind::InvalidValue).as_deref(), None | Some(""))
}

/// The parser's own sentence, without its usage and its tips.
fn first_paragraph(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let paragraph: Vec<&str> =
        rendered.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let sentence = paragraph.join(" ");
    sentence.strip_prefix("error: ").unwrap_or(&sentence).to_owned()
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        ContextValue::StyledStr(text) => Some(text.to_string()),
        _ => None,
    }
}
