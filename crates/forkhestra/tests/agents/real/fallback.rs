//! A usage limit of the real Claude Code, after which the real Codex does the work.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use testkit::{AgentClient, ModelTurn, ProviderFault};

use super::real_agent_project::RealAgentProject;

#[test]
fn codex_takes_over_from_claude_at_its_usage_limit() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs();
    let turns = vec![
        ProviderFault::UsageLimit { resets: now + 7200 }.turn(AgentClient::Claude),
        ModelTurn::text("I will write.").shell(AgentClient::Codex, "echo done > made.txt"),
        ModelTurn::text("The work is done.\nFORKHESTRA_COMPLETE\n"),
    ];
    let Some(stage) = RealAgentProject::new(AgentClient::Claude, turns) else { return };
    let stage = stage
        .with_other_agent(AgentClient::Codex)
        .set("ANTHROPIC_API_KEY", "")
        .set("CLAUDE_CODE_OAUTH_TOKEN", "dummy-token");
    let output = stage.run(&["worker:3", "--fallback", "codex"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stage.outcomes(), ["usage_limit", "finished"], "{output}");
    assert_eq!(stage.world.env.read("made.txt"), "done\n");
    let started = stage.world.all("iteration_started");
    assert_eq!(started.len(), 2, "{output}");
    assert_eq!(started[0].get("fallback"), None, "{output}");
    assert_eq!(started[1]["fallback"]["backend"], json!("codex"), "{output}");
    assert_eq!(stage.world.all("waiting").len(), 0, "{output}");
}
