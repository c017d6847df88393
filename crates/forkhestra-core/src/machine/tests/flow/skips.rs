use super::support::story_line;
use crate::control::{AcceptedRequest, ControlReply, ControlRequest};
use crate::machine::tests::*;

/// A run of a group whose first agent hangs in its second round.
fn hanging_in_second_round() -> RunSimulation {
    let mut run = RunSimulation::new(plan("(a:3 -> b):4 -> c"), |unit| match unit.step {
        1 if unit.iteration == 2 => SimulatedAgent::hanging(),
        1 => SimulatedAgent::done(),
        2 => SimulatedAgent::exiting(i32::from(unit.iteration < 3)),
        _ => SimulatedAgent::exiting(0),
    });
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    run
}

#[test]
fn a_skipped_step_counts_as_complete_for_its_round() {
    let mut run = hanging_in_second_round();
    let reply = run.ask(ControlRequest::Skip);
    assert_eq!(reply, Some(ControlReply::Accepted(AcceptedRequest::Skips { step: 1 })));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker exit_code exit_code: complete");
    let expected = "round 1.1, 1.1.1, 2.1.1, refused by 2: text of 2.1.1, round 1.2, 1.2.1, \
                    2.2.1, refused by 2: text of 2.2.1, round 1.3, 1.3.1, 2.3.1, 3.1.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn a_skipped_group_is_left_as_a_whole() {
    let mut run = hanging_in_second_round();
    run.ask(ControlRequest::SkipGroup);
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "skipped skipped exit_code: complete");
    assert_eq!(run.machine.state().groups[0].round, 2);
}
