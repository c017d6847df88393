//! From the bytes of a file to a [`Config`], or to everything that is wrong with them.

use std::sync::Arc;

use jsonc_parser::ast::Value;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Config;
use super::decode::{Decode, Decoder};
use super::masked::masked;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::source::{Source, Span};

/// What came of reading a config file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The text, to point into, with what may be a secret masked.
    pub source: Arc<Source>,
    /// The config, if nothing is wrong with it.
    pub config: Option<Config>,
    /// Every mistake and every doubt, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a config file; `name` is what messages call it.
pub fn read(name: &str, bytes: Vec<u8>) -> Reading {
    let source = match decode_text(name, bytes) {
        Ok(source) => source,
        Err(reading) => return *reading,
    };
    let parsed = match parse_to_ast(&source.text, &collect_nothing(), &json_with_comments()) {
        Ok(parsed) => parsed,
        Err(error) => {
            let diagnostic = not_json(&source, &error);
            return Reading { source, config: None, diagnostics: vec![diagnostic] };
        }
    };
    let Some(root) = parsed.value else {
        let diagnostic = empty_file(&source);
        return Reading { source, config: None, diagnostics: vec![diagnostic] };
    };
    let shown = Arc::new(Source { text: masked(&source.text, &root), ..Source::clone(&source) });
    let (config, diagnostics) = read_root(&shown, &root);
    Reading { source: shown, config, diagnostics }
}

fn read_root(source: &Arc<Source>, root: &Value<'_>) -> (Option<Config>, Vec<Diagnostic>) {
    let mut decoder = Decoder::new(Arc::clone(source));
    let config = Config::decode(root, &mut decoder);
    let diagnostics = decoder.finish();
    (config.filter(|_| !has_errors(&diagnostics)), diagnostics)
}

/// Makes text of bytes: UTF-8, with or without a byte order mark.
fn decode_text(name: &str, bytes: Vec<u8>) -> Result<Arc<Source>, Box<Reading>> {
    let make_source =
        |text: &str| Arc::new(Source::file(name, text.strip_prefix('\u{feff}').unwrap_or(text)));
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(make_source(&text)),
        Err(error) => error,
    };
    let lossy = String::from_utf8_lossy(error.as_bytes());
    let source = make_source(&lossy);
    let mark = lossy.len() - source.text.len();
    // Everything before the first bad byte is unchanged, so its offset holds in the lossy text too.
    let start = error.utf8_error().valid_up_to() - mark;
    let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8());
    let diagnostic = Diagnostic::error(format!("`{name}` is not UTF-8 text"))
        .at(&source, span, "this byte is not valid here")
        .hint("save the file as UTF-8");
    Err(Box::new(Reading { source, config: None, diagnostics: vec![diagnostic] }))
}

/// Comments and trailing commas are welcome; everything else is strict, since a slip that is
/// guessed at is a slip that nobody finds.
const fn json_with_comments() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

const fn collect_nothing() -> CollectOptions {
    CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false }
}

fn not_json(source: &Arc<Source>, error: &ParseError) -> Diagnostic {
    let text = &source.text;
    let range = error.range();
    let start = text.floor_char_boundary(range.start);
    let end = text.ceil_char_boundary(range.end.max(start));
    let reason = lowercase_first(&error.kind().to_string());
    Diagnostic::error(format!(
        "`{}` is not JSON: {reason}",
        source.name.as_deref().unwrap_or_default()
    ))
    .at(source, Span::new(start, end), reason.clone())
    .maybe_hint(advice(error.kind()).map(str::to_owned))
}

fn advice(kind: &ParseErrorKind) -> Option<&'static str> {
    match kind {
        ParseErrorKind::SingleQuotedStringsNotAllowed => Some("write strings in double quotes"),
        ParseErrorKind::ExpectedStringObjectProperty | ParseErrorKind::UnexpectedWord => {
            Some("write keys and strings in double quotes")
        }
        _ => None,
    }
}

fn empty_file(source: &Arc<Source>) -> Diagnostic {
    let name = source.name.as_deref().unwrap_or_default();
    Diagnostic::error(format!("`{name}` is empty"))
        .at(source, Span::new(0, 0), "expected an object")
        .hint("the smallest config is { \"chains\": {} }")
}

fn lowercase_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}
