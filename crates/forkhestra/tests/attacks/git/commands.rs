//! Commands in the settings of a repository. Git of ours runs none of them.

use super::support::{assert_incomplete, attack, failing_project, trace};
use crate::support::{DONE, forkhestra};

/// Settings that make git run a command whenever it looks at files. The agent writes them last, so
/// that its own git does not run them.
fn filters(trace: &str) -> String {
    format!(
        "git config filter.x=y.clean 'touch {trace}; cat'
        git config filter.x=y.process 'touch {trace}'
        git config filter.x=y.required true
        git config core.fsmonitor 'touch {trace}'
        git config diff.external 'touch {trace}'
        git config diff.d.textconv 'touch {trace}; cat'
        git config diff.d.command 'touch {trace}'
        git config core.pager 'touch {trace}'
        git config core.hooksPath $PWD/hooks
        mkdir -p hooks .git/info
        for hook in post-index-change reference-transaction post-checkout pre-auto-gc; do
            printf '#!/bin/sh\ntouch {trace}\n' > hooks/$hook; chmod +x hooks/$hook
        done
        echo '* filter=x=y diff=d' > .git/info/attributes
        echo changed > answer; echo new > another"
    )
}

#[test]
fn a_filter_is_not_run_when_the_agent_is_gone() {
    for options in [&["--stagnation", "3"][..], &["--clean-room", "--check", "command:true"]] {
        let env = failing_project();
        let trace = trace(&env);
        env.agent("a", &format!("{}\n{DONE}", filters(&trace.display().to_string())));
        let output = forkhestra(&env, &[&["a:1"], options].concat());
        assert!(!trace.exists(), "{options:?}: {output}");
    }
}

#[test]
fn a_filter_of_a_nested_repository_is_not_run() {
    let env = failing_project();
    let trace = trace(&env);
    let filters = filters(&trace.display().to_string());
    // x03: the settings of the outer repository say nothing about it. The second one is in its index.
    let script = format!(
        "for name in untracked tracked; do
            git init --quiet $name; cd $name; echo x > answer; git add answer
            git commit --quiet --message x; cd ..
        done
        git add tracked 2>/dev/null; git commit --quiet --message nested
        for name in untracked tracked; do cd $name; {filters}; cd ..; done"
    );
    let output = attack(&env, &script, &["--stagnation", "3"]);
    assert!(!trace.exists(), "{output}");
    assert_eq!(assert_incomplete(&env, &output), ["refused uncommitted_work"]);
    assert!(output.stdout.contains("tracked, untracked"), "{output}");
}

#[test]
fn no_missing_object_is_fetched_from_a_remote_of_the_agent() {
    let env = failing_project();
    let trace = trace(&env);
    // Without the object, git cannot count the lines that the agent changed.
    let script = format!(
        "blob=$(git rev-parse HEAD:test.sh)
        echo true > test.sh; git commit --quiet --all --message weak
        git config core.repositoryFormatVersion 1; git config extensions.partialClone evil
        git config remote.evil.promisor true; git config remote.evil.url $PWD
        git config remote.evil.uploadpack 'touch {trace}; git-upload-pack'
        git config core.sshCommand 'touch {trace}'
        rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)",
        trace = trace.display()
    );
    let output = attack(&env, &script, &["--stagnation", "3"]);
    assert_incomplete(&env, &output);
    assert!(!trace.exists(), "{output}");
}

#[test]
fn the_command_that_packs_objects_is_not_run() {
    let env = failing_project();
    let trace = trace(&env);
    let script = format!(
        "git config uploadpack.packObjectsHook 'touch {trace}; exec'
        git config core.alternateRefsCommand 'touch {trace}'
        git config core.fsmonitor 'touch {trace}'",
        trace = trace.display()
    );
    let output = attack(&env, &script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
    assert!(!trace.exists(), "{output}");
}

#[test]
fn commands_before_and_after_a_run_run_no_filter() {
    let env = failing_project();
    let trace = trace(&env);
    env.agent("a", DONE);
    let script = filters(&trace.display().to_string());
    assert_eq!(env.run("/bin/sh", &["-c", &script]).code, Some(0));
    assert_eq!(
        forkhestra(&env, &["a:1", "--clean-room", "--check", "command:true", "--dry-run"]).code,
        Some(0)
    );
    for verb in ["doctor", "a:1", "show", "runs", "init"] {
        let output = forkhestra(&env, &[verb]);
        assert_ne!(output.code, None, "{output}");
    }
    assert!(!trace.exists());
}
