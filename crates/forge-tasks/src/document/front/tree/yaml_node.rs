//! A node of the tree.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::document::front::raw_value::{RawValue, ScalarQuoting};

/// A value, and where it is written.
#[derive(Debug, Clone)]
pub(in crate::document::front) struct YamlNode<'a> {
    pub(in crate::document::front) content: YamlContent<'a>,
    /// Where it is written. Nodes that are made of lines have no exact end.
    pub(in crate::document::front) range: Range<usize>,
    pub(in crate::document::front) properties: YamlProperties,
}

/// The properties YAML can give to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::document::front) struct YamlProperties {
    pub(in crate::document::front) anchor: bool,
    pub(in crate::document::front) tag: bool,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::document::front) enum YamlContent<'a> {
    Scalar(YamlScalar<'a>),
    Sequence(CollectionLayout, Vec<YamlNode<'a>>),
    Mapping(CollectionLayout, Vec<(YamlNode<'a>, YamlNode<'a>)>),
    /// Another name for a sequence or mapping.
    Alias(Rc<YamlContent<'a>>),
}

/// A text, and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::document::front) struct YamlScalar<'a> {
    pub(in crate::document::front) text: Cow<'a, str>,
    pub(in crate::document::front) bareness: ScalarQuoting,
    pub(in crate::document::front) form: ScalarForm,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::document::front) enum ScalarForm {
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
pub(in crate::document::front) enum CollectionLayout {
    Block,
    Flow,
}

/// Nodes are equal if their contents are, wherever they are.
impl PartialEq for YamlNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content && self.properties == other.properties
    }
}

impl<'a> YamlNode<'a> {
    /// The text of a scalar.
    pub(in crate::document::front) fn text(&self) -> Option<&str> {
        match &self.content {
            YamlContent::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The raw value of the node.
    pub(in crate::document::front) fn given(&self) -> RawValue<'a> {
        self.content.given()
    }

    /// Whether there is an anchor on it or anywhere in it.
    pub(in crate::document::front) fn has_anchor(&self) -> bool {
        self.properties.anchor
            || match &self.content {
                YamlContent::Scalar(_) | YamlContent::Alias(_) => false,
                YamlContent::Sequence(_, items) => items.iter().any(YamlNode::has_anchor),
                YamlContent::Mapping(_, entries) => {
                    entries.iter().any(|(key, value)| key.has_anchor() || value.has_anchor())
                }
            }
    }
}

impl<'a> YamlContent<'a> {
    /// The raw value of the content.
    fn given(&self) -> RawValue<'a> {
        match self {
            Self::Scalar(scalar) => scalar.given(),
            Self::Sequence(_, items) => {
                let mut texts = Vec::with_capacity(items.len());
                for item in items {
                    match item.given() {
                        RawValue::Nothing => {}
                        RawValue::Text(text) => texts.push(text),
                        RawValue::List(_) | RawValue::Odd => return RawValue::Odd,
                    }
                }
                RawValue::List(texts)
            }
            Self::Mapping(..) => RawValue::Odd,
            Self::Alias(content) => content.given(),
        }
    }

    /// How much text the content has, with all repetitions.
    pub(super) fn weight(&self) -> usize {
        let of = |node: &YamlNode<'_>| node.content.weight();
        1 + match self {
            Self::Scalar(scalar) => scalar.text.len(),
            Self::Sequence(_, items) => items.iter().map(of).sum(),
            Self::Mapping(_, entries) => {
                entries.iter().map(|(key, value)| of(key) + of(value)).sum()
            }
            Self::Alias(content) => content.weight(),
        }
    }
}

impl<'a> YamlScalar<'a> {
    /// The raw value of the scalar, without the newline that ends a block scalar.
    pub(in crate::document::front) fn given(&self) -> RawValue<'a> {
        let text = match (self.form, &self.text) {
            (ScalarForm::Block, Cow::Borrowed(text)) => Cow::Borrowed(text.trim_end_matches('\n')),
            (ScalarForm::Block, Cow::Owned(text)) => {
                Cow::Owned(text.trim_end_matches('\n').to_owned())
            }
            (_, text) => text.clone(),
        };
        RawValue::scalar(text, self.bareness)
    }
}
