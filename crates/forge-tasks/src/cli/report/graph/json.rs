//! A graph as JSON.

use serde::Serialize;

use super::data::TaskGraph;

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

pub(super) fn render(graph: &TaskGraph) -> String {
    let nodes = graph.nodes.iter().map(|node| JsonNode {
        id: &node.id,
        title: node.known.as_ref().map(|known| known.title.as_str()),
        status: node.known.as_ref().map(|known| known.status.name()),
    });
    let edges = graph.edges().map(|(need, node)| JsonEdge { from: &need.id, to: &node.id });
    super::super::json::object(&JsonGraph { nodes: nodes.collect(), edges: edges.collect() })
}

#[cfg(test)]
mod tests {
    use super::super::sample::{leases, listing, task};
    use super::*;

    #[test]
    fn a_graph_is_nodes_and_edges() {
        let all = [task("TASK-001", &[]), task("TASK-002", &["TASK-001", "TASK-009"])];
        insta::assert_snapshot!(render(&TaskGraph::new(&listing(&all), leases())), @r#"
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
