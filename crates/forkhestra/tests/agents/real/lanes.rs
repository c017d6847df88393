//! Real agents in lanes: two clones at once, a conflict that one of them repairs, and the user's work
//! tree in the end.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;

use serde_json::json;
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
        ModelTurn::text("I wait.").shell(agent, "sleep 0.1; echo lane=$FORKHESTRA_LANE.")
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
    let git = |args: &str| {
        stage.world.env.run("/bin/sh", &["-c", &format!("git {args}")]).success().trim().to_owned()
    };
    assert_eq!(git("status --porcelain"), "", "{output}");
    assert_eq!(git("symbolic-ref --short HEAD"), "main");
    assert!(git("log --format=%an").lines().all(|author| author == "Ada"), "{output}");
    assert_eq!(git("branch --list").lines().count(), 1, "{output}");
    assert_eq!(stage.world.all("landing_refused").len(), 1, "{output}");
    assert_eq!(stage.world.all("work_parked").len(), 0, "{output}");
    let landed: usize = stage
        .world
        .all("landed")
        .iter()
        .map(|event| event["landed"].as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(landed, 2, "{output}");

    // The agents knew of no other directory than that of their lane.
    let places = ["1", "2"].map(|lane| stage.world.env.read(&format!("where-{lane}.txt")));
    let places = places.map(|place| place.trim().to_owned());
    assert!(places.iter().all(|place| place.contains("/lanes/")), "{places:?}");
    assert_ne!(places[0], places[1]);
    let project = stage.world.env.project().canonicalize().expect("it is there");
    let project = project.display().to_string();
    for request in stage.server.main_requests().iter().skip(1) {
        let body = request.body.to_string();
        assert!(places.iter().any(|place| body.contains(place)), "{body}");
        assert!(!body.contains(&project), "{body}");
    }
}
