//! Builds the tree from the events of the parser.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};

use super::{CollectionLayout, ScalarForm, YamlContent, YamlNode, YamlProperties, YamlScalar};
use crate::document::front::BrokenTask;
use crate::document::front::raw_value::ScalarQuoting;

/// The maximum nesting, deeper than any real file.
const DEEPEST: usize = 64;

/// How much text aliases may repeat, all in all, so that a small file stays small.
const MOST_REPEATED: usize = 64 * 1024;

/// Parses a document; `None` if it is empty.
pub(in crate::document::front) fn parse(yaml: &str) -> Result<Option<YamlNode<'_>>, BrokenTask> {
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
                let content = YamlContent::Sequence(layout(style), Vec::new());
                let node = node(content, range, anchor, tag.is_some());
                self.open.push(OpenYamlNode { node, anchor, key: None });
            }
            Event::MappingStart(style, anchor, tag) => {
                let content = YamlContent::Mapping(layout(style), Vec::new());
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
        if self.repeated > MOST_REPEATED {
            return Err(error("its aliases repeat too much text"));
        }
        Ok(match &**named {
            YamlContent::Scalar(scalar) => {
                YamlContent::Scalar(YamlScalar { form: ScalarForm::Alias, ..scalar.clone() })
            }
            _ => YamlContent::Alias(Rc::clone(named)),
        })
    }
}

fn node(content: YamlContent<'_>, range: Range<usize>, anchor: usize, tag: bool) -> YamlNode<'_> {
    YamlNode { content, range, properties: YamlProperties { anchor: anchor != 0, tag } }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, is_tagged: bool) -> YamlScalar<'_> {
    let form = match style {
        ScalarStyle::Plain => ScalarForm::Plain,
        ScalarStyle::SingleQuoted => ScalarForm::SingleQuoted,
        ScalarStyle::DoubleQuoted => ScalarForm::DoubleQuoted,
        ScalarStyle::Literal | ScalarStyle::Folded => ScalarForm::Block,
    };
    // A tagged scalar is never null.
    let is_bare = form == ScalarForm::Plain && !is_tagged;
    let bareness = if is_bare { ScalarQuoting::Bare } else { ScalarQuoting::Quoted };
    YamlScalar { text, bareness, form }
}

fn layout(style: StructureStyle) -> CollectionLayout {
    match style {
        StructureStyle::Block => CollectionLayout::Block,
        StructureStyle::Flow => CollectionLayout::Flow,
    }
}
