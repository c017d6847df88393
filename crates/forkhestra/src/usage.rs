//! Wrong use of the command line, told the way we tell everything else.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::dsl::Dsl;

/// Turns what the argument parser says into diagnostics of ours.
pub(crate) fn diagnostics(error: &clap::Error, arguments: &[OsString]) -> Vec<Diagnostic> {
    let argument = text(error, ContextKind::InvalidArg).unwrap_or_default();
    let verb = arguments.get(1).and_then(|word| word.to_str());
    let verb = verb.filter(|word| matches!(*word, "list" | "schema"));
    let diagnostic = match error.kind() {
        ErrorKind::UnknownArgument => match misread_arrow(arguments) {
            Some(diagnostics) => return diagnostics,
            None => unknown_argument(error, &argument, verb.is_none()),
        },
        _ if lacks_value(error) => {
            let flag = argument.split(' ').next().unwrap_or(&argument);
            Diagnostic::error(first_paragraph(error)).hint(begins_with_dash(flag))
        }
        _ => Diagnostic::error(first_paragraph(error)),
    };
    let help = ["forkhestra"].into_iter().chain(verb).collect::<Vec<_>>().join(" ");
    vec![diagnostic.hint(format!("for the options and their values see `{help} --help`"))]
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

fn unknown_argument(error: &clap::Error, argument: &str, takes_agents: bool) -> Diagnostic {
    let what = if argument.starts_with('-') { "unknown option" } else { "unexpected argument" };
    let suggestion =
        text(error, ContextKind::SuggestedArg).map(|similar| format!("did you mean `{similar}`?"));
    let is_number =
        argument.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_numeric));
    Diagnostic::error(format!("{what} `{argument}`"))
        .maybe_hint(suggestion)
        .maybe_hint(is_number.then(|| begins_with_dash("--OPTION")))
        .maybe_hint(takes_agents.then(|| "arguments for the agents go after `--`".to_owned()))
}

fn begins_with_dash(flag: &str) -> String {
    format!("a value that begins with `-` is written {flag}=VALUE")
}

/// `--prompt --dry-run` lacks a value; the next option is never taken for one.
fn lacks_value(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::InvalidValue
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
