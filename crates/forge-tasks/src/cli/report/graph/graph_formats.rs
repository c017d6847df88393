//! A graph in one of its formats: for Graphviz, Mermaid, as JSON and in lines.

use serde::Serialize;
use typeset::text::visible;

use crate::TaskStatus;
use crate::cli::args::{GraphFormat, TasksOutputFormat};
use crate::cli::report::graph::graph_tree;
use crate::cli::report::graph::task_graph::{GraphNode, TaskGraph};
use crate::cli::report::plain;

/// Renders a graph in the requested format. JSON takes precedence. Only the tree is limited to a
/// width.
pub(crate) fn graph(
    graph: &TaskGraph,
    language: GraphFormat,
    format: TasksOutputFormat,
    columns: Option<usize>,
) -> String {
    match (format, language) {
        (TasksOutputFormat::Json, _) => render_json(graph),
        (_, GraphFormat::Dot) => render_dot(graph),
        (_, GraphFormat::Mermaid) => render_mermaid(graph),
        (TasksOutputFormat::Plain, GraphFormat::Text) => render_lines(graph),
        (TasksOutputFormat::Human, GraphFormat::Text) => graph_tree::render_tree(graph, columns),
    }
}

/// An arrow leads from a dependency to its dependent.
pub(crate) fn render_dot(graph: &TaskGraph) -> String {
    let nodes = graph.nodes.iter().map(dot_node);
    let edges = graph
        .edges()
        .map(|(need, node)| format!("  {} -> {};\n", dot_quoted(&need.id), dot_quoted(&node.id)));
    let lines: String = nodes.chain(edges).collect();
    format!("digraph tasks {{\n  node [shape=box, style=filled, fillcolor=white];\n{lines}}}\n")
}

fn dot_node(node: &GraphNode) -> String {
    let id = dot_quoted(&node.id);
    match &node.known {
        Some(known) => {
            let label = format!("{}\\n{}", dot_escaped(&node.id), dot_escaped(&known.title));
            let color = match known.status {
                TaskStatus::ToDo if known.is_ready => "lightyellow",
                TaskStatus::ToDo => "white",
                TaskStatus::InProgress | TaskStatus::Landing => "lightblue",
                TaskStatus::Blocked => "lightpink",
                TaskStatus::Done => "palegreen",
            };
            format!("  {id} [label=\"{label}\", fillcolor={color}];\n")
        }
        None => {
            let label = format!("{}\\n(does not exist)", dot_escaped(&node.id));
            format!("  {id} [label=\"{label}\", style=dashed];\n")
        }
    }
}

fn dot_quoted(text: &str) -> String {
    format!("\"{}\"", dot_escaped(text))
}

fn dot_escaped(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// The colours of each status, readable on light and dark pages.
const CLASSES: &str = concat!(
    "  classDef done fill:#d5f5d5,color:#222\n",
    "  classDef progress fill:#d5e8f5,color:#222\n",
    "  classDef blocked fill:#f5d5d5,color:#222\n",
    "  classDef ready fill:#f9f5d0,color:#222\n",
    "  classDef missing stroke-dasharray:4\n",
);

/// An arrow leads from a dependency to its dependent.
pub(crate) fn render_mermaid(graph: &TaskGraph) -> String {
    let nodes = graph.nodes.iter().map(mermaid_node);
    let edges = graph
        .edges()
        .map(|(need, node)| format!("  {} --> {}\n", mermaid_name(need), mermaid_name(node)));
    let lines: String = nodes.chain(edges).collect();
    format!("graph TD\n{lines}{CLASSES}")
}

fn mermaid_node(node: &GraphNode) -> String {
    let title = match &node.known {
        Some(known) => format!("{}: {}", node.id, known.title),
        None => format!("{} (does not exist)", node.id),
    };
    let class = mermaid_class(node).map(|class| format!(":::{class}")).unwrap_or_default();
    format!("  {}[\"{}\"]{class}\n", mermaid_name(node), mermaid_escaped(&title))
}

fn mermaid_class(node: &GraphNode) -> Option<&'static str> {
    let Some(known) = &node.known else { return Some("missing") };
    match known.status {
        TaskStatus::ToDo => known.is_ready.then_some("ready"),
        TaskStatus::InProgress | TaskStatus::Landing => Some("progress"),
        TaskStatus::Blocked => Some("blocked"),
        TaskStatus::Done => Some("done"),
    }
}

/// A name that no arrow can be read into. A letter in front keeps it from being a keyword.
fn mermaid_name(node: &GraphNode) -> String {
    let plain = node.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("t_{}", plain.collect::<String>())
}

/// Entities for whatever ends a label or means something in it.
fn mermaid_escaped(text: &str) -> String {
    let mut label = String::new();
    for character in visible(text).chars() {
        match character {
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' => {
                label.push_str(&format!("#{};", u32::from(character)));
            }
            other => label.push(other),
        }
    }
    label
}

#[derive(Serialize)]
struct JsonGraph<'a> {
    nodes: Vec<JsonNode<'a>>,
    edges: Vec<JsonEdge<'a>>,
}

/// A task that does not exist has neither a title nor a status.
#[derive(Serialize)]
struct JsonNode<'a> {
    id: &'a str,
    title: Option<&'a str>,
    status: Option<&'static str>,
}

/// `from` must be done before `to`.
#[derive(Serialize)]
struct JsonEdge<'a> {
    from: &'a str,
    to: &'a str,
}

pub(crate) fn render_json(graph: &TaskGraph) -> String {
    let nodes = graph.nodes.iter().map(|node| JsonNode {
        id: &node.id,
        title: node.known.as_ref().map(|known| known.title.as_str()),
        status: node.known.as_ref().map(|known| known.status.name()),
    });
    let edges = graph.edges().map(|(need, node)| JsonEdge { from: &need.id, to: &node.id });
    super::super::json::object(&JsonGraph { nodes: nodes.collect(), edges: edges.collect() })
}

/// `ID | Status or - | ids of its dependencies, or -`. A task that does not exist has no status.
pub(crate) fn render_lines(graph: &TaskGraph) -> String {
    let rows = graph.nodes.iter().map(|node| {
        let needs: Vec<&str> =
            node.needs.iter().map(|need| graph.nodes[*need].id.as_str()).collect();
        let needs = if needs.is_empty() { "-".to_owned() } else { needs.join(",") };
        plain::row(&[
            &node.id,
            node.known.as_ref().map_or("-", |known| known.status.name()),
            &needs,
        ])
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::report::graph::sample::graph;

    #[test]
    fn a_graph_is_rendered_as_dot() {
        insta::assert_snapshot!(render_dot(&graph()), @r#"
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

#[cfg(test)]
mod mermaid_tests {
    use super::*;
    use crate::cli::report::graph::sample::graph;

    #[test]
    fn a_graph_is_rendered_as_mermaid() {
        insta::assert_snapshot!(render_mermaid(&graph()), @r#"
        graph TD
          t_TASK_001["TASK-001: Title of TASK-001"]:::done
          t_TASK_002["TASK-002: Title of TASK-002"]:::progress
          t_TASK_003["TASK-003: Title of TASK-003"]:::ready
          t_TASK_004["TASK-004: Title of TASK-004"]
          t_TASK_005["TASK-005: Title of TASK-005"]
          t_TASK_006["TASK-006: Title of TASK-006"]
          t_TASK_007["TASK-007: Say #34;hi#34; to #60;b#62; #35;1 #96;x#96; #92; #92;u{1b}[2J#92;nyou"]:::blocked
          t_TASK_008["TASK-008: Title of TASK-008"]
          t_TASK_009["TASK-009: Title of TASK-009"]:::ready
          t_TASK_099["TASK-099 (does not exist)"]:::missing
          t_TASK_001 --> t_TASK_002
          t_TASK_001 --> t_TASK_003
          t_TASK_002 --> t_TASK_004
          t_TASK_003 --> t_TASK_004
          t_TASK_006 --> t_TASK_005
          t_TASK_005 --> t_TASK_006
          t_TASK_099 --> t_TASK_007
          t_TASK_006 --> t_TASK_008
          classDef done fill:#d5f5d5,color:#222
          classDef progress fill:#d5e8f5,color:#222
          classDef blocked fill:#f5d5d5,color:#222
          classDef ready fill:#f9f5d0,color:#222
          classDef missing stroke-dasharray:4
        "#);
    }
}

#[cfg(test)]
mod json_tests {
    use super::*;
    use crate::cli::report::graph::sample::leases;
    use crate::cli::report::graph::sample::listing;
    use crate::cli::report::graph::sample::task;

    #[test]
    fn a_graph_is_rendered_as_json_nodes_and_edges() {
        let all = [task("TASK-001", &[]), task("TASK-002", &["TASK-001", "TASK-009"])];
        insta::assert_snapshot!(render_json(&TaskGraph::new(&listing(&all), leases())), @r#"
        {
          "nodes": [
            {
              "id": "TASK-001",
              "title": "Title of TASK-001",
              "status": "To Do"
            },
            {
              "id": "TASK-002",
              "title": "Title of TASK-002",
              "status": "To Do"
            },
            {
              "id": "TASK-009",
              "title": null,
              "status": null
            }
          ],
          "edges": [
            {
              "from": "TASK-001",
              "to": "TASK-002"
            },
            {
              "from": "TASK-009",
              "to": "TASK-002"
            }
          ]
        }
        "#);
    }
}

#[cfg(test)]
mod lines_tests {
    use super::*;
    use crate::cli::report::graph::sample::graph;

    #[test]
    fn a_graph_is_rendered_with_one_line_per_task() {
        insta::assert_snapshot!(render_lines(&graph()), @"
        TASK-001 | Done | -
        TASK-002 | In Progress | TASK-001
        TASK-003 | To Do | TASK-001
        TASK-004 | To Do | TASK-002,TASK-003
        TASK-005 | To Do | TASK-006
        TASK-006 | To Do | TASK-005
        TASK-007 | Blocked | TASK-099
        TASK-008 | To Do | TASK-006
        TASK-009 | To Do | -
        TASK-099 | - | -
        ");
    }
}
