//! The graph of dependencies.

mod data;
mod dot;
mod forest;
mod json;
mod lines;
mod mermaid;
mod render;
mod row;
#[cfg(test)]
mod sample;
mod tree;

pub(crate) use self::data::TaskGraph;
pub(crate) use self::render::graph;
