//! Messages of the model and of tools in the stream of Claude Code, one block per event.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::agent::json::{BoundedList, Lenient, LenientString, ReportedFigures, read};

/// The model name of messages that Claude Code itself produces.
const SYNTHETIC_MODEL: &str = "<synthetic>";

/// A message of the model or of tools.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct ClaudeMessage<'a> {
    pub(super) id: LenientString<'a>,
    pub(super) model: LenientString<'a>,
    pub(super) content: ClaudeBlocks<'a>,
    pub(super) usage: Lenient<ReportedFigures>,
}

impl ClaudeMessage<'_> {
    /// Whether Claude Code itself produced it.
    pub(super) fn is_synthetic(&self) -> bool {
        self.model.is(SYNTHETIC_MODEL)
    }
}

/// The error fields of an `assistant` event, beside the text of its message.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct ClaudeError<'a> {
    pub(super) error: LenientString<'a>,
    pub(super) api_error: LenientString<'a>,
    pub(super) api_error_params: Lenient<ClaudeErrorDetails<'a>>,
}

/// The details of an error.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct ClaudeErrorDetails<'a> {
    pub(super) rate_limit_info: Lenient<super::system::RateLimitInfo<'a>>,
}

/// The blocks of a message. A plain string is one block.
#[derive(Default)]
pub(super) struct ClaudeBlocks<'a>(pub(super) Vec<ClaudeBlock<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for ClaudeBlocks<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        if let Some(BoundedList(blocks)) = read::<BoundedList<Lenient<ClaudeBlock<'_>>>>(raw) {
            return Ok(Self(blocks.into_iter().filter_map(|block| block.0).collect()));
        }
        let text: LenientString<'_> = read(raw).unwrap_or_default();
        let kind = LenientString(Some(Cow::Borrowed("text")));
        let block = text.0.is_some().then(|| ClaudeBlock { kind, text, ..ClaudeBlock::default() });
        Ok(Self(block.into_iter().collect()))
    }
}

/// A block of any kind.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct ClaudeBlock<'a> {
    #[serde(rename = "type")]
    pub(super) kind: LenientString<'a>,
    pub(super) text: LenientString<'a>,
    pub(super) thinking: LenientString<'a>,
    pub(super) id: LenientString<'a>,
    pub(super) name: LenientString<'a>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: LenientString<'a>,
    /// The content of a tool result.
    pub(super) content: Option<&'a RawValue>,
    pub(super) is_error: Lenient<bool>,
}

impl<'a> ClaudeBlock<'a> {
    /// The text of a tool result: a string, or the texts of all its blocks.
    pub(super) fn result_text(&self) -> Cow<'a, str> {
        let Some(ClaudeBlocks(blocks)) = self.content.and_then(read) else {
            return Cow::default();
        };
        let mut texts: Vec<Cow<'a, str>> =
            blocks.into_iter().filter_map(|block: ClaudeBlock<'a>| block.text.0).collect();
        match texts.len() {
            0 | 1 => texts.pop().unwrap_or_default(),
            _ => Cow::Owned(texts.join("\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block takes a hundred times the memory of its shortest text.
    #[test]
    fn the_number_of_blocks_in_a_line_is_limited() {
        let content = format!(r#"[{{"text":"first"}}{}]"#, ",{}".repeat(100_000));
        let raw: &RawValue = serde_json::from_str(&content).expect("JSON");
        let ClaudeBlocks(blocks) = read(raw).expect("blocks");
        assert!(blocks.len() < 10_000, "{}", blocks.len());
        let result = ClaudeBlock { content: Some(raw), ..ClaudeBlock::default() };
        assert_eq!(result.result_text(), "first");
    }
}
