//! The summary at the end of a run.

use crate::support::{forkhestra, repository, run_id};

#[test]
fn the_summary_names_the_deciding_check_and_the_commits() {
    let env = repository();
    env.agent(
        "a",
        "echo $FORKHESTRA_ITERATION >> made; git add made; \
        git commit --quiet -m \"Work of iteration $FORKHESTRA_ITERATION\"; \
        [ $FORKHESTRA_ITERATION = 2 ] && echo FORKHESTRA_COMPLETE; exit 0",
    );
    let parts = forkhestra(&env, &["a:5", "--check", "command:test -s made"]);
    assert_eq!(parts.code, Some(0), "{parts}");
    let page = env.read(&format!(".agent-state/summary-{}.md", run_id(&env)));
    for text in [&parts.stdout, &page] {
        assert!(text.contains("Work of iteration 1"), "{text}");
        assert!(text.contains("Work of iteration 2"), "{text}");
        assert!(text.contains("1 file changed"), "{text}");
        assert!(text.contains("test -s made"), "{text}");
    }
}

#[test]
fn an_incomplete_run_names_its_logs_and_resume_command() {
    let env = repository();
    env.agent("a", "echo FORKHESTRA_COMPLETE");
    let parts = forkhestra(&env, &["a:1", "--check", "command:false"]);
    assert_eq!(parts.code, Some(1), "{parts}");
    let page = env.read(&format!(".agent-state/summary-{}.md", run_id(&env)));
    assert!(page.contains("forkhestra resume"), "{page}");
    assert!(page.contains("logs"), "{page}");
    assert!(page.contains("- `false`: exit 1"), "{page}");
}
