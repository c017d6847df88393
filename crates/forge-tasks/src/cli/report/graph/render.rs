//! A graph in one of its formats.

use super::{Graph, dot, json, lines, mermaid, tree};
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
