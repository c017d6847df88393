//! A graph for programs that read lines.

use super::data::TaskGraph;
use crate::cli::report::plain;

/// `ID | Status or - | ids of its dependencies, or -`. A task that does not exist has no status.
pub(super) fn render(graph: &TaskGraph) -> String {
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
    use super::super::sample::graph;
    use super::*;

    #[test]
    fn a_graph_is_a_line_a_task() {
        insta::assert_snapshot!(render(&graph()), @"
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
