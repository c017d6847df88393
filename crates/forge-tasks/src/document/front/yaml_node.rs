//! YAML as a tree of nodes with their positions in the text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};

use crate::document::front::BrokenTask;
use crate::document::front::front_value::{RawValue, ScalarQuoting};

/// A value, and where it is written.
#[derive(Debug, Clone)]
pub(crate) struct YamlNode<'a> {
    pub(crate) content: YamlContent<'a>,
    /// Where it is written. Nodes that are made of lines have no exact end.
    pub(crate) range: Range<usize>,
    pub(crate) properties: YamlProperties,
}

/// The properties YAML can give to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct YamlProperties {
    pub(crate) anchor: bool,
    pub(crate) tag: bool,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum YamlContent<'a> {
    Scalar(YamlScalar<'a>),
    Sequence(StructureStyle, Vec<YamlNode<'a>>),
    Mapping(StructureStyle, Vec<(YamlNode<'a>, YamlNode<'a>)>),
    /// Another name for a sequence or mapping.
    Alias(Rc<YamlContent<'a>>),
}

/// A text, and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlScalar<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) quoting: ScalarQuoting,
    pub(crate) style: ScalarStyle,
    /// Whether it is another name for a scalar.
    pub(crate) is_alias: bool,
}

/// Nodes are equal if their contents are, wherever they are.
impl PartialEq for YamlNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content && self.properties == other.properties
    }
}

impl<'a> YamlNode<'a> {
    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.content {
            YamlContent::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The raw value of the node.
    pub(crate) fn raw_value(&self) -> RawValue<'a> {
        self.content.raw_value()
    }

    /// Whether there is an anchor on it or anywhere in it.
    pub(crate) fn has_anchor(&self) -> bool {
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
    fn raw_value(&self) -> RawValue<'a> {
        match self {
            Self::Scalar(scalar) => scalar.raw_value(),
            Self::Sequence(_, items) => {
                let mut texts = Vec::with_capacity(items.len());
                for item in items {
                    match item.raw_value() {
                        RawValue::Nothing => {}
                        RawValue::Text(text) => texts.push(text),
                        RawValue::List(_) | RawValue::Odd => return RawValue::Odd,
                    }
                }
                RawValue::List(texts)
            }
            Self::Mapping(..) => RawValue::Odd,
            Self::Alias(content) => content.raw_value(),
        }
    }

    /// How much text the content has, with all repetitions.
    pub(crate) fn weight(&self) -> usize {
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
    /// Whether it is written as literal or folded lines below its key.
    pub(crate) fn is_block(&self) -> bool {
        matches!(self.style, ScalarStyle::Literal | ScalarStyle::Folded) && !self.is_alias
    }

    /// The raw value of the scalar, without the newline that ends a block scalar.
    pub(crate) fn raw_value(&self) -> RawValue<'a> {
        let text = match (self.is_block(), &self.text) {
            (true, Cow::Borrowed(text)) => Cow::Borrowed(text.trim_end_matches('\n')),
            (true, Cow::Owned(text)) => Cow::Owned(text.trim_end_matches('\n').to_owned()),
            (false, text) => text.clone(),
        };
        RawValue::scalar(text, self.quoting)
    }
}

/// The maximum nesting, deeper than any real file.
const DEEPEST: usize = 64;

/// How much text aliases may repeat, all in all, so that a small file stays small.
const MAX_REPEATED: usize = 64 * 1024;

/// Parses a document; `None` if it is empty.
pub(crate) fn parse(yaml: &str) -> Result<Option<YamlNode<'_>>, BrokenTask> {
    let options = options! {
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
        emit_comments: false,
    };
    let mut builder = YamlTreeBuilder::default();
    for event in Parser::new_from_str_with_options(yaml, options) {
        let (event, span) = event.map_err(|error| not_yaml(&error))?;
        builder.take(event, &span)?;
    }
    Ok(builder.root)
}

fn not_yaml(error: &ScanError) -> BrokenTask {
    BrokenTask::yaml(error.marker().line(), &error.info())
}

#[derive(Default)]
struct YamlTreeBuilder<'a> {
    root: Option<YamlNode<'a>>,
    documents: usize,
    /// The lists and mappings that are not complete, from the outermost to the innermost.
    open: Vec<OpenYamlNode<'a>>,
    anchors: HashMap<usize, Rc<YamlContent<'a>>>,
    repeated: usize,
}

/// A list or mapping that is not complete.
struct OpenYamlNode<'a> {
    node: YamlNode<'a>,
    /// The number of its anchor; zero if it has none.
    anchor: usize,
    /// In a mapping, the key whose value comes next.
    key: Option<YamlNode<'a>>,
}

impl<'a> YamlTreeBuilder<'a> {
    fn take(&mut self, event: Event<'a>, span: &Span) -> Result<(), BrokenTask> {
        let range = span.byte_range().expect("a text has byte ranges");
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "it ends here, and something else begins";
                    return Err(BrokenTask::yaml(span.start.line(), message));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let content = YamlContent::Scalar(scalar(text, style, tag.is_some()));
                self.place(anchor, node(content, range, anchor, tag.is_some()));
            }
            Event::Alias(anchor) => {
                let content = self.alias(anchor, span)?;
                self.place(0, node(content, range, 0, false));
            }
            Event::SequenceStart(style, anchor, tag) => {
                let content = YamlContent::Sequence(style, Vec::new());
                let node = node(content, range, anchor, tag.is_some());
                self.open.push(OpenYamlNode { node, anchor, key: None });
            }
            Event::MappingStart(style, anchor, tag) => {
                let content = YamlContent::Mapping(style, Vec::new());
                let node = node(content, range, anchor, tag.is_some());
                self.open.push(OpenYamlNode { node, anchor, key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let OpenYamlNode { mut node, anchor, .. } =
                    self.open.pop().expect("what ends has begun");
                node.range.end = range.end;
                self.place(anchor, node);
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a complete node to the innermost list or mapping.
    fn place(&mut self, anchor: usize, node: YamlNode<'a>) {
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::new(node.content.clone()));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut parent.node.content {
            YamlContent::Sequence(_, items) => items.push(node),
            YamlContent::Mapping(_, entries) => match parent.key.take() {
                Some(key) => entries.push((key, node)),
                None => parent.key = Some(node),
            },
            YamlContent::Scalar(_) | YamlContent::Alias(_) => unreachable!("these are never open"),
        }
    }

    fn alias(&mut self, anchor: usize, span: &Span) -> Result<YamlContent<'a>, BrokenTask> {
        let error = |message| BrokenTask::yaml(span.start.line(), message);
        let named = self.anchors.get(&anchor);
        let named = named.ok_or_else(|| error("an alias is within its own anchor"))?;
        self.repeated += named.weight();
        if self.repeated > MAX_REPEATED {
            return Err(error("its aliases repeat too much text"));
        }
        Ok(match &**named {
            YamlContent::Scalar(scalar) => {
                YamlContent::Scalar(YamlScalar { is_alias: true, ..scalar.clone() })
            }
            _ => YamlContent::Alias(Rc::clone(named)),
        })
    }
}

fn node(content: YamlContent<'_>, range: Range<usize>, anchor: usize, tag: bool) -> YamlNode<'_> {
    YamlNode { content, range, properties: YamlProperties { anchor: anchor != 0, tag } }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, is_tagged: bool) -> YamlScalar<'_> {
    // A tagged scalar is never null.
    let is_bare = style == ScalarStyle::Plain && !is_tagged;
    let quoting = if is_bare { ScalarQuoting::Bare } else { ScalarQuoting::Quoted };
    YamlScalar { text, quoting, style, is_alias: false }
}
