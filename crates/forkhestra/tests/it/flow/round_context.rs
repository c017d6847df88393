//! What programs beside the agents get to know of rounds: checks, conditions and hooks.

use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{DONE, events, run};

/// A check of a group is about the rounds of that group, also if its last stage is a group.
#[test]
fn checks_and_conditions_get_the_round_of_their_own_group() {
    let note = |name: &str| {
        format!("echo {name} ${{FORKHESTRA_ROUND-no}}/${{FORKHESTRA_MAX_ROUNDS-no}} >> ../rounds")
    };
    let env = project(&format!(
        r#"{{ "chains": {{ "night": {{ "steps": [
            {{ "group": [
                {{ "agent": "work", "iterations": 2 }},
                {{ "group": [ {{ "agent": "work", "iterations": 2, "if": "command:{step}" }},
                              {{ "agent": "ci" }} ],
                   "rounds": 3, "if": "command:{inner_if}",
                   "checks": [ "command:{inner}; test $FORKHESTRA_ROUND = 2" ] }} ],
               "rounds": 4, "if": "command:{outer_if}",
               "checks": [ "command:{outer}; test $FORKHESTRA_ROUND = 2" ] }} ] }} }} }}"#,
        step = note("step"),
        inner = note("inner"),
        inner_if = note("inner-if"),
        outer = note("outer"),
        outer_if = note("outer-if"),
    ));
    env.agent("work", &format!("echo line >> work\n{DONE}")).agent("ci", "exit 0");
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    let rounds = env.read("../rounds");
    let in_round = ["step 1/3", "inner 1/3", "step 2/3", "inner 2/3"];
    let expected = [
        &["outer-if no/no", "inner-if 1/4"][..],
        &in_round,
        &["outer 1/4", "inner-if 2/4"],
        &in_round,
        &["outer 2/4"],
    ];
    assert_eq!(rounds.lines().collect::<Vec<_>>(), expected.concat());
}

/// The end of the last step is not that of its group.
#[test]
fn final_hooks_get_the_end_of_the_group() {
    for (steps, expected) in [
        (r#""(work:2 -> no):2""#, "on-failure max_rounds max_rounds"),
        (r#""(idle:2 -> no):5""#, "on-stagnation stagnated cycling"),
        (
            r#"[{ "group": "work:2 -> idle", "rounds": 2, "checks": ["file:nope"] }]"#,
            "on-failure max_rounds max_rounds",
        ),
        (r#""(work:2 -> no):2 else no""#, "on-failure failed failed"),
    ] {
        let hook = |point: &str| {
            format!(r#""{point}": "echo {point} $FORKHESTRA_STATUS $FORKHESTRA_REASON > ../ended""#)
        };
        let env = with_hooks(steps, &[hook("on-failure"), hook("on-stagnation")].join(", "));
        let output = run(&env, &["--chain", "night"]);
        assert_eq!(output.code, Some(1), "{output}");
        assert_eq!(env.read("../ended").trim_end(), expected, "{output}");
        let recorded = &events(&env, "run_finished")[0]["end"]["reason"];
        assert_eq!(expected.rsplit(' ').next(), recorded.as_str(), "{output}");
    }
}

fn with_hooks(steps: &str, hooks: &str) -> TestEnv {
    let env = project(&format!(
        r#"{{ "chains": {{ "night": {{ "steps": {steps}, "hooks": {{ {hooks} }} }} }} }}"#
    ));
    env.agent("work", &format!("echo line >> work\n{DONE}"));
    env.agent("idle", DONE).agent("no", "exit 1");
    env
}
