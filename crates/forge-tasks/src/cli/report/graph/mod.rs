//! What depends on what.

mod data;
mod dot;
mod forest;
mod json;
mod lines;
mod mermaid;
mod row;
#[cfg(test)]
mod sample;
mod tree;

pub(crate) use self::data::Graph;
use crate::cli::args::{Format, GraphFormat};

/// A graph in the language that is wanted. JSON wins. Only a tree for people must fit a width.
pub(crate) fn graph(
    graph: &Graph,
    language: GraphFormat,
    format: Format,
    columns: Option<usize>,
) -> String {
    match (format, language) {
        (Format::Json, _) => json::render(graph),
        (_, GraphFormat::Dot) => dot::render(graph),
        (_, GraphFormat::Mermaid) => mermaid::render(graph),
        (Format::Plain, GraphFormat::Text) => lines::render(graph),
        (Format::Human, GraphFormat::Text) => tree::render(graph, columns),
    }
}
