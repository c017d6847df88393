//! Takes apart errors of the argument parser, so that programs can phrase them in their own way.

use clap::Error;
use clap::error::{ContextKind, ContextValue};

/// The parser's own message, without usage and tips.
pub fn sentence(error: &Error) -> String {
    let rendered = error.render().to_string();
    let paragraph: Vec<&str> =
        rendered.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let sentence = paragraph.join(" ");
    sentence.strip_prefix("error: ").unwrap_or(&sentence).to_owned()
}

/// The first text of this kind in the error's context.
pub fn text(error: &Error, kind: ContextKind) -> Option<String> {
    texts(error, kind).into_iter().next()
}

/// All texts of this kind in the error's context.
pub fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    fn complaint(words: &[&str]) -> Error {
        let level = Arg::new("level").long("level").value_parser(["low", "high"]);
        let command = Command::new("program").arg(level).arg(Arg::new("name").required(true));
        let arguments = ["program"].iter().chain(words);
        command.try_get_matches_from(arguments).expect_err("it is wrong use")
    }

    #[test]
    fn the_sentence_is_one_line_without_usage_and_tips() {
        for (words, expected) in [
            (&["a", "--levle"][..], "unexpected argument '--levle' found"),
            (&[], "the following required arguments were not provided: <name>"),
        ] {
            assert_eq!(sentence(&complaint(words)), expected);
        }
    }

    #[test]
    fn what_it_is_about_can_be_asked_for() {
        let error = complaint(&["a", "--level=mid"]);
        assert_eq!(text(&error, ContextKind::InvalidValue).as_deref(), Some("mid"));
        assert_eq!(texts(&error, ContextKind::ValidValue), ["low", "high"]);
        assert_eq!(text(&error, ContextKind::ValidValue).as_deref(), Some("low"));
        assert_eq!(text(&error, ContextKind::PriorArg), None);
    }
}
