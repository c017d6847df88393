//! The general reader, for all of YAML.

use std::collections::HashSet;

use granit_parser::StructureStyle;

use crate::document::front::front_key::FrontKeyName;
use crate::document::front::front_value::{RawFront, RawValue};
use crate::document::front::yaml_node::{self, YamlContent, YamlNode, YamlProperties};
use crate::document::front::{BrokenTask, FrontKey};

/// The outermost mapping.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FrontMapping<'a> {
    pub(super) entries: Vec<(YamlNode<'a>, YamlNode<'a>)>,
    pub(super) layout: StructureStyle,
    pub(super) properties: YamlProperties,
}

/// Reads any front matter.
pub(super) fn read(yaml: &str) -> Result<RawFront<'_>, BrokenTask> {
    let mapping = mapping(yaml)?;
    let mut draft = RawFront::default();
    for key in FrontKey::ALL {
        draft.set(key, mapping.raw_value(key));
    }
    Ok(draft)
}

/// Parses front matter. Nothing at all is a mapping without entries.
pub(super) fn mapping(yaml: &str) -> Result<FrontMapping<'_>, BrokenTask> {
    let Some(root) = yaml_node::parse(yaml)? else {
        let (layout, properties) = (StructureStyle::Block, YamlProperties::default());
        return Ok(FrontMapping { entries: Vec::new(), layout, properties });
    };
    let line = |node: &YamlNode<'_>| 1 + yaml[..node.range.start].matches('\n').count();
    let YamlContent::Mapping(layout, entries) = root.content else {
        return Err(BrokenTask::yaml(line(&root), "it is not made of lines like `key: value`"));
    };
    let mut seen = HashSet::new();
    for (key, _) in &entries {
        if let Some(name) = key.text().filter(|name| !seen.insert(*name)) {
            let name: String = name.chars().take(MAX_NAME).collect();
            return Err(BrokenTask::yaml(line(key), &format!("the key `{name}` is there twice")));
        }
    }
    Ok(FrontMapping { entries, layout, properties: root.properties })
}

/// Longer keys are cut off in messages.
const MAX_NAME: usize = 60;

impl<'a> FrontMapping<'a> {
    /// The raw value of a key.
    pub(super) fn raw_value(&self, key: FrontKey) -> RawValue<'a> {
        self.find(key).map(|at| self.entries[at].1.raw_value()).unwrap_or_default()
    }

    /// Which entry counts for a key: the one with its own name, or else the first with another one.
    pub(super) fn find(&self, key: FrontKey) -> Option<usize> {
        let named = |at: &usize| self.entries[*at].0.text().and_then(FrontKey::named);
        let mut all = (0..self.entries.len()).filter(|at| named(at).is_some_and(|it| it.0 == key));
        let first = all.next()?;
        let own = |at: &usize| named(at) == Some((key, FrontKeyName::Own));
        if own(&first) { Some(first) } else { Some(all.find(own).unwrap_or(first)) }
    }
}
