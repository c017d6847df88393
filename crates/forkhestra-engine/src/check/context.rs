//! The input of a check.

use forkhestra_core::id::UnitId;
use serde_json::{Value, json};

use super::agent_text_tail::{AgentTextTail, read_agent_text_tail};
use super::marker::unreadable;
use crate::aux_job::aux_job_command::{AuxJobContext, AuxJobFacts};

/// The JSON that a check reads: the context of its iteration, with the tail of the agent's text.
pub(crate) fn context(
    facts: &AuxJobFacts<'_>,
    job_context: &AuxJobContext<'_>,
) -> Result<Value, String> {
    let text_of =
        |unit: UnitId| read_agent_text_tail(unit, job_context).map_err(|error| unreadable(&error));
    let AgentTextTail { text, is_cut } =
        facts.unit.map_or_else(|| Ok(AgentTextTail::default()), text_of)?;
    Ok(json!({
        "workDir": job_context.directory().to_string_lossy(),
        "projectDir": job_context.project().to_string_lossy(),
        "cleanRoom": job_context.room.is_some(),
        "runId": job_context.state.run.as_str(),
        "agent": facts.agent,
        "step": facts.step,
        "iteration": facts.unit.map(|unit| unit.iteration),
        "attempt": facts.unit.map(|unit| unit.attempt),
        "maxIterations": facts.max_iterations,
        "exitCode": facts.exit_code(),
        "agentOutput": text,
        "agentOutputTruncated": is_cut,
        "agentOutputLog": facts.log.as_ref().map(|log| log.to_string_lossy()),
    }))
}
