//! Groups, questions, alternatives and conditions; chains in one line.

use super::*;
use crate::diagnostic::source::Span;
use crate::dsl::MAX_ELSE_PARTS;

/// A config with one chain with these steps, an array or a string.
pub(super) fn steps(written: &str) -> String {
    format!(r#"{{"chains": {{"c": {{"steps": {written}}}}}}}"#)
}

fn chain(config: &Config) -> &ChainEntry {
    config.chain("c").expect("the chain is there").1
}

/// The entries of a chain in the chain language, with `[…]` around an `else` of several entries.
fn shown_entries(entries: &[Spanned<StageEntry>]) -> String {
    entries.iter().map(|entry| shown_entry(&entry.value)).collect::<Vec<_>>().join(" -> ")
}

fn shown_entry(entry: &StageEntry) -> String {
    let counted = |unit: String, count: Option<&Spanned<crate::text::count::Count>>| match count {
        Some(count) => format!("{unit}:{}", count.value),
        None => unit,
    };
    let shown = match entry {
        StageEntry::Agent(step) => counted(step.agent.value.0.clone(), step.iterations.as_ref()),
        StageEntry::Question(_) => "?".to_owned(),
        StageEntry::Group(group) => {
            counted(format!("({})", shown_entries(&group.group.value.0)), group.rounds.as_ref())
        }
        StageEntry::Parallel(parallel) => {
            let branches = parallel.parallel.value.iter();
            let branches = branches.map(|branch| shown_entries(&branch.value.0));
            format!("({})", branches.collect::<Vec<_>>().join(" | "))
        }
    };
    let shown = shown + &shown_lanes(entry);
    match entry.alternative().map(|other| other.value.0.as_slice()) {
        None => shown,
        Some([only]) => format!("{shown} else {}", shown_entry(&only.value)),
        Some(several) => format!("{shown} else [{}]", shown_entries(several)),
    }
}

/// The lanes of an entry behind its count.
fn shown_lanes(entry: &StageEntry) -> String {
    let (shared, best) = match entry {
        StageEntry::Agent(step) => (step.lanes.as_ref(), step.best.as_ref()),
        StageEntry::Group(group) => (group.lanes.as_ref(), None),
        StageEntry::Question(_) | StageEntry::Parallel(_) => (None, None),
    };
    let shared = shared.map(|lanes| format!(" x{}", lanes.value));
    let best = best.map(|lanes| format!(" best{}", lanes.value));
    shared.into_iter().chain(best).collect()
}

#[track_caller]
pub(super) fn check_entries(written: &str, expected: &str) {
    let config = good(&steps(written));
    assert_eq!(shown_entries(&chain(&config).steps.value.0), expected, "{written}");
}

#[test]
fn each_kind_of_entry_is_read() {
    check_entries(r#"[{"agent": "a", "iterations": 3}]"#, "a:3");
    check_entries(r#"[{"ask": "Is the plan right?"}]"#, "?");
    check_entries(
        r#"[{"group": [{"agent": "a"}, {"ask": "ok?"}], "rounds": 3}, {"agent": "b"}]"#,
        "(a -> ?):3 -> b",
    );
    check_entries(
        r#"[{"group": [{"group": [{"agent": "a"}, {"agent": "b"}], "rounds": 2}, {"agent": "c"}]}]"#,
        "((a -> b):2 -> c)",
    );
    check_entries(
        r#"[{"agent": "a", "else": {"ask": "go on?", "else": [{"agent": "b"}, {"agent": "c"}]}}]"#,
        "a else ? else [b -> c]",
    );
    check_entries(
        r#"[{"group": "a:2 -> ?", "rounds": 2, "else": [{"agent": "b"}]}]"#,
        "(a:2 -> ?):2 else b",
    );
}

#[test]
fn a_chain_in_one_line_gives_the_same_entries() {
    for text in [
        "a",
        "planner:3 -> ? -> (builder:30 -> reviewer:3):3 else senior:5",
        "a else b:2 else (c -> d else e):2 -> f",
        "((a -> b):2 -> c):3",
    ] {
        check_entries(&format!("\"{text}\""), text);
    }
}

#[test]
fn all_keys_of_a_question_are_read() {
    let config = good(&steps(
        r#"[{"ask": "Is ${FEATURE} right?", "timeout": "8h", "onTimeout": "approve",
             "if": "command:test -e plan.md", "else": {"agent": "a"}}]"#,
    ));
    let [entry] = chain(&config).steps.value.0.as_slice() else { panic!("one entry") };
    let StageEntry::Question(question) = &entry.value else { panic!("a question") };
    let ask = question.ask.as_ref().map(|ask| ask.value.as_str());
    assert_eq!(ask, Some("Is ${FEATURE} right?"));
    assert_eq!(question.timeout.as_ref().map(|time| time.value.to_string()).as_deref(), Some("8h"));
    let answer = question.on_timeout.as_ref().map(|answer| answer.value);
    assert_eq!(answer, Some(OnQuestionTimeout::Approve));
    let condition = question.condition.as_ref().map(|check| check.value.0.check.value.to_string());
    assert_eq!(condition.as_deref(), Some("command:\"test -e plan.md\""));
    assert_eq!(question.alternative.as_ref().map(|other| other.value.0.len()), Some(1));
}

#[test]
fn all_keys_of_a_group_are_read() {
    let config = good(&steps(
        r#"[{"group": [{"agent": "a"}], "rounds": 3, "checks": ["tasks"], "cleanRoom": true,
             "limits": {"cost": 12}, "if": {"check": "file:x", "timeout": "5s"},
             "else": [{"agent": "b"}, {"agent": "c"}]}]"#,
    ));
    let [entry] = chain(&config).steps.value.0.as_slice() else { panic!("one entry") };
    let StageEntry::Group(group) = &entry.value else { panic!("a group") };
    assert_eq!(group.rounds.as_ref().map(|rounds| rounds.value.get()), Some(3));
    assert_eq!(group.checks.as_ref().map(|checks| checks.value.len()), Some(1));
    assert!(group.clean_room.as_ref().is_some_and(|room| room.value.room().is_some()));
    assert!(group.limits.as_ref().is_some_and(|limits| limits.value.cost.is_some()));
    let condition = group.condition.as_ref().expect("a condition");
    assert!(condition.value.0.timeout.is_some());
    assert_eq!(group.alternative.as_ref().map(|other| other.value.0.len()), Some(2));
}

#[test]
fn the_new_keys_of_a_step_and_a_chain_are_read() {
    let config = good(
        r#"{"chains": {"c": {"fallback": "gemini", "steps": [
            {"agent": "a", "if": "planned", "fallback": "codex", "else": {"agent": "b"}}]}}}"#,
    );
    let chain = chain(&config);
    assert_eq!(
        chain.fallback.as_ref().map(|other| other.value),
        Some(FallbackChoice::Backend(Backend::Gemini))
    );
    let step = chain.agent_steps().next().expect("a step");
    assert_eq!(
        step.fallback.as_ref().map(|other| other.value),
        Some(FallbackChoice::Backend(Backend::Codex))
    );
    assert!(step.condition.is_some() && step.alternative.is_some());
}

#[test]
fn steps_are_walked_in_the_order_of_their_numbers() {
    let config = good(&steps(
        r#"[{"agent": "1"},
            {"group": [{"agent": "2", "else": [{"agent": "3"}, {"ask": "4"}]}, {"agent": "5"}],
             "rounds": 2, "else": {"group": "6 -> ? else 8", "else": {"agent": "9"}}},
            {"ask": "10", "else": {"agent": "11"}},
            {"agent": "12"}]"#,
    ));
    let shown = |step: Spanned<ChainStep<'_>>| match step.value {
        ChainStep::Agent(step) => step.agent.value.0.clone(),
        ChainStep::Question(question) => {
            question.ask.as_ref().map_or_else(|| "?".to_owned(), |ask| ask.value.clone())
        }
    };
    let walked: Vec<String> = chain(&config).walk().map(shown).collect();
    assert_eq!(walked, ["1", "2", "3", "4", "5", "6", "?", "8", "9", "10", "11", "12"]);
    assert_eq!(good(&steps("[]")).chain("c").map(|(_, chain)| chain.walk().count()), Some(0));
}

#[test]
fn entries_of_a_chain_in_one_line_have_their_positions() {
    let text = steps("\"a:2 -> (b -> ?):3 else c\"");
    let config = good(&text);
    let under = |span: Span| &text[span.range()];
    let chain = chain(&config);
    let entries: Vec<&str> = chain.steps.value.0.iter().map(|entry| under(entry.span)).collect();
    assert_eq!(entries, ["a:2", "(b -> ?):3"]);
    let walked: Vec<&str> = chain.walk().map(|step| under(step.span)).collect();
    assert_eq!(walked, ["a:2", "b", "?", "c"]);
    let names: Vec<&str> = chain.agent_steps().map(|step| under(step.agent.span)).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn mistakes_of_a_chain_in_one_line_are_reported_with_their_positions() {
    assert_eq!(
        shown(&steps("\"a:0 -> (b\"")),
        ["1:31 0 | step 1: the count `0` must be at least 1", "1:36 ( | this `(` has no `)`",]
    );
    assert_eq!(shown(&steps("\"\"")), ["1:29  | the chain is empty"]);
    // Positions in a string with escapes are those of the string.
    assert_eq!(
        shown(&steps(r#""a:0 \u002d> b""#)),
        [r#"1:28 "a:0 \u002d> b" | step 1: the count `0` must be at least 1"#]
    );
    assert_eq!(
        shown(&steps("\"a else a\"")),
        ["1:36 a | the alternative `a` repeats an earlier one"]
    );
    assert_eq!(
        shown(&steps("\"a:2 x99\"")),
        ["1:33 x99 | step 1: the number of lanes must be from 2 to 64"]
    );
    assert_eq!(
        shown(&steps(r#"[{"group": "((a -> b):2 -> c):2"}]"#)),
        ["1:41 ( | groups are nested more than two deep"]
    );
}

#[test]
fn wrong_entries_have_their_messages_and_positions() {
    let at = "`chains.c.steps[0]";
    let array_or_chain = "must be an array or a chain such as \"planner:3 -> builder\"";
    let table = [
        // The kind of an entry.
        ("{}", format!("{{ | {at}` has no `agent`, `group`, `parallel` or `ask`")),
        ("3", format!("3 | {at}` must be an object, found the number 3")),
        (r#"{"agent": "a", "ask": "b"}"#, format!("\"ask\" | {at}` has both `agent` and `ask`")),
        (
            r#"{"group": "a", "agent": "b", "iterations": 2, "rounds": 2}"#,
            format!("\"agent\" | {at}` has both `group` and `agent`"),
        ),
        (
            r#"{"ask": "a", "group": "b", "rounds": 3}"#,
            format!("\"group\" | {at}` has both `ask` and `group`"),
        ),
        (
            r#"{"agent": "a", "parallel": []}"#,
            format!("\"parallel\" | {at}` has both `agent` and `parallel`"),
        ),
        // Keys of another kind.
        (r#"{"agent": "a", "rounds": 2}"#, format!("\"rounds\" | {at}.rounds` needs `group`")),
        (r#"{"rounds": 2}"#, format!("\"rounds\" | {at}.rounds` needs `group`")),
        (
            r#"{"group": "a", "iterations": 2}"#,
            format!("\"iterations\" | {at}.iterations` needs `agent`"),
        ),
        (
            r#"{"ask": "a", "iterations": 2}"#,
            format!("\"iterations\" | {at}.iterations` needs `agent`"),
        ),
        (
            r#"{"ask": "a", "checks": ["tasks"]}"#,
            format!("\"checks\" | {at}.checks`: a question has no `checks`"),
        ),
        (
            r#"{"ask": "a", "limits": {"time": "1h"}}"#,
            format!("\"limits\" | {at}.limits`: a question has no `limits`"),
        ),
        (r#"{"ask": "a", "rounds": 2}"#, format!("\"rounds\" | {at}.rounds` needs `group`")),
        (
            r#"{"ask": "a", "lanes": 2}"#,
            format!("\"lanes\" | {at}.lanes`: a question has no lanes"),
        ),
        // Questions.
        (r#"{"ask": 1}"#, format!("1 | {at}.ask` must be a string, found the number 1")),
        (
            r#"{"ask": "a", "timeout": 8}"#,
            format!(
                "8 | {at}.timeout` must be a duration such as \"30m\", or \"off\", found the number 8"
            ),
        ),
        (
            r#"{"ask": "a", "timeout": "8h", "onTimeout": "yes"}"#,
            format!(
                "\"yes\" | {at}.onTimeout` must be `deny` or `approve`, found the string \"yes\""
            ),
        ),
        (
            r#"{"ask": "a", "onTimeout": "deny"}"#,
            format!("\"deny\" | {at}.onTimeout` has no effect"),
        ),
        (
            r#"{"ask": "a", "timeout": "off", "onTimeout": "approve"}"#,
            format!("\"approve\" | {at}.onTimeout` has no effect"),
        ),
        // Groups.
        (r#"{"group": []}"#, format!("[] | {at}.group` has no entry")),
        (r#"{"group": {}}"#, format!("{{}} | {at}.group` {array_or_chain}, found an object")),
        (r#"{"group": "a ->"}"#, " | step 2 of the chain is empty".to_owned()),
        (
            r#"{"group": "a", "rounds": 0}"#,
            format!("0 | {at}.rounds` must be a positive whole number, found the number 0"),
        ),
        (r#"{"group": "a", "checks": []}"#, format!("[] | {at}.checks` of a group needs `rounds`")),
        (
            r#"{"group": "a", "cleanRoom": true}"#,
            format!("true | {at}.cleanRoom` of a group needs `rounds`"),
        ),
        (
            r#"{"group": [{"group": [{"group": "a"}]}]}"#,
            format!(
                "\"group\" | {at}.group[0].group[0].group` is nested more than two groups deep"
            ),
        ),
        // Checks that decide about a flow.
        (
            r#"{"agent": "a", "if": "exit-code"}"#,
            format!("\"exit-code\" | {at}.if` cannot be `exit-code`"),
        ),
        (
            r#"{"ask": "a", "if": {"check": "marker:/x/"}}"#,
            format!("\"marker:/x/\" | {at}.if` cannot be `marker:x`"),
        ),
        (
            r#"{"group": "a", "if": {"check": "file:x", "when": "always"}}"#,
            format!("\"when\" | {at}.if.when` is for the checks of a step"),
        ),
        (
            r#"{"agent": "a", "if": {"check": "file:x", "mustFailFirst": true}}"#,
            format!("\"mustFailFirst\" | {at}.if.mustFailFirst` is for the checks of a step"),
        ),
        (
            r#"{"group": "a", "rounds": 2, "checks": ["tasks", {"check": "file:x", "mustFailFirst": true}]}"#,
            format!(
                "\"mustFailFirst\" | {at}.checks[1].mustFailFirst` is for the checks of a step"
            ),
        ),
        (
            r#"{"group": "a", "rounds": 2, "checks": [{"check": "file:x", "when": "completion"}]}"#,
            format!("\"when\" | {at}.checks[0].when` is for the checks of a step"),
        ),
        // Alternatives, conditions and fallbacks.
        (
            r#"{"agent": "a", "iterations": 2, "else": {"iterations": 2, "agent": "a"}}"#,
            format!("{{\"iterations\": 2, \"agent\": \"a\"}} | an alternative of {at}` repeats it"),
        ),
        (
            r#"{"agent": "a", "else": [{"agent": "b", "else": {"agent": "a"}}]}"#,
            format!("{{\"agent\": \"a\"}} | an alternative of {at}` repeats it"),
        ),
        (
            r#"{"agent": "a", "else": "b"}"#,
            format!(
                "\"b\" | {at}.else` must be an entry or an array of entries, found the string \"b\""
            ),
        ),
        (r#"{"agent": "a", "else": []}"#, format!("[] | {at}.else` has no entry")),
        (
            r#"{"agent": "a", "else": {}}"#,
            format!("{{ | {at}.else` has no `agent`, `group`, `parallel` or `ask`"),
        ),
        (
            r#"{"agent": "a", "else": [{"agent": "b"}, {"agent": 1}]}"#,
            format!("1 | {at}.else[1].agent` must be a name, found the number 1"),
        ),
        (
            r#"{"agent": "a", "if": "command"}"#,
            format!("\"command\" | {at}.if` is incomplete; write `command:…`"),
        ),
        (r#"{"agent": "a", "if": []}"#, format!("[] | {at}.if` must be a check, found an array")),
        (
            r#"{"agent": "a", "fallback": "replay"}"#,
            format!(
                "\"replay\" | {at}.fallback` must be `claude`, `codex`, `gemini`, `opencode` or `off`, found the string \"replay\""
            ),
        ),
    ];
    for (entry, expected) in table {
        let found = shown(&steps(&format!("[{entry}]")));
        let without_position: Vec<&str> =
            found.iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
        assert_eq!(without_position, [expected], "{entry}");
    }
    check_message(
        r#"{"chains": {"c": {"fallback": "aider", "steps": []}}}"#,
        "`chains.c.fallback` must be `claude`, `codex`, `gemini`, `opencode` or `off`, found the string \"aider\"",
    );
}

/// Unknown keys are compared with those of all kinds, and values are checked.
#[test]
fn an_entry_without_a_kind_needs_one() {
    let no_kind = "`chains.c.steps[0]` has no `agent`, `group`, `parallel` or `ask`";
    let unknown = |key| format!("unknown key `chains.c.steps[0].{key}`");
    let table = [
        (r#"{"groups": []}"#, vec![no_kind.to_owned(), unknown("groups")], "group"),
        (r#"{"asks": "ok?", "timeout": "8h"}"#, vec![no_kind.to_owned(), unknown("asks")], "ask"),
        (
            r#"{"agnt": "a", "iterations": 0, "lanes": 1}"#,
            vec![
                no_kind.to_owned(),
                unknown("agnt"),
                "`chains.c.steps[0].iterations` must be a positive whole number, found the number 0"
                    .to_owned(),
                "`chains.c.steps[0].lanes` must be a whole number from 2 to 64, found the number 1"
                    .to_owned(),
            ],
            "agent",
        ),
    ];
    for (entry, expected, meant) in table {
        let diagnostics = read("c", steps(&format!("[{entry}]")).into_bytes()).diagnostics;
        let messages: Vec<&str> = diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(messages, expected, "{entry}");
        assert_eq!(diagnostics[1].hints, [format!("did you mean `{meant}`?")], "{entry}");
    }
}

/// The hint for a text in the place of an entry is an entry that means the same.
#[test]
fn a_text_instead_of_an_entry_has_a_hint() {
    let table = [
        ("w", r#"{ "agent": "w" }"#, "w"),
        ("w:3", r#"{ "agent": "w", "iterations": 3 }"#, "w:3"),
        ("?", r#"{ "ask": "…" }"#, "?"),
        ("w -> w", r#"{ "group": "w -> w" }"#, "(w -> w)"),
        ("(w -> w):3", r#"{ "group": "w -> w", "rounds": 3 }"#, "(w -> w):3"),
        ("w else v", r#"{ "group": "w else v" }"#, "(w else v)"),
        ("w:3 x2", r#"{ "agent": "w", "iterations": 3, "lanes": 2 }"#, "w:3 x2"),
        ("w:3 best2", r#"{ "agent": "w", "iterations": 3, "best": 2 }"#, "w:3 best2"),
        ("(w -> v):3 x2", r#"{ "group": "w -> v", "rounds": 3, "lanes": 2 }"#, "(w -> v):3 x2"),
        ("(w -> v | u)", r#"{ "parallel": ["w -> v","u"] }"#, "(w -> v | u)"),
        ("w x", r#"{ "agent": "…" }"#, "…"),
    ];
    for (text, entry, meaning) in table {
        for wrong in [format!("[\"{text}\"]"), format!(r#"[{{"agent": "a", "else": "{text}"}}]"#)] {
            let diagnostics = read("c", steps(&wrong).into_bytes()).diagnostics;
            let [error] = diagnostics.as_slice() else { panic!("{wrong}: {diagnostics:#?}") };
            assert_eq!(error.hints, [format!("write `{entry}`")], "{wrong}");
        }
        check_entries(&format!("[{entry}]"), meaning);
    }
}

#[test]
fn two_kinds_are_reported_with_their_positions_and_other_mistakes() {
    let text = steps(r#"[{"agent": 1, "group": "a"}]"#);
    assert_eq!(
        shown(&text),
        [
            "1:39 1 | `chains.c.steps[0].agent` must be a name, found the number 1",
            "1:42 \"group\" | `chains.c.steps[0]` has both `agent` and `group`",
        ]
    );
    let diagnostics = read("c", text.clone().into_bytes()).diagnostics;
    let related = diagnostics[1].label.as_ref().and_then(|label| label.related.as_ref());
    assert_eq!(related.map(|(span, _)| &text[span.range()]), Some("\"agent\""));
}

#[test]
fn an_alternative_is_not_a_level_of_groups() {
    check_entries(
        r#"[{"group": [{"group": "a -> b"}], "else": [{"group": [{"group": "c -> d"}]}, {"agent": "e"}]}]"#,
        "((a -> b)) else [((c -> d)) -> e]",
    );
    // An alternative inside a group is inside the group.
    check_message(
        &steps(r#"[{"group": [{"agent": "a", "else": {"group": [{"group": "b"}]}}]}]"#),
        "`chains.c.steps[0].group[0].else.group[0].group` is nested more than two groups deep",
    );
}

#[test]
fn a_chain_may_have_the_name_of_a_key() {
    let config = good(r#"{"chains": {"group": {"steps": [{"group": [{"group": "a"}]}]}}}"#);
    assert_eq!(config.chain("group").map(|(_, chain)| chain.walk().count()), Some(1));
}

#[test]
fn alternatives_are_nested_to_a_limit() {
    let nested = |levels: usize| {
        let open = |level| format!(r#"{{"agent": "a{level}", "else": "#);
        let open: String = (0..levels).map(open).collect();
        steps(&format!("[{open}{{\"agent\": \"a\"}}{}]", "}".repeat(levels)))
    };
    good(&nested(MAX_ELSE_PARTS - 1));
    for levels in [MAX_ELSE_PARTS, MAX_ELSE_PARTS + 1, 100] {
        let path = ".else".repeat(MAX_ELSE_PARTS);
        let expected =
            format!("`chains.c.steps[0]{path}` is one of more than 16 parts that `else` joins");
        check_message(&nested(levels), &expected);
    }
}

/// Other settings, or a chain that only begins with it, are another attempt.
#[test]
fn an_alternative_with_other_settings_repeats_nothing() {
    for entry in [
        r#"{"ask": "ok?", "else": {"agent": "a", "else": {"ask": "ok?"}}}"#,
        r#"{"agent": "a", "else": {"agent": "a", "iterations": 2}}"#,
        r#"{"agent": "a", "prompt": "x", "else": {"agent": "a", "prompt": "y"}}"#,
        r#"{"agent": "a", "args": ["x"], "else": {"agent": "a", "args": ["x", "y"]}}"#,
        r#"{"agent": "a", "else": [{"agent": "a"}, {"agent": "b"}]}"#,
        r#"{"group": "a -> b", "else": {"group": "a"}}"#,
    ] {
        assert_eq!(shown(&steps(&format!("[{entry}]"))), [""; 0], "{entry}");
    }
}

/// The plan reports it, so that it is shown for the chain that runs.
#[test]
fn a_config_does_not_warn_of_groups_with_one_round() {
    for written in [r#""(a -> b):1""#, r#"[{"group": "a", "rounds": 1}]"#] {
        assert_eq!(shown(&steps(written)), [""; 0], "{written}");
    }
}
