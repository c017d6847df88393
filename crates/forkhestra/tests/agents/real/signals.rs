//! Interrupting an agent in the middle of its work leaves nothing behind.

use rustix::process::Signal;
use testkit::{AgentClient, ModelTurn, eventually};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

for_each_agent!(an_interrupt_in_the_middle_of_a_tool_leaves_nothing);

fn an_interrupt_in_the_middle_of_a_tool_leaves_nothing(agent: AgentClient) {
    let turns = vec![
        ModelTurn::text("I will wait.").shell(agent, "touch up && sleep 1000"),
        ModelTurn::text("Done.").shell(agent, "echo hi > made.txt"),
        ModelTurn::text("FORKHESTRA_COMPLETE"),
    ];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    let run = stage.start(&["worker:5"]);
    eventually("the tool is at work", || stage.world.env.has("up").then_some(()));
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    let verdict = &stage.world.all("iteration_finished")[0]["verdict"]["kind"];
    assert_eq!(verdict, "interrupted", "an exit code of 0 after SIGINT is no success: {output}");
    // The iteration is retried. The project checks for leftover processes when it is dropped.
    let resumed = stage.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(stage.world.env.read("made.txt"), "hi\n");
}
