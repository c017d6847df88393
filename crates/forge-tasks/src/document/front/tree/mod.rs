//! YAML as a tree of nodes with their positions in the text.

mod build;
mod yaml_node;

pub(super) use build::parse;
pub(super) use yaml_node::{
    CollectionLayout, ScalarForm, YamlContent, YamlNode, YamlProperties, YamlScalar,
};
