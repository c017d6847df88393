//! A graph in one of its formats.

use super::{TaskGraph, dot, json, lines, mermaid, tree};
use crate::cli::args::{GraphFormat, TasksOutputFormat};

/// A graph in the language that is wanted. JSON wins. Only a tree for people must fit a width.
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
