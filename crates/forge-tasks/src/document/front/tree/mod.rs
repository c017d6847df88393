//! YAML as a tree of nodes that know where they are written.

mod build;

use std::borrow::Cow;
use std::ops::Range;

use super::given::{Bareness, Given};

pub(super) use build::parse;

/// A value, and where it is written.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) content: Content<'a>,
    /// Where it is written. Nodes that are made of lines have no exact end.
    pub(super) range: Range<usize>,
    /// What is written before it.
    pub(super) properties: Properties,
}

/// The properties YAML can give to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Properties {
    pub(super) anchor: bool,
    pub(super) tag: bool,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content<'a> {
    Scalar(Scalar<'a>),
    Sequence(Layout, Vec<Node<'a>>),
    Mapping(Layout, Vec<(Node<'a>, Node<'a>)>),
    /// Another name for a sequence or mapping, by the number of its anchor.
    Alias(usize),
}

/// A text, and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scalar<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) bareness: Bareness,
    pub(super) form: Form,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// Literal or folded lines below.
    Block,
    /// Another name for a scalar.
    Alias,
}

/// How a list or a mapping is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Block,
    Flow,
}

/// Nodes are the same if they say the same, wherever they are.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content && self.properties == other.properties
    }
}

impl<'a> Node<'a> {
    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// What the node gives for a key.
    pub(super) fn given(&self) -> Given<'a> {
        match &self.content {
            Content::Scalar(scalar) => scalar.given(),
            Content::Sequence(_, items) => {
                let mut texts = Vec::with_capacity(items.len());
                for item in items {
                    match item.given() {
                        Given::Nothing => {}
                        Given::Text(text) => texts.push(text),
                        Given::List(_) | Given::Odd => return Given::Odd,
                    }
                }
                Given::List(texts)
            }
            Content::Mapping(..) | Content::Alias(_) => Given::Odd,
        }
    }

    /// Whether there is an anchor on it or anywhere in it.
    pub(super) fn has_anchor(&self) -> bool {
        self.properties.anchor
            || match &self.content {
                Content::Scalar(_) | Content::Alias(_) => false,
                Content::Sequence(_, items) => items.iter().any(Node::has_anchor),
                Content::Mapping(_, entries) => {
                    entries.iter().any(|(key, value)| key.has_anchor() || value.has_anchor())
                }
            }
    }
}

impl<'a> Scalar<'a> {
    /// What the scalar gives for a key, without the newline that ends a block scalar.
    pub(super) fn given(&self) -> Given<'a> {
        let text = match (self.form, &self.text) {
            (Form::Block, Cow::Borrowed(text)) => Cow::Borrowed(text.trim_end_matches('\n')),
            (Form::Block, Cow::Owned(text)) => Cow::Owned(text.trim_end_matches('\n').to_owned()),
            (_, text) => text.clone(),
        };
        Given::scalar(text, self.bareness)
    }
}
