//! A graph in the language of Mermaid.

use typeset::text::visible;

use super::data::{GraphNode, TaskGraph};
use crate::TaskStatus;

/// The colours of each status, readable on light and dark pages.
const CLASSES: &str = concat!(
    "  classDef done fill:#d5f5d5,color:#222\n",
    "  classDef progress fill:#d5e8f5,color:#222\n",
    "  classDef blocked fill:#f5d5d5,color:#222\n",
    "  classDef ready fill:#f9f5d0,color:#222\n",
    "  classDef missing stroke-dasharray:4\n",
);

/// An arrow leads from a dependency to its dependent.
pub(super) fn render(graph: &TaskGraph) -> String {
    let nodes = graph.nodes.iter().map(node);
    let edges = graph.edges().map(|(need, node)| format!("  {} --> {}\n", name(need), name(node)));
    let lines: String = nodes.chain(edges).collect();
    format!("graph TD\n{lines}{CLASSES}")
}

fn node(node: &GraphNode) -> String {
    let title = match &node.known {
        Some(known) => format!("{}: {}", node.id, known.title),
        None => format!("{} (does not exist)", node.id),
    };
    let class = class(node).map(|class| format!(":::{class}")).unwrap_or_default();
    format!("  {}[\"{}\"]{class}\n", name(node), escaped(&title))
}

fn class(node: &GraphNode) -> Option<&'static str> {
    let Some(known) = &node.known else { return Some("missing") };
    match known.status {
        TaskStatus::ToDo => known.is_ready.then_some("ready"),
        TaskStatus::InProgress => Some("progress"),
        TaskStatus::Blocked => Some("blocked"),
        TaskStatus::Done => Some("done"),
    }
}

/// A name that no arrow can be read into. A letter in front keeps it from being a keyword.
fn name(node: &GraphNode) -> String {
    let plain = node.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("t_{}", plain.collect::<String>())
}

/// Entities for whatever ends a label or means something in it.
fn escaped(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::super::sample::graph;
    use super::*;

    #[test]
    fn a_graph_can_be_drawn() {
        insta::assert_snapshot!(render(&graph()), @r#"
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
