//! Built-in chains and agents in the report of `list`, one line each.

use forkhestra_core::plan::{AgentSummary, ChainSummary};
use typeset::style::{DIM, NAME, WARNING, paint};
use typeset::table::{TableCell, indented};
use typeset::text::visible;

use super::list::adjusted;
use super::step::{kind, missing_program};

/// Built-in chains that no other chain hides.
pub(crate) fn chains(chains: &[&ChainSummary]) -> String {
    let row = |chain: &&ChainSummary| {
        let needed: String = chain.variables.iter().map(|name| format!(" {name}=…")).collect();
        let needs = if needed.is_empty() { "" } else { ", needs" };
        let definition = format!("{}{needs}{needed}", visible(&chain.definition));
        vec![TableCell::painted(visible(&chain.name), NAME), TableCell::new(definition)]
    };
    let rows: Vec<Vec<TableCell>> = chains.iter().map(row).collect();
    let mut text = format!("Built-in chains:\n{}", indented(&rows, "  "));
    for chain in chains {
        let name = visible(&chain.name);
        for problem in &chain.problems {
            let cannot = paint(WARNING, "cannot run");
            text.push_str(&format!("  {name} {cannot}: {}\n", visible(problem)));
        }
    }
    text
}

/// Built-in agents that no other agent hides. All use the same agent program unless the config
/// adjusts one of them.
pub(crate) fn agents(agents: &[&AgentSummary]) -> String {
    let is_usual = |summary: &&&AgentSummary| !summary.agent.adjusted.contains_key("backend");
    let usual = agents.iter().find(is_usual).or_else(|| agents.first());
    let Some(first) = usual else { return String::new() };
    let row = |summary: &&AgentSummary| {
        let description = summary.description.unwrap_or_default();
        vec![TableCell::painted(visible(&summary.agent.name), NAME), TableCell::new(description)]
    };
    let rows: Vec<Vec<TableCell>> = agents.iter().map(row).collect();
    let mut text = format!("Built-in agents, {}:\n{}", kind(&first.agent), indented(&rows, "  "));
    for summary in agents {
        let name = visible(&summary.agent.name);
        if let Some(source) = &summary.default_prompt {
            let source = paint(DIM, &format!("[{}]", visible(&source.to_string())));
            text.push_str(&format!("  {name} has a default prompt  {source}\n"));
        }
        if let Some(adjusted) = adjusted(&summary.agent) {
            text.push_str(&format!("  {name} is {adjusted}\n"));
        }
        if let Some(note) = &summary.name_note {
            text.push_str(&format!("  {name}: {}\n", visible(note)));
        }
        for problem in &summary.problems {
            let cannot = paint(WARNING, "cannot run");
            text.push_str(&format!("  {name} {cannot}: {}\n", visible(problem)));
        }
    }
    if let Some(missing) = missing_program(&first.agent.kind) {
        text.push_str(&format!("  {}\n", paint(WARNING, &missing)));
    }
    text
}
