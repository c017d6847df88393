//! A graph in the language of Graphviz.

use typeset::text::visible;

use super::data::{GraphNode, TaskGraph};
use crate::TaskStatus;

/// An arrow leads from a dependency to its dependent.
pub(super) fn render(graph: &TaskGraph) -> String {
    let nodes = graph.nodes.iter().map(node);
    let edges = graph
        .edges()
        .map(|(need, node)| format!("  {} -> {};\n", quoted(&need.id), quoted(&node.id)));
    let lines: String = nodes.chain(edges).collect();
    format!("digraph tasks {{\n  node [shape=box, style=filled, fillcolor=white];\n{lines}}}\n")
}

fn node(node: &GraphNode) -> String {
    let id = quoted(&node.id);
    match &node.known {
        Some(known) => {
            let label = format!("{}\\n{}", escaped(&node.id), escaped(&known.title));
            let color = match known.status {
                TaskStatus::ToDo if known.is_ready => "lightyellow",
                TaskStatus::ToDo => "white",
                TaskStatus::InProgress => "lightblue",
                TaskStatus::Blocked => "lightpink",
                TaskStatus::Done => "palegreen",
            };
            format!("  {id} [label=\"{label}\", fillcolor={color}];\n")
        }
        None => {
            let label = format!("{}\\n(does not exist)", escaped(&node.id));
            format!("  {id} [label=\"{label}\", style=dashed];\n")
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::super::sample::graph;
    use super::*;

    #[test]
    fn a_graph_can_be_drawn() {
        insta::assert_snapshot!(render(&graph()), @r#"
        digraph tasks {
          node [shape=box, style=filled, fillcolor=white];
          "TASK-001" [label="TASK-001\nTitle of TASK-001", fillcolor=palegreen];
          "TASK-002" [label="TASK-002\nTitle of TASK-002", fillcolor=lightblue];
          "TASK-003" [label="TASK-003\nTitle of TASK-003", fillcolor=lightyellow];
          "TASK-004" [label="TASK-004\nTitle of TASK-004", fillcolor=white];
          "TASK-005" [label="TASK-005\nTitle of TASK-005", fillcolor=white];
          "TASK-006" [label="TASK-006\nTitle of TASK-006", fillcolor=white];
          "TASK-007" [label="TASK-007\nSay \"hi\" to <b> #1 `x` \\ \\u{1b}[2J\\nyou", fillcolor=lightpink];
          "TASK-008" [label="TASK-008\nTitle of TASK-008", fillcolor=white];
          "TASK-009" [label="TASK-009\nTitle of TASK-009", fillcolor=lightyellow];
          "TASK-099" [label="TASK-099\n(does not exist)", style=dashed];
          "TASK-001" -> "TASK-002";
          "TASK-001" -> "TASK-003";
          "TASK-002" -> "TASK-004";
          "TASK-003" -> "TASK-004";
          "TASK-006" -> "TASK-005";
          "TASK-005" -> "TASK-006";
          "TASK-099" -> "TASK-007";
          "TASK-006" -> "TASK-008";
        }
        "#);
    }
}
