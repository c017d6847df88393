//! The text in front of every agent's system prompt that explains how it is run.

use forkhestra_core::config::CompletionRule;
use forkhestra_core::marker::Marker;
use forkhestra_core::plan::PlanStep;
use forkhestra_core::scan::MarkerScanner;

const COMMON_TEXT: &str = "\
# How you are run

You run unattended under forkhestra. No person answers questions during the run: ask none, and wait for \
no confirmation. Decide yourself, record your decisions and go on.

You begin with a fresh context. Earlier work is in files, in git and in lists of tasks: look there \
first. Write there what later agents must know, and commit your work before you stop.
";

const RUNS_ONCE_TEXT: &str = "
You are started once. No completion marker is needed: when your work is done, just stop.
";

const CHECKED_TEXT: &str = "
You are started again and again until the work passes its checks. No completion marker is needed: when \
there is nothing more that you can do now, just stop.
";

/// The explanation for an agent. It ends with a line break, and none of its lines is a marker.
pub(super) fn prefix(step: &PlanStep) -> String {
    if step.accepts_by_marker() {
        return with_marker(step, round_instructions);
    }
    if step.iterations.is_none() {
        return format!("{COMMON_TEXT}{RUNS_ONCE_TEXT}");
    }
    if step.completion.value == CompletionRule::Checks {
        return format!("{COMMON_TEXT}{CHECKED_TEXT}");
    }
    with_marker(step, loop_instructions)
}

/// The explanation of the completion line of a step.
fn with_marker(step: &PlanStep, instructions: fn(&str) -> String) -> String {
    let markers = &step.markers.value;
    let text = format!("{COMMON_TEXT}{}", instructions(&marker_description(markers.first())));
    // A regular expression may match its own description, and agents repeat their instructions.
    if holds_marker(&text, markers) {
        return format!(
            "{COMMON_TEXT}{}",
            instructions("the completion line that your prompt defines")
        );
    }
    text
}

/// The agent decides whether the round of a group is accepted, and its marker accepts it.
fn round_instructions(line: &str) -> String {
    format!(
        "
You are started once, and you decide whether the work of this round is accepted. If you accept it, write \
{line} at the end of your last message, with nothing else on that line. This is the completion line. If you do not accept \
it, leave that line out and say what is missing: the work is done again, and the next agent gets your last message.
"
    )
}

/// The marker ends the loop, so it stands for the whole work of the step.
fn loop_instructions(line: &str) -> String {
    format!(
        "
You are started again and again until the whole work of this step is done. If anything is left to do, \
or another task is waiting, just stop: you are started again. Only when everything is done, write {line} \
at the end of your last message, with nothing else on that line. This is the completion line.
"
    )
}

fn marker_description(marker: Option<&Marker>) -> String {
    match marker {
        Some(Marker::Literal(text)) => format!("`{text}` on a line of its own"),
        Some(Marker::Regex(pattern)) => {
            format!("a line that matches the regular expression `{pattern}`")
        }
        // Only the done file can end such a loop.
        None => "that everything is done".to_owned(),
    }
}

fn holds_marker(text: &str, markers: &[Marker]) -> bool {
    MarkerScanner::new(markers).is_ok_and(|mut scanner| {
        scanner.feed(text.as_bytes()).is_some() || scanner.finish().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::command::tests::{plan, step};

    fn with_markers(markers: &[&str]) -> PlanStep {
        let mut step = step("a:3");
        step.markers.value =
            markers.iter().map(|text| Marker::parse(text).expect("it is a marker")).collect();
        step
    }

    #[test]
    fn a_loop_prompt_explains_the_marker_and_its_form() {
        let text = prefix(&step("a:3"));
        assert!(text.contains("`FORKHESTRA_COMPLETE` on a line of its own"), "{text}");
        assert!(text.contains("whole work of this step"), "{text}");
        assert!(text.contains("you are started again"), "{text}");
    }

    #[test]
    fn an_agent_that_runs_once_needs_no_marker() {
        let text = prefix(&step("a"));
        assert!(!text.contains("FORKHESTRA_COMPLETE"), "{text}");
        assert!(text.contains("No completion marker is needed"), "{text}");
    }

    #[test]
    fn an_agent_that_decides_about_a_round_is_given_the_marker_that_accepts_it() {
        let (mut step, _) = plan(r#"{"systemPromptText": ""}"#, "a");
        step.decides_round = true;
        let text = prefix(&step);
        assert!(text.contains("`FORKHESTRA_COMPLETE` on a line of its own"), "{text}");
        assert!(text.contains("you decide whether the work of this round is accepted"), "{text}");
        assert!(!text.contains("No completion marker is needed"), "{text}");
        assert!(!holds_marker(&text, &step.markers.value), "{text}");
        step.markers.value = vec![Marker::parse("/DONE_WITH_IT/").expect("it is a marker")];
        let text = prefix(&step);
        assert!(text.contains("the completion line that your prompt defines"), "{text}");
    }

    #[test]
    fn a_loop_that_checks_complete_needs_no_marker() {
        let mut step = step("a:3");
        step.completion.value = CompletionRule::Checks;
        let text = prefix(&step);
        assert!(!text.contains("FORKHESTRA_COMPLETE"), "{text}");
        assert!(text.contains("until the work passes its checks"), "{text}");
    }

    #[test]
    fn the_first_marker_of_the_step_is_explained() {
        let text = prefix(&with_markers(&["ALL DONE", "OTHER"]));
        assert!(text.contains("write `ALL DONE` on a line of its own"), "{text}");
        assert!(!text.contains("OTHER"), "{text}");
        let text = prefix(&with_markers(&["/^done [0-9]+$/"]));
        assert!(text.contains("the regular expression `^done [0-9]+$`"), "{text}");
    }

    #[test]
    fn an_expression_that_matches_its_own_description_is_not_explained() {
        let markers = ["/DONE_WITH_IT/"];
        let text = prefix(&with_markers(&markers));
        assert!(!text.contains("DONE_WITH_IT"), "{text}");
        assert!(text.contains("the completion line that your prompt defines"), "{text}");
    }

    #[test]
    fn nothing_that_we_inject_is_a_marker() {
        let (own, _) = plan(r#"{"systemPromptText": ""}"#, "a:3");
        let steps = [
            own,
            step("a"),
            with_markers(&["ALL DONE"]),
            with_markers(&["<promise>COMPLETE</promise>"]),
            with_markers(&["/^all done$/"]),
            with_markers(&["/DONE_WITH_IT/"]),
        ];
        for step in steps {
            let all = [Marker::defaults(), step.markers.value.clone()].concat();
            let text = prefix(&step);
            assert!(!holds_marker(&text, &all), "{text}");
            assert!(!holds_marker(crate::agent::command::instructions::NO_PROMPT, &all));
        }
    }
}
