//! Tests of hooks in the run report.

use std::time::Duration;

use forkhestra_core::event::{
    AuxJob, EventKind, HookMoment, HookReport, LimitChanges, Observation, RunEnd, StepEnd, Verdict,
};
use forkhestra_core::hook::HookPoint;
use insta::assert_snapshot;

use super::support::aux_jobs::unit;
use super::support::event_script::EventScript;
use crate::report::plan::dry_run::Verbosity;

fn script() -> EventScript {
    EventScript::of("builder:20").with_hook(HookPoint::OnComplete, "./notify.sh all")
}

#[test]
fn a_failed_hook_is_shown_even_in_quiet_mode() {
    let script = script().hook(HookPoint::OnComplete, Some("exit 3"));
    let expected = "[forkhestra] Hook on-complete failed: exit 3 (./notify.sh all)\n";
    assert_eq!(script.report(), expected);
    assert_eq!(script.report_in(Verbosity::Quiet), expected);
}

#[test]
fn a_successful_hook_is_shown_in_verbose_mode() {
    let script = script().hook(HookPoint::OnComplete, None);
    assert_eq!(script.report(), "");
    let output = script.report_in(Verbosity::Verbose);
    assert!(output.ends_with("  hook on-complete: ./notify.sh all (200ms)\n"), "{output}");
}

#[test]
fn a_hook_that_must_not_fail_ends_the_run() {
    let end = StepEnd::HookFailed("./prepare.sh".to_owned());
    let script = EventScript::of("builder:20")
        .with_hook(HookPoint::PreIteration, "./prepare.sh")
        .step(1)
        .hook(HookPoint::PreIteration, Some("took too long"))
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(script.report(), @r#"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Hook pre-iteration failed: took too long (./prepare.sh)
    [forkhestra] Incomplete after 0 iterations: the hook `./prepare.sh` failed (hook_failed)

    [forkhestra] Summary
      1  builder  incomplete  0 iterations  hook_failed  200ms

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: correct the hook `./prepare.sh`, then resume; or do not let it end the run (`"onError": "continue"` in the config), and start a new run (resume keeps the plan as it was)
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, the hook `./prepare.sh` failed
    "#);
}

#[test]
fn a_resume_says_that_hooks_are_called_again() {
    let after = |number: usize, failure: Option<&str>| {
        let moment = HookMoment { point: HookPoint::PostIteration, unit: Some(unit(1, 1)) };
        let (failure, duration) = (failure.map(str::to_owned), Duration::ZERO);
        EventKind::HookFinished { report: HookReport { moment, number, failure, duration } }
    };
    let cut_off = |hooks: Vec<EventKind>| {
        let script = EventScript::of("builder:20")
            .with_hook(HookPoint::PostIteration, "./one.sh")
            .with_hook(HookPoint::PostIteration, "./two.sh")
            .step(1)
            .iteration(1, 1)
            .weighed((1, 1), Verdict::Incomplete, Vec::new(), Observation::default());
        let script = hooks.into_iter().fold(script, EventScript::then);
        script.resumed(LimitChanges::default()).report()
    };
    let at = |report: String| report.trim_end().rsplit(", ").next().map(str::to_owned);
    let hooks = Some("builder at the hooks after iteration 1".to_owned());
    assert_eq!(at(cut_off(vec![])), hooks);
    assert_eq!(at(cut_off(vec![after(1, None)])), hooks);
    let all = vec![after(1, Some("exit 1")), after(2, None)];
    assert_eq!(at(cut_off(all)).as_deref(), Some("builder at iteration 2"));
}

#[test]
fn the_live_line_names_the_hook() {
    let hook = |script: EventScript, point, unit| {
        let aux_job = AuxJob::Hook { moment: HookMoment { point, unit }, number: 1 };
        script.aux_job_started(aux_job).status_after(3_000).expect("a hook runs")
    };
    let last = Some(unit(1, 3));
    assert_eq!(
        hook(script(), HookPoint::PreIteration, last),
        "[Agent: builder] Iteration 3/20 | pre-iteration hook: ./notify.sh all | 3s"
    );
    let expected = "[Hook: on-complete] ./notify.sh all | 3s";
    assert_eq!(hook(script(), HookPoint::OnComplete, last), expected);
    let over = script().aux_job_started(AuxJob::Hook {
        moment: HookMoment { point: HookPoint::OnComplete, unit: None },
        number: 1,
    });
    assert_eq!(over.hook(HookPoint::OnComplete, None).status_after(0), None);
}
