//! `forkhestra diff`.

use super::finished_run::finished_run;
use crate::support::{forkhestra, git, run_id};

#[test]
fn the_difference_is_that_of_git() {
    let env = finished_run();
    let run = run_id(&env);
    let expected = |from: u32, to: u32| {
        git(&env, &format!("diff refs/forkhestra/{run}/{from} refs/forkhestra/{run}/{to}"))
    };
    for (args, from, to) in [
        (vec![], 0, 5),
        (vec!["2..4"], 2, 4),
        (vec!["..@3"], 0, 3),
        (vec!["1.3.."], 3, 5),
        (vec!["--iteration", "4"], 3, 4),
        (vec![run.as_str(), "4..2"], 4, 2),
        (vec![&run[..4], "-i", "@1"], 0, 1),
    ] {
        let output = forkhestra(&env, &[&["diff"], args.as_slice()].concat());
        assert_eq!(output.stdout, expected(from, to), "{args:?}: {output}");
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
    let output = forkhestra(&env, &["diff", "--iteration", "4", "--stat", "--", "log.txt"]);
    assert_eq!(
        output.stdout,
        " log.txt | 4 +---\n 1 file changed, 1 insertion(+), 3 deletions(-)\n"
    );
}

#[test]
fn settings_of_the_repository_run_no_commands() {
    let env = finished_run();
    env.write("evil.sh", "#!/bin/sh\ntouch ../ran\n");
    git(&env, "config diff.external ./evil.sh");
    git(&env, "config diff.evil.textconv ./evil.sh");
    git(&env, "config core.pager ./evil.sh");
    git(&env, "config pager.diff ./evil.sh");
    env.write(".gitattributes", "* diff=evil\n");
    let output = forkhestra(&env, &["diff", "--iteration", "1"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("+line 1\n"), "{output}");
    assert!(!env.root().join("ran").exists() && !env.has("../ran"));
}

#[test]
fn a_missing_order_of_files_does_not_prevent_a_difference() {
    let env = finished_run();
    let expected = forkhestra(&env, &["diff", "2..4"]).stdout;
    git(&env, "config diff.orderFile /nonexistent");
    let output = forkhestra(&env, &["diff", "2..4"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), expected.as_str()), "{output}");
}

#[test]
fn snapshots_that_an_agent_destroyed_are_read_from_their_backup() {
    let env = finished_run();
    let before = forkhestra(&env, &["diff"]);
    git(&env, "for-each-ref --format='delete %(refname)' refs/forkhestra | git update-ref --stdin");
    git(&env, "reflog expire --expire=now --all");
    git(&env, "gc --quiet --prune=now");
    let after = forkhestra(&env, &["diff", "1..5"]);
    assert_eq!(after.code, Some(0), "{after}");
    assert!(before.stdout.contains("+broken") && after.stdout.contains("+broken"), "{after}");
    // Nothing was new before the run, so that there is no copy of the first one.
    let gone = forkhestra(&env, &["diff", "0..5"]);
    assert_eq!(gone.code, Some(2), "{gone}");
    assert!(gone.stderr.contains("error: snapshot @0 is gone"), "{gone}");
}

#[test]
fn a_wrong_state_is_refused() {
    let env = finished_run();
    let run = run_id(&env);
    for (args, expected) in [
        (vec!["7..9"], "no iteration 7 has a snapshot"),
        (vec!["2..x"], "`2..x` is no snapshot"),
        (vec!["--iteration", "0"], "`0` is the state before the run, and no iteration"),
        (vec!["--iteration", "2.1"], "step 2 has no snapshot of iteration 1"),
        (vec!["-i", "1", "2..3"], "`--iteration` names both states"),
        (vec![run.as_str(), "2"], "`2` is no range of snapshots: write `2..5`"),
        (vec!["nosuchrun"], "nosuchrun"),
        (vec!["--iteration", "-1"], "--iteration"),
    ] {
        let output = forkhestra(&env, &[&["diff"], args.as_slice()].concat());
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{args:?}: {output}");
        assert!(output.stderr.contains(expected), "{args:?}: {output}");
    }
}

#[test]
fn a_run_without_snapshots_says_why() {
    let env = crate::support::repository();
    env.agent("a", crate::support::DONE);
    assert_eq!(forkhestra(&env, &["a:3", "--no-snapshots"]).code, Some(0));
    let output = forkhestra(&env, &["diff"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("has no snapshots: it ran with `--no-snapshots`"), "{output}");
}
