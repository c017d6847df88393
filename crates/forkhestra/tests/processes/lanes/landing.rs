//! Work of lanes that lands, that does not fit, and that is parked.

use super::laned_project::LanedProject;

/// Writes a line that all lanes change, and commits.
const SAME_LINE: &str = r#"
printf '%s' "$FORKHESTRA_FEEDBACK" > "$PLACE/told-$n"
if [ -n "$FORKHESTRA_FEEDBACK" ]; then
  git merge --quiet refs/forkhestra/integration > /dev/null 2>&1
  printf 'both\n2\n3\n' > shared
elif [ ! -e "$PLACE/done-$FORKHESTRA_LANE" ]; then
  printf 'lane %s\n2\n3\n' "$FORKHESTRA_LANE" > shared
fi
: > "$PLACE/done-$FORKHESTRA_LANE"
git commit --quiet --all --message "lane $FORKHESTRA_LANE" || :
"#;

#[test]
fn the_loser_of_a_conflict_is_told_and_merges() {
    let laned = LanedProject::new(SAME_LINE);
    laned.meet(2);
    let run = laned.project.start(&["./agent:4 x2"]);
    laned.release(2);
    let output = run.ended();
    assert_eq!(output.code, Some(1), "{output}");
    let refused = laned.project.events_of("landing_refused");
    let [refusal] = refused.as_slice() else { panic!("one is refused: {refused:?}\n{output}") };
    let loser = &refusal["lane"];
    let told: Vec<String> = (1..=4).map(|number| laned.told(&format!("told-1.{number}"))).collect();
    let told = told.concat();
    for part in ["conflict", "shared", "git merge refs/forkhestra/integration"] {
        assert!(told.contains(part), "{told}");
    }
    let landed = laned.project.events_of("landed");
    let last = landed.last().expect("something landed");
    assert_eq!(&last["landed"][0]["lane"], loser, "{landed:?}");
    assert_eq!(laned.read("shared"), "both\n2\n3\n");
    assert_eq!(laned.git(&["status", "--porcelain"]), "");
    laned.has_everything();
    assert_eq!(laned.lanes(), Vec::<String>::new(), "{output}");
}

#[test]
fn work_that_is_refused_three_times_is_parked_and_the_lane_goes_on() {
    // Lane 2 never merges. Lane 1 lands a change of the line each time.
    let agent = r#"
        git merge --quiet --ff-only refs/forkhestra/integration > /dev/null 2>&1
        printf '%s\n2\n3\n' "$n" > shared
        git commit --quiet --all --message "$n"
    "#;
    let laned = LanedProject::new(agent);
    let run = laned.project.start(&["./agent:7 x2"]);
    let output = run.ended();
    assert_eq!(output.code, Some(1), "{output}");
    let parked = laned.project.events_of("work_parked");
    for (number, event) in (1..).zip(&parked) {
        let reference = laned.reference(&format!("parked/{number}"));
        let commit = laned.git(&["rev-parse", &reference]);
        assert_eq!(event["commit"], commit.as_str());
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(text.contains(&reference), "{text}");
    }
    laned.has_everything();
    assert_eq!(laned.lanes(), Vec::<String>::new(), "parked work is in the repository: {output}");
}

#[test]
fn only_the_culprit_of_a_combination_that_fails_is_refused() {
    let agent = r#"
        printf '%s' "$FORKHESTRA_FEEDBACK" > "$PLACE/told-$n"
        if [ -n "$FORKHESTRA_FEEDBACK" ]; then
            git mv -k "part-$FORKHESTRA_LANE" repaired
            : > "$PLACE/repaired"
        elif [ ! -e "$PLACE/done-$FORKHESTRA_LANE" ]; then : > "part-$FORKHESTRA_LANE"
        else
            # The other lanes leave an iteration for the repair.
            while [ ! -e "$PLACE/repaired" ]; do sleep 0.02; done
        fi
        : > "$PLACE/done-$FORKHESTRA_LANE"
        git add --all
        git commit --quiet --message "lane $FORKHESTRA_LANE" || :
    "#;
    let laned = LanedProject::new(agent);
    laned.meet(3);
    let check = "command:echo looked; ! { test -e part-1 && test -e part-2; }";
    let run = laned.project.start(&["./agent:6 x3", "--check", check]);
    laned.release(3);
    let output = run.ended();
    let refused = laned.project.events_of("landing_refused");
    let [refusal] = refused.as_slice() else { panic!("one is refused: {refused:?}\n{output}") };
    assert_eq!(refusal["why"], "checks", "{refusal}");
    assert_ne!(refusal["lane"], 3, "{refusal}");
    let checks = refusal["checks"].as_array().expect("they are named");
    assert_eq!(checks.len(), 1, "{refusal}");
    let told: String = (1..=6).map(|number| laned.told(&format!("told-1.{number}"))).collect();
    assert!(told.contains("test -e part-1") && told.contains("looked"), "{told}");
    assert_eq!(
        laned
            .project
            .events_of("landed")
            .iter()
            .filter_map(|event| event["landed"].as_array())
            .flatten()
            .count(),
        3
    );
    laned.has_everything();
}

#[test]
fn checks_that_fail_from_the_start_keep_nothing_back() {
    let agent = r#"echo "$n" > "file-$n"; git add --all; git commit --quiet --message "$n""#;
    let laned = LanedProject::new(agent);
    let output = laned.project.run(&["./agent:4 x2", "--check", "command:false"]);
    assert_eq!(output.code, Some(1), "{output}");
    for number in 1..=4 {
        assert_eq!(laned.read(&format!("file-1.{number}")), format!("1.{number}\n"));
    }
    laned.has_everything();
}

/// Snapshots of a lane are read when the lane is gone.
#[test]
fn the_changes_of_an_iteration_are_shown_after_its_lane_was_removed() {
    let agent = r#"echo "$n" > "file-$n"; git add --all; git commit --quiet --message "$n""#;
    let laned = LanedProject::new(agent);
    let ran = laned.project.run(&["./agent:2 x2"]);
    assert_eq!(laned.lanes(), Vec::<String>::new(), "{ran}");
    let run = laned.project.run_id();
    for number in 1..=2 {
        let diff = laned.project.run(&["diff", &run, "--stat", "-i", &number.to_string()]);
        assert_eq!(diff.code, Some(0), "{diff}");
        assert!(diff.stdout.contains(&format!("file-1.{number}")), "{diff}");
    }
    // Removing the run removes its refs.
    let removed = laned.project.run(&["runs", "rm", "-f", &run]);
    assert_eq!(removed.code, Some(0), "{removed}");
    assert_eq!(laned.git(&["for-each-ref", "refs/forkhestra"]), "");
}

/// Only commits land, so what is not committed is no completed work.
#[test]
fn a_claim_without_a_commit_is_refused() {
    let agent = r#"
        if [ -n "$FORKHESTRA_FEEDBACK" ]; then
          printf '%s' "$FORKHESTRA_FEEDBACK" > "$PLACE/told"
          git add --all; git commit --quiet --message "$n"
        else
          echo made > made
        fi
        echo FORKHESTRA_COMPLETE
    "#;
    let laned = LanedProject::new(agent);
    let output = laned.project.run(&["(./agent:4 | ./agent:1)"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(laned.told("told").contains("Commit these changes first"), "{output}");
    assert_eq!(laned.read("made"), "made\n");
    // The other branch has no iteration left in which its agent could commit.
    assert!(
        output.stderr.contains("leaves uncommitted files, which do not land: made"),
        "{output}"
    );
    laned.has_everything();
}
