//! The graph of dependencies.

mod graph_formats;
mod graph_tree;
#[cfg(test)]
mod sample;
mod task_graph;

pub(crate) use graph_formats::graph;
pub(crate) use task_graph::TaskGraph;
