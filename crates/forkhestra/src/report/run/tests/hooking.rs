//! What a person sees of hooks.

use forkhestra_core::event::{Errand, Moment, RunEnd, StepEnd};
use forkhestra_core::hook::HookPoint;
use insta::assert_snapshot;

use super::errands::unit;
use super::story::Story;
use crate::report::dry_run::Detail;

fn story() -> Story {
    Story::of("builder:20").with_hook(HookPoint::OnComplete, "./notify.sh all")
}

#[test]
fn a_hook_that_fails_is_told_however_little_is_shown() {
    let story = story().hook(HookPoint::OnComplete, Some("exit 3"));
    let expected = "[forkhestra] Hook on-complete failed: exit 3 (./notify.sh all)\n";
    assert_eq!(story.told(), expected);
    assert_eq!(story.told_in(Detail::Quiet), expected);
}

#[test]
fn a_hook_that_does_its_work_is_told_to_those_who_want_to_know_everything() {
    let story = story().hook(HookPoint::OnComplete, None);
    assert_eq!(story.told(), "");
    let told = story.told_in(Detail::Verbose);
    assert!(told.ends_with("  hook on-complete: ./notify.sh all (200ms)\n"), "{told}");
}

#[test]
fn a_hook_that_must_not_fail_ends_the_run() {
    let end = StepEnd::HookFailed("./prepare.sh".to_owned());
    let story = Story::of("builder:20")
        .with_hook(HookPoint::PreIteration, "./prepare.sh")
        .step(1)
        .hook(HookPoint::PreIteration, Some("took too long"))
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(story.told(), @r#"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Hook pre-iteration failed: took too long (./prepare.sh)
    [forkhestra] Incomplete after 0 iterations: the hook `./prepare.sh` failed (hook_failed)

    [forkhestra] Summary
      1  builder  incomplete  0 iterations  hook_failed  200ms

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: correct the hook `./prepare.sh`, then resume; or do not let it end the run (`"onError": "continue"` in the config), and start a new run (resume keeps the plan as it was)
    [forkhestra] To go on: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, the hook `./prepare.sh` failed
    "#);
}

#[test]
fn the_live_line_names_the_hook() {
    let hook = |story: Story, point, unit| {
        let errand = Errand::Hook { moment: Moment { point, unit }, number: 1 };
        story.errand(errand).status_after(3_000).expect("a hook runs")
    };
    let last = Some(unit(1, 3));
    assert_eq!(
        hook(story(), HookPoint::PreIteration, last),
        "[Agent: builder] Iteration 3/20 | pre-iteration hook: ./notify.sh all | 3s"
    );
    let expected = "[Hook: on-complete] ./notify.sh all | 3s";
    assert_eq!(hook(story(), HookPoint::OnComplete, last), expected);
    let over = story().errand(Errand::Hook {
        moment: Moment { point: HookPoint::OnComplete, unit: None },
        number: 1,
    });
    assert_eq!(over.hook(HookPoint::OnComplete, None).status_after(0), None);
}
