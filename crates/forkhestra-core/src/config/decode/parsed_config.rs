//! Parsing of a config file's bytes into a [`Config`], or into all its errors.

use std::sync::Arc;

use jsonc_parser::ast::Value;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast,
};

use super::decoder::{Decode, Decoder};
use super::secrets::{masked_json, masked_text};
use super::strings;
use crate::config::Config;
use crate::diagnostic::source::{SourceText, Span};
use crate::diagnostic::{Diagnostic, has_errors};

/// The result of parsing a config file.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedConfig {
    /// The text for diagnostics, with possible secrets masked.
    pub source: Arc<SourceText>,
    /// The config, if there is no error.
    pub config: Option<Config>,
    /// All errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a config file; `name` is its name in messages.
pub fn read(name: &str, bytes: Vec<u8>) -> ParsedConfig {
    let text = match decode_text(bytes) {
        Ok(text) => text,
        Err((lossy, span)) => return refused(name, &lossy, |source| not_utf8(source, span)),
    };
    match parse_to_ast(&text, &collect_nothing(), &json_with_comments()) {
        Err(error) => refused(name, &text, |source| not_json(source, &error)),
        Ok(ParseResult { value: None, .. }) => refused(name, &text, empty_file),
        Ok(ParseResult { value: Some(root), .. }) => read_root(name, &text, &root),
    }
}

fn read_root(name: &str, text: &str, root: &Value<'_>) -> ParsedConfig {
    let source = Arc::new(SourceText::file(name, masked_json(text, root)));
    let mut decoder = Decoder::new(Arc::clone(&source));
    strings::refuse_raw_control_characters(text, root, &mut decoder);
    let config = Config::decode(root, &mut decoder);
    let diagnostics = decoder.finish();
    ParsedConfig { source, config: config.filter(|_| !has_errors(&diagnostics)), diagnostics }
}

/// The result for a file that is not a config at all.
fn refused(
    name: &str,
    text: &str,
    why: impl FnOnce(&Arc<SourceText>) -> Diagnostic,
) -> ParsedConfig {
    let source = Arc::new(SourceText::file(name, masked_text(text)));
    let diagnostics = vec![why(&source)];
    ParsedConfig { source, config: None, diagnostics }
}

/// Decodes UTF-8 with or without a byte order mark. On failure it returns a text for messages and
/// the position of the first invalid byte.
fn decode_text(bytes: Vec<u8>) -> Result<String, (String, Span)> {
    const MARK: &str = "\u{feff}";
    let without_mark = |text: &str| text.strip_prefix(MARK).unwrap_or(text).to_owned();
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(without_mark(&text)),
        Err(error) => error,
    };
    let lossy = String::from_utf8_lossy(error.as_bytes());
    let text = without_mark(&lossy);
    // The text before the first invalid byte is unchanged, so its offset holds in the lossy text
    // too.
    let start = error.utf8_error().valid_up_to() - (lossy.len() - text.len());
    Err((text, Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8())))
}

fn not_utf8(source: &Arc<SourceText>, span: Span) -> Diagnostic {
    Diagnostic::error(format!("`{}` is not UTF-8 text", source.name.as_deref().unwrap_or_default()))
        .at(source, span, "this byte is not valid here")
        .hint("save the file as UTF-8")
}

/// Comments and trailing commas are allowed; everything else is strict, since a guessed correction
/// would hide the mistake.
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

fn not_json(source: &Arc<SourceText>, error: &ParseError) -> Diagnostic {
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

fn empty_file(source: &Arc<SourceText>) -> Diagnostic {
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
