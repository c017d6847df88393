//! What an agent is told of the iteration before.

use forkhestra_core::machine::RunState;
use forkhestra_core::marker::Marker;
use forkhestra_core::scan::Scanner;

/// The system hands no longer argument to a program.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// What the agent of a step, from one, is told; none if there is nothing to say, or nobody wants it
/// said.
pub(super) fn feedback(state: &RunState, step: usize) -> Option<String> {
    let feedback = &state.steps[step - 1].feedback;
    let text = state.plan.feedback.then(|| feedback.text())??;
    // Nothing of the kind can be handed over.
    Some(text.replace('\0', " "))
}

/// The prompt with what is told in front of it; none if it must not stand there. An expression may
/// match whatever is told, and agents repeat what they are asked.
pub(super) fn in_front_of(prompt: &str, feedback: &str, markers: &[Marker]) -> Option<String> {
    let together = format!("{}\n\n{prompt}", feedback.trim_end());
    (!holds_marker(feedback, markers)).then_some(together)
}

/// The same for a prompt that is an argument, which must not become too long.
pub(super) fn in_front_of_argument(
    prompt: &str,
    feedback: &str,
    markers: &[Marker],
) -> Option<String> {
    in_front_of(prompt, feedback, markers).filter(|together| together.len() <= LONGEST_ARGUMENT)
}

fn holds_marker(text: &str, markers: &[Marker]) -> bool {
    Scanner::new(markers).is_ok_and(|mut scanner| {
        scanner.feed(text.as_bytes()).is_some() || scanner.finish().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "Not all checks passed:\n\n- Check tests did not pass: exit 1\n";

    fn markers(texts: &[&str]) -> Vec<Marker> {
        texts.iter().map(|text| Marker::parse(text).expect("it is a marker")).collect()
    }

    #[test]
    fn it_stands_in_front_of_the_prompt_with_a_blank_line_between() {
        let told = in_front_of("Fix it.\n", TOLD, &Marker::defaults());
        let expected =
            "Not all checks passed:\n\n- Check tests did not pass: exit 1\n\nFix it.\n".to_owned();
        assert_eq!(told, Some(expected));
    }

    #[test]
    fn what_a_marker_matches_is_not_put_into_a_prompt() {
        let told = "It failed:\n  | ALL DONE\n";
        assert_eq!(in_front_of("Go on.", told, &markers(&["/ALL DONE/"])), None);
        assert!(in_front_of("Go on.", told, &markers(&["ALL DONE"])).is_some());
        // The prompt itself is the user's.
        assert!(in_front_of("ALL DONE", TOLD, &markers(&["ALL DONE"])).is_some());
    }

    #[test]
    fn an_argument_does_not_become_too_long() {
        let room = LONGEST_ARGUMENT - TOLD.trim_end().len() - 2;
        let told = |length| in_front_of_argument(&"x".repeat(length), TOLD, &[]);
        assert_eq!(told(room).map(|text| text.len()), Some(LONGEST_ARGUMENT));
        assert_eq!(told(room + 1), None);
    }
}
