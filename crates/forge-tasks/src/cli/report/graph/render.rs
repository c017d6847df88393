//! A graph in one of its formats.

use super::{TaskGraph, dot, json, lines, mermaid, tree};
use crate::cli::args::{GraphFormat, TasksOutputFormat};

/// Renders a graph in the requested format. JSON takes precedence. Only the tree is limited to a
/// width.
pub(crate) fn graph(
    graph: &TaskGraph,
    language: GraphFormat,
    format: TasksOutputFormat,
    columns: Option<usize>,
) -> String {
    match (format, language) {
        (TasksOutputFormat::Json, _) => json::render(graph),
        (_, GraphFormat::Dot) => dot::render(graph),
        (_, GraphFormat::Mermaid) => mermaid::render(graph),
        (TasksOutputFormat::Plain, GraphFormat::Text) => lines::render(graph),
        (TasksOutputFormat::Human, GraphFormat::Text) => tree::render(graph, columns),
    }
}
