//! Groups, questions, alternatives and conditions in plans.

use super::*;
use crate::check::CheckSpec;
use crate::diagnostic::Diagnostic;
use crate::limit::{Limit, LimitChanges};

fn host() -> FakeHost {
    FakeHost::default().with_program("a").with_program("b").with_program("c")
}

fn flow(plan: &Plan) -> String {
    serde_json::to_string(&plan.flow).expect("a flow is JSON")
}

#[test]
fn a_plain_chain_has_no_flow() {
    let built = plan(&dsl("a -> b:3"), &config("", "", ""), &host());
    assert_eq!(built.flow, None);
    let json = serde_json::to_value(&built).expect("a plan is JSON");
    for member in ["flow", "approvesAll"] {
        assert!(json.get(member).is_none(), "{member}");
    }
    for member in ["roundChecks", "conditions", "decidesRound"] {
        assert!(json["steps"][0].get(member).is_none(), "{member}");
    }
}

#[test]
fn the_flow_is_a_tree_of_step_numbers() {
    let built = plan(&dsl("a -> ? -> (b:5 -> c):3 else a:2"), &config("", "", ""), &host());
    assert_eq!(
        flow(&built),
        r#"[{"step":1},{"step":2},{"alternatives":[[{"group":{"number":1,"rounds":3,"stages":[{"step":3},{"step":4}]}}],[{"step":5}]]}]"#
    );
    let names: Vec<&str> = built.steps.iter().map(|step| step.agent.name.as_str()).collect();
    assert_eq!(names, ["a", "?", "b", "c", "a"]);
    let numbers: Vec<usize> = built.steps.iter().map(|step| step.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    let deciding: Vec<bool> = built.steps.iter().map(|step| step.decides_round).collect();
    assert_eq!(deciding, [false, false, false, true, false]);
    let json = serde_json::to_string(&built).expect("a plan is JSON");
    let read: Plan = serde_json::from_str(&json).expect("a plan");
    assert_eq!(read, built);
}

#[test]
fn an_alternative_replaces_the_whole_part_before_it() {
    for (text, (step, other), expected) in [
        ("a else b", (2, 1), vec![1]),
        ("a else b else c", (3, 2), vec![2]),
        ("(a -> b):2 else c -> a", (3, 2), vec![1, 2]),
        ("((a -> b else c):2 -> a) else b", (5, 3), vec![1, 2, 3, 4]),
        ("((a -> b else c):2 -> a) else b", (3, 2), vec![2]),
    ] {
        let built = plan(&dsl(text), &config("", "", ""), &host());
        assert_eq!(built.replaced_steps(step, other), expected, "{text}");
    }
}

#[test]
fn the_definition_is_the_chain_in_one_line() {
    for text in [
        "a -> b:3",
        "a -> ? -> b",
        "(a:5 -> b):3",
        "a:2 else b else c:3",
        "(a -> (b:2 -> c):3):4 else b",
        "a -> (b -> c) else a",
    ] {
        assert_eq!(plan(&dsl(text), &config("", "", ""), &host()).definition, text);
    }
    let steps = r#"{"agent": "a", "else": [{"agent": "b"}, {"agent": "c", "iterations": 2}]},
                   {"group": [{"agent": "b"}]}, {"ask": "Well?"}"#;
    let built = plan(&chain("c"), &config("", "", steps), &host());
    assert_eq!(built.definition, "a else (b -> c:2) -> b -> ?");
}

#[test]
fn entries_and_text_give_the_same_flow() {
    let text = r#"{"chains": {"c": {"steps": "a:3 -> ? -> (b:5 -> c):3 else a"}}}"#;
    let entries = r#"{"agent": "a", "iterations": 3}, {"ask": "Is it right?", "timeout": "2h", "onTimeout": "approve"},
                     {"group": [{"agent": "b", "iterations": 5}, {"agent": "c"}], "rounds": 3,
                      "else": {"agent": "a"}}"#;
    let of_text = plan(&chain("c"), &project(text), &host());
    let of_entries = plan(&chain("c"), &config("", "", entries), &host());
    assert_eq!(of_text.flow, of_entries.flow);
    assert_eq!(of_text.definition, of_entries.definition);
    let question = of_entries.steps[1].question().expect("it is a question");
    assert_eq!(question.text.as_deref(), Some("Is it right?"));
    assert!(question.approves_on_timeout);
    assert_eq!(of_text.steps[1].question().and_then(|of| of.text.clone()), None);
}

#[test]
fn variables_of_a_question_are_substituted() {
    let layers = config("", "", r#"{"agent": "a"}, {"ask": "Release ${VERSION}?"}"#);
    let request = with_variables(chain("c"), &["VERSION=1.2"]);
    let built = plan(&request, &layers, &host());
    let question = built.steps[1].question().expect("it is a question");
    assert_eq!(question.text.as_deref(), Some("Release 1.2?"));
    let missing = errors(&chain("c"), &layers, &host());
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(missing[0].contains("VERSION"), "{missing:?}");
}

#[test]
fn checks_of_a_group_belong_to_the_steps_that_decide() {
    let steps = r#"{"group": [{"agent": "a", "iterations": 2},
                              {"agent": "b", "checks": ["exit-code"], "else": {"agent": "c"}}],
                    "rounds": 3, "checks": ["command:make ci"]}"#;
    let built = plan(&chain("c"), &config("", "", steps), &host());
    let checks: Vec<Vec<String>> = built
        .steps
        .iter()
        .map(|step| step.all_checks().map(|check| check.value.check.to_string()).collect())
        .collect();
    assert_eq!(checks[0], [""; 0]);
    assert_eq!(checks[1], ["exit-code", "command:\"make ci\""]);
    assert_eq!(checks[2], ["command:\"make ci\""]);
    assert_eq!(built.steps[1].round_check_numbers(1), [2]);
    let second = built.steps[1].check(2).map(|check| &check.value.check);
    assert_eq!(second, Some(&CheckSpec::Command("make ci".to_owned())));
}

/// A person's approval would be taken for a refusal in each round.
#[test]
fn a_check_about_an_agent_is_refused_if_a_question_decides() {
    for last in [
        r#"{"ask": "q"}"#,
        r#"{"agent": "b", "else": {"ask": "q"}}"#,
        r#"{"group": [{"agent": "b"}, {"ask": "q"}]}"#,
    ] {
        let group = |checks: &str| {
            let group = format!(r#"{{"agent": "a"}}, {last}"#);
            config("", "", &format!(r#"{{"group": [{group}], "rounds": 2, "checks": [{checks}]}}"#))
        };
        let layers = group(r#""marker:x", "exit-code", "file:x""#);
        let found = errors(&chain("c"), &layers, &host());
        assert_eq!(
            found,
            [
                "\"marker:x\" | `marker:x` cannot pass: a question decides about the round",
                "\"exit-code\" | `exit-code` cannot pass: a question decides about the round",
            ],
            "{last}"
        );
        plan(&chain("c"), &group(r#""file:x", "tasks""#), &host());
    }
    let agents =
        r#"{"group": [{"ask": "q"}, {"agent": "b"}], "rounds": 2, "checks": ["exit-code"]}"#;
    plan(&chain("c"), &config("", "", agents), &host());
}

#[test]
fn a_group_that_works_through_tasks_is_checked_for_them() {
    let built = plan(&dsl("(builder:20 -> ?):3"), &config("", "", ""), &FakeHost::default());
    let [round] = built.steps[1].round_checks.as_slice() else { panic!("{:?}", built.steps[1]) };
    assert_eq!(round.check.value.check, CheckSpec::Tasks);
    assert!(matches!(round.check.source, ValueOrigin::Implied(_)));
    let none = plan(&dsl("(a:20 -> ?):3"), &config("", "", ""), &host());
    assert!(none.steps[1].round_checks.is_empty());
}

#[test]
fn conditions_belong_to_the_first_step_of_a_group() {
    let steps = r#"{"agent": "a", "if": "command:test -e x"},
                   {"group": [{"agent": "b", "if": "file:y"}, {"agent": "c"}], "if": "file:z"}"#;
    let built = plan(&chain("c"), &config("", "", steps), &host());
    let conditions = |step: usize| -> Vec<(Option<usize>, String)> {
        let all = built.steps[step - 1].conditions.iter();
        all.map(|of| (of.group, of.check.value.check.to_string())).collect()
    };
    assert_eq!(conditions(1), [(None, "command:\"test -e x\"".to_owned())]);
    assert_eq!(conditions(2), [(Some(1), "file:z".to_owned()), (None, "file:y".to_owned())]);
    assert_eq!(conditions(3), []);
}

#[test]
fn scripts_of_a_group_are_protected_from_its_agents() {
    let steps = r#"{"agent": "c"},
                   {"group": [{"agent": "a", "iterations": 2}, {"agent": "b"}], "rounds": 3,
                    "checks": ["./ci.sh"]}"#;
    let host = host().with_file("./ci.sh").with_file("ci.sh");
    let built = plan(&chain("c"), &config("", "", steps), &host);
    let protected = |step: usize| {
        let protect = built.steps[step - 1].protect.as_ref();
        protect.map(|protect| protect.value.patterns.clone()).unwrap_or_default()
    };
    assert_eq!(protected(1), [""; 0]);
    assert_eq!(protected(2), protected(3));
    assert_eq!(protected(2).len(), 1, "{:?}", protected(2));
}

#[test]
fn scripts_of_conditions_are_protected_from_agents_that_can_run_before_them() {
    let steps = r#"{"agent": "c"},
                   {"group": [{"agent": "a"}, {"agent": "b", "if": "./needs-review.sh"},
                              {"agent": "c"}], "rounds": 3},
                   {"agent": "a"}"#;
    let host = host().with_file("./needs-review.sh").with_file("needs-review.sh");
    let built = plan(&chain("c"), &config("", "", steps), &host);
    let is_protected = |step: usize| built.steps[step - 1].protect.is_some();
    let protected: Vec<usize> = (1..=5).filter(|step| is_protected(*step)).collect();
    assert_eq!(protected, [1, 2, 3, 4]);
    let mut request = chain("c");
    request.protect_scripts = false;
    let built = plan(&request, &config("", "", steps), &host);
    assert!(built.steps.iter().all(|step| step.protect.is_none()));
}

#[test]
fn a_fork_keeps_the_flow() {
    let built = plan(&dsl("a -> ? -> (b:5 -> c):3"), &config("", "", ""), &host());
    let recorded = RecordedPlan { plan: built.clone(), next_step: 2 };
    let mut request = PlanRequest::new(RunTarget::Recorded(Box::new(recorded)), "/work");
    request.limits.iterations = crate::text::count::Count::parse("9").ok();
    let forked = plan(&request, &config("", "", ""), &host());
    assert_eq!(forked.flow, built.flow);
    assert_eq!(forked.steps[1], built.steps[1], "the question is untouched");
    assert_eq!(forked.definition, "a -> ? -> (b:9 -> c):3");
}

/// The warnings of a plan, each with the text under its caret.
#[track_caller]
fn warnings(request: &PlanRequest, layers: &ConfigLayers, host: &FakeHost) -> Vec<String> {
    let show = |warning: Diagnostic| {
        assert!(!warning.is_error(), "{warning:?}");
        let label = warning.label.expect("a place");
        format!("{} | {}", &label.source.text[label.span.range()], warning.message)
    };
    planned(request, layers, host).warnings.into_iter().map(show).collect()
}

#[test]
fn a_group_with_one_round_is_reported_for_the_chain_that_runs() {
    let message = "a group with one round cannot repeat a refused round";
    let layers = project(
        r#"{"chains": {"entries": {"steps": [{"group": "a", "rounds": 1}]},
                       "text": {"steps": "b -> (a -> (b:5):1):2"}}}"#,
    );
    let typed = warnings(&dsl("(a:5):1"), &layers, &host());
    assert_eq!(typed, [format!("(a:5):1 | {message}")]);
    let entries = warnings(&chain("entries"), &layers, &host());
    assert_eq!(entries, [format!("1 | {message}")]);
    let text = warnings(&chain("text"), &layers, &host());
    assert_eq!(text, [format!("(b:5):1 | {message}")]);
    assert_eq!(warnings(&dsl("a"), &layers, &host()), [""; 0]);
}

#[test]
fn a_group_with_one_round_whose_count_has_a_use_is_not_reported() {
    for group in [
        r#"{"group": "a", "rounds": 1, "else": {"agent": "b"}}"#,
        r#"{"group": "a", "rounds": 1, "checks": ["file:x"]}"#,
        r#"{"group": "a", "rounds": 2}"#,
        r#"{"group": "a"}"#,
    ] {
        assert_eq!(warnings(&chain("c"), &config("", "", group), &host()), [""; 0], "{group}");
    }
}

/// A name never reads as a question, a count, an alternative or a group.
#[test]
fn names_that_a_chain_in_one_line_cannot_have_are_quoted() {
    let steps = r#"{"agent": "w", "iterations": 3}, {"agent": "?"}, {"agent": "else"},
                   {"agent": "(a)"}, {"agent": "a -> b"}, {"agent": "a:3"},
                   {"agent": "a:3", "iterations": 2}, {"ask": "Well?"}"#;
    let layers = config("", "", steps);
    let built = plan(&chain("c"), &layers, &host());
    assert_eq!(
        built.definition,
        r#"w:3 -> "?" -> "else" -> "(a)" -> "a -> b" -> "a:3" -> a:3:2 -> ?"#
    );
    let found = planned(&chain("c"), &layers, &host()).warnings;
    let hints = |name: &str| -> Vec<String> {
        let message = format!("nothing is called `{name}`; a name in a config is no chain");
        let found = found.iter().filter(|warning| warning.message == message);
        found.flat_map(|warning| warning.hints.clone()).collect()
    };
    assert_eq!(hints("?"), [r#"to ask a person write `{ "ask": "…" }`"#]);
    assert_eq!(
        hints("else"),
        [r#"`else` is a key of the entry before: `"else": { "agent": "…" }`"#]
    );
    assert_eq!(hints("(a)"), [r#"write `{ "agent": "a" }`"#]);
    assert_eq!(hints("a -> b"), [r#"write `{ "group": "a -> b" }`"#]);
    assert_eq!(hints("w"), [""; 0]);
    assert_eq!(hints("a:3"), [""; 0]);
}

#[test]
fn an_empty_text_of_a_question_is_no_text() {
    let steps = r#"{"ask": ""}, {"ask": " \n"}, {"ask": "${WHAT}"}, {"ask": "Well?"}"#;
    let request = with_variables(chain("c"), &["WHAT="]);
    let built = plan(&request, &config("", "", steps), &host());
    let texts = built.steps.iter().map(|step| match &step.agent.kind {
        AgentKind::Question(question) => question.text.as_deref(),
        other => panic!("{other:?}"),
    });
    assert_eq!(texts.collect::<Vec<_>>(), [None, None, None, Some("Well?")]);
}

#[test]
fn limits_of_a_group_are_for_its_rounds_and_the_rest_for_its_steps() {
    let steps = r#"{"group": [
                       {"agent": "a", "iterations": 5, "limits": {"timeout": "1m", "cost": 2}},
                       {"group": [{"agent": "b"}], "limits": {"timeout": "2m", "cost": 3}},
                       {"agent": "c"}],
                     "rounds": 2, "limits": {"time": "2h", "timeout": "3m", "stagnation": 7}},
                   {"agent": "a"}"#;
    let layers = config("", r#""limits": {"timeout": "4m", "cost": 20},"#, steps);
    let built = plan(&chain("c"), &layers, &host());
    let groups = built.flow.as_ref().expect("it has groups").groups();
    let of_group = |number: usize| {
        let limits = &groups[number - 1].limits;
        (limits.time.value.to_string(), limits.cost.value.to_string())
    };
    assert_eq!(of_group(1), ("2h".to_owned(), "off".to_owned()));
    assert_eq!(of_group(2), ("off".to_owned(), "$3.00".to_owned()));
    let of_steps: Vec<[String; 4]> = built
        .steps
        .iter()
        .map(|step| {
            let limits = &step.limits;
            let (timeout, cost) = (limits.timeout.value, limits.cost.value);
            let (time, stagnation) = (limits.time.value, limits.stagnation.value);
            [timeout.to_string(), cost.to_string(), time.to_string(), stagnation.to_string()]
        })
        .collect();
    let expected = [
        ["1m", "$2.00", "off", "7"],
        ["2m", "off", "off", "7"],
        ["3m", "off", "off", "7"],
        ["4m", "off", "off", "off"],
    ];
    assert_eq!(of_steps, expected);
    assert_eq!(built.limits.cost.value.to_string(), "$20.00");
    let typed = LimitChanges { timeout: Limit::parse("9m").ok(), ..LimitChanges::default() };
    let typed = plan(&PlanRequest { limits: typed, ..chain("c") }, &layers, &host());
    assert!(typed.steps.iter().all(|step| step.limits.timeout.value.to_string() == "9m"));
    let json = serde_json::to_string(&built).expect("a plan is JSON");
    assert_eq!(serde_json::from_str::<Plan>(&json).expect("a plan"), built);
}

#[test]
fn checks_of_a_group_run_in_the_clean_room_of_the_group_or_the_chain() {
    let (of_chain, of_group) =
        (r#""cleanRoom": {"setup": "chain"},"#, r#", "cleanRoom": {"setup": "group"}"#);
    let table = [
        ("", "", false, None),
        ("", "", true, Some(None)),
        (of_chain, "", false, Some(Some("chain"))),
        (of_chain, "", true, Some(Some("chain"))),
        (of_chain, of_group, false, Some(Some("group"))),
        (of_chain, r#", "cleanRoom": false"#, false, None),
        (of_chain, r#", "cleanRoom": false"#, true, Some(Some("chain"))),
        ("", of_group, true, Some(Some("group"))),
    ];
    for (of_chain, of_group, typed, expected) in table {
        for last in [r#"{"agent": "b"}"#, r#"{"ask": "Good?"}"#] {
            let group = format!(
                r#"{{"group": [{{"agent": "a"}}, {last}], "rounds": 2, "checks": ["file:x"]{of_group}}}"#
            );
            let request = PlanRequest { clean_room: typed, ..chain("c") };
            let built = planned(&request, &config("", of_chain, &group), &host());
            let setup = |step: &PlanStep| Some(step.clean_room.as_ref()?.value.setup.clone());
            let shown = setup(&built.plan.steps[1]);
            let case = format!("{of_chain} {group} {typed}");
            assert_eq!(shown.as_ref().map(Option::as_deref), expected, "{case}");
            assert_eq!(setup(&built.plan.steps[0]), None, "{case}");
            assert_eq!(built.warnings, Vec::<Diagnostic>::new(), "{case}");
        }
    }
}

#[test]
fn the_innermost_group_with_a_clean_room_wins() {
    let room =
        |setup: &str| format!(r#""checks": ["file:x"], "cleanRoom": {{"setup": "{setup}"}}"#);
    let steps = format!(
        r#"{{"group": [{{"group": [{{"agent": "a"}}], "rounds": 2, {}}}], "rounds": 2, {}}}"#,
        room("inner"),
        room("outer")
    );
    let built = plan(&chain("c"), &config("", "", &steps), &host());
    let room = built.steps[0].clean_room.as_ref().expect("a clean room");
    assert_eq!(room.value.setup.as_deref(), Some("inner"));
}

#[test]
fn a_clean_room_of_a_group_without_checks_warns() {
    let group = r#"{"group": [{"agent": "a"}], "rounds": 2, "cleanRoom": true}"#;
    let built = planned(&chain("c"), &config("", "", group), &host());
    let messages: Vec<&str> = built.warnings.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages, ["`cleanRoom` has no effect: the group has no checks"]);
}
