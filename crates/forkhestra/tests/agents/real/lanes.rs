//! Real agents in lanes: two clones at once, a conflict that one of them repairs, and the user's work
//! tree in the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use std::sync::Mutex;

use serde_json::{Value, json};
use testkit::{AgentClient, HttpRequest, ModelServer, ModelTurn, report_skipped};

use super::for_each_agent;
use super::past_work::with_repository;
use super::real_agent_project::RealAgentProject;

for_each_agent!(two_lanes_conflict_and_both_land, two_lanes_conflict_and_both_land_in_a_sandbox);

/// Both lanes add this file with different content.
const WRITE: &str = "pwd > where-$FORKHESTRA_LANE.txt; echo $FORKHESTRA_LANE > lines.txt; \
                     git add -A; git commit -q -m Write; echo written";

/// What the feedback about a conflict asks for. Both lines stay.
const MERGE: &str = "git merge -q refs/forkhestra/integration; \
                     sed -i -e '/^<<<<<<</d' -e '/^=======/d' -e '/^>>>>>>>/d' lines.txt; \
                     git add -A; git commit -q -m Merge; echo merged";

const CONFLICT: &str = "Your commits conflict with work that other agents have landed since:";

/// More polls than any agent needs while it waits for the other one.
const MAX_POLLS: usize = 60;

/// What the model knows of both conversations.
#[derive(Debug, Default)]
struct Lanes {
    /// Whether the agent of the first step, which has no lane, has not asked yet.
    is_alone: bool,
    seen: BTreeSet<char>,
    written: BTreeSet<char>,
    is_merged: bool,
}

impl Lanes {
    fn new() -> Self {
        Self { is_alone: true, ..Self::default() }
    }

    /// Both lanes write before either lands, and the one that has landed waits for the other.
    fn respond(&mut self, agent: AgentClient, request: &HttpRequest) -> ModelTurn {
        let results = request.tool_results();
        if self.is_alone {
            self.is_alone = false;
            return ModelTurn::text("I have a look.");
        }
        let Some(last) = results.last() else {
            return match request.body.to_string().contains(CONFLICT) {
                true => ModelTurn::text("I merge.").shell(agent, MERGE),
                false => ModelTurn::text("I look.").shell(agent, "echo lane=$FORKHESTRA_LANE."),
            };
        };
        if last.contains("merged") {
            self.is_merged = true;
            return ModelTurn::text("Both lines are there.\nFORKHESTRA_COMPLETE\n");
        }
        let lane = last.split("lane=").nth(1).and_then(|after| after.chars().next());
        let Some(lane) = lane.filter(|_| results.len() < MAX_POLLS) else {
            return ModelTurn::text("It is committed.");
        };
        self.seen.insert(lane);
        if self.is_merged {
            return ModelTurn::text("Nothing is left to do.\nFORKHESTRA_COMPLETE\n");
        }
        if self.seen.len() == 2 && self.written.insert(lane) {
            return ModelTurn::text("I write.").shell(agent, WRITE);
        }
        ModelTurn::text("I wait.").shell(agent, "sleep 0.5; echo lane=$FORKHESTRA_LANE.")
    }
}

fn two_lanes_conflict_and_both_land(agent: AgentClient) {
    conflict_in_two_lanes(agent, "off");
}

fn two_lanes_conflict_and_both_land_in_a_sandbox(agent: AgentClient) {
    let tried = Command::new("bwrap").args(["--ro-bind", "/", "/", "true"]).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        report_skipped("bubblewrap does not work here");
        return;
    }
    conflict_in_two_lanes(agent, "workspace");
}

#[test]
fn four_agent_programs_work_at_once() {
    let server = ModelServer::start_with_responder(|request| {
        let agent = request.agent().unwrap_or(AgentClient::Claude);
        let name = agent.name();
        let write =
            format!("echo {name} > {name}.txt; git add {name}.txt; git commit -q -m {name}");
        match request.tool_results().as_slice() {
            [] => ModelTurn::text("I write.").shell(agent, &write),
            _ => ModelTurn::text("It is committed.\nFORKHESTRA_COMPLETE\n"),
        }
    });
    let claude = RealAgentProject::with_server(AgentClient::Claude, &json!({}), server);
    let Some(mut stage) = claude else { return };
    let others = AgentClient::ALL.into_iter().filter(|agent| *agent != AgentClient::Claude);
    for agent in others {
        stage = stage.with_other_agent(agent);
    }
    let branches = AgentClient::ALL.map(|agent| format!("by-{}:2", agent.name()));
    let agents = AgentClient::ALL.map(|agent| {
        let definition = json!({
            "backend": agent.name(), "model": agent.model(), "systemPromptText": "You are a worker.",
        });
        (format!("by-{}", agent.name()), definition)
    });
    let agents: BTreeMap<String, Value> = agents.into();
    let config = json!({ "agents": agents, "chains": {} });
    stage.world.env.write("forge/orch/chains.json", config.to_string());
    let stage = with_repository(stage);
    let chain = format!("({})", branches.join(" | "));
    let output = stage.run(&[&chain, "-p", "Write your name."]);
    assert_eq!(output.code, Some(0), "{output}");
    for agent in AgentClient::ALL {
        let name = agent.name();
        let text = stage.world.env.read(&format!("{name}.txt"));
        assert_eq!(text, format!("{name}\n"), "{output}");
    }
    assert_eq!(landed_work(&stage), 4, "{output}");
    assert_eq!(git(&stage, "status --porcelain"), "", "{output}");
}

fn conflict_in_two_lanes(agent: AgentClient, sandbox: &str) {
    let lanes = Mutex::new(Lanes::new());
    let server = ModelServer::start_with_responder(move |request| {
        lanes.lock().expect("no test panics while it responds").respond(agent, request)
    });
    let Some(stage) = RealAgentProject::with_server(agent, &json!({}), server) else { return };
    let stage = with_repository(stage);
    // The first one works alone: two opencode that are started for the first time in a home create its
    // database twice, and one of them fails.
    let mut command = stage.command(&["worker -> worker:4 x2", "-p", "Write a line."]);
    let output = stage.world.env.output_of(command.env("FORKHESTRA_SANDBOX", sandbox));
    assert_eq!(output.code, Some(0), "{output}");

    // The user's work tree has the work of both.
    let mut lines: Vec<String> =
        stage.world.env.read("lines.txt").lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["1", "2"], "{output}");
    assert_eq!(git(&stage, "status --porcelain"), "", "{output}");
    assert_eq!(git(&stage, "symbolic-ref --short HEAD"), "main");
    assert!(git(&stage, "log --format=%an").lines().all(|author| author == "Ada"), "{output}");
    assert_eq!(git(&stage, "branch --list").lines().count(), 1, "{output}");
    assert_eq!(stage.world.all("landing_refused").len(), 1, "{output}");
    assert_eq!(stage.world.all("work_parked").len(), 0, "{output}");
    assert_eq!(landed_work(&stage), 2, "{output}");

    // The agents knew of no other directory than that of their lane.
    let project = stage.world.env.project().canonicalize().expect("it is there");
    let places = ["where-1.txt", "where-2.txt"].map(|name| {
        let place = fs::read_to_string(project.join(name)).expect("both lanes wrote it");
        place.trim().to_owned()
    });
    assert!(places.iter().all(|place| place.contains("/lanes/")), "{places:?}");
    assert_ne!(places[0], places[1]);
    let project = project.display().to_string();
    for request in stage.server.main_requests().iter().skip(1) {
        let body = request.body.to_string();
        assert!(places.iter().any(|place| body.contains(place)), "{body}");
        assert!(!body.contains(&project), "{body}");
    }
}

/// How many works of lanes have landed.
fn landed_work(stage: &RealAgentProject) -> usize {
    let landings = stage.world.all("landed");
    landings.iter().map(|event| event["landed"].as_array().map_or(0, Vec::len)).sum()
}

fn git(stage: &RealAgentProject, args: &str) -> String {
    let output = stage.world.env.run("/bin/sh", &["-c", &format!("git {args}")]).success();
    output.trim().to_owned()
}
