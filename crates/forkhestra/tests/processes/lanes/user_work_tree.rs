//! The user's work tree while lanes land.

use super::laned_project::LanedProject;

/// Lane 2 changes `shared` and claims completion; lane 1 changes another file.
const ONE_CLAIMS: &str = r#"
if [ "$FORKHESTRA_LANE" = 2 ]; then echo 4 >> shared; else echo "$n" > new; git add new; fi
git commit --quiet --all --message "$n"
[ "$FORKHESTRA_LANE" = 2 ] && echo FORKHESTRA_COMPLETE
exit 0
"#;

/// Starts a run, acts once both agents have begun, and lets it end.
fn while_agents_work(laned: &LanedProject, action: impl FnOnce()) -> testkit::CommandOutput {
    laned.meet(2);
    let run = laned.project.start(&["./agent:9 x2"]);
    // Lanes begin with what the user has committed at the start.
    laned.wait_for_agents(2);
    action();
    laned.release(2);
    run.ended()
}

#[test]
fn edits_elsewhere_are_kept_and_commits_are_merged() {
    let laned = LanedProject::new(ONE_CLAIMS);
    let output = while_agents_work(&laned, || {
        laned.write("mine", "mine\n");
        laned.git(&["add", "mine"]);
        laned.git(&["commit", "--quiet", "--message", "mine"]);
        laned.write("other", "edited\n");
        laned.write("untracked", "x\n");
    });
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(laned.git(&["status", "--porcelain"]), " M other\n?? untracked");
    assert_eq!((laned.read("other"), laned.read("mine")), ("edited\n".into(), "mine\n".into()));
    assert_eq!(laned.read("shared"), "1\n2\n3\n4\n");
    laned.has_everything();
}

#[test]
fn what_is_in_the_way_holds_landed_work_until_a_resume() {
    type Case = (&'static str, fn(&LanedProject), fn(&LanedProject));
    let cases: [Case; 5] = [
        (
            "uncommitted changes: shared",
            |laned| laned.write("shared", "1\n2\n3\nmine\n"),
            |laned| drop(laned.git(&["stash", "--quiet"])),
        ),
        (
            "new",
            |laned| laned.write("new", "mine\n"),
            |laned| std::fs::remove_file(laned.project.project().join("new")).expect("it is ours"),
        ),
        (
            "branch elsewhere is checked out instead of main",
            |laned| drop(laned.git(&["switch", "--quiet", "--create", "elsewhere"])),
            |laned| drop(laned.git(&["switch", "--quiet", "main"])),
        ),
        (
            "no branch is checked out",
            |laned| drop(laned.git(&["switch", "--quiet", "--detach"])),
            |laned| drop(laned.git(&["switch", "--quiet", "main"])),
        ),
        (
            "index.lock",
            |laned| laned.write(".git/index.lock", ""),
            |laned| {
                let lock = laned.project.project().join(".git/index.lock");
                std::fs::remove_file(lock).expect("it is ours");
            },
        ),
    ];
    for (why, obstruct, clear) in cases {
        let laned = LanedProject::new(ONE_CLAIMS);
        let output = while_agents_work(&laned, || obstruct(&laned));
        assert_eq!(output.code, Some(1), "{why}: {output}");
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(text.contains(why) && text.contains("not_landed"), "{why}: {text}");
        let agents = laned.project.started();
        // It stays as it is for as long as it is in the way.
        let again = laned.project.resume_as_printed(&output);
        assert_eq!(again.code, Some(1), "{why}: {again}");
        clear(&laned);
        let resumed = laned.project.resume_as_printed(&again);
        assert_eq!(resumed.code, Some(0), "{why}: {resumed}");
        assert_eq!(laned.project.started(), agents, "{why}: no agent is started");
        assert_eq!(laned.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
        laned.has_everything();
        assert_eq!(laned.lanes(), Vec::<String>::new(), "{why}");
    }
}

/// The run is not complete, but all its iterations are used: landed work is not forgotten.
#[test]
fn a_step_without_iterations_left_says_that_work_is_held() {
    let agent = r#"echo "$n" >> shared; git commit --quiet --all --message "$n""#;
    let laned = LanedProject::new(agent);
    laned.project.gate("lane1");
    let run = laned.project.start(&["./agent:1 x2"]);
    laned.project.open_gate("lane1");
    laned.write("shared", "mine\n");
    let output = run.ended();
    assert_eq!(output.code, Some(1), "{output}");
    assert!(format!("{}{}", output.stdout, output.stderr).contains("not_landed"), "{output}");
    assert_eq!(laned.read("shared"), "mine\n");
    laned.git(&["checkout", "--quiet", "shared"]);
    let resumed = laned.project.resume_as_printed(&output);
    assert!(resumed.stdout.contains("max_iterations"), "{resumed}");
    assert_eq!(laned.project.started(), ["1.1"]);
    laned.has_everything();
}
