//! A run whose states are compared and restored.

use testkit::TestEnv;

use crate::support::{forkhestra, repository};

/// An agent that adds a line and a file in each iteration, commits the second one, and breaks the
/// fourth.
const AGENT: &str = r#"
n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n
echo "line $n" >> log.txt
if [ $n = 2 ]; then mkdir d; echo x > d/new; git add --all; git commit --quiet --message second; fi
if [ $n = 4 ]; then rm -r d; echo broken > log.txt; fi
if [ $n = 5 ]; then echo FORKHESTRA_COMPLETE; fi
"#;

/// A repository with a complete run of five iterations.
pub(super) fn finished_run() -> TestEnv {
    let env = repository();
    env.write(".git/info/exclude", ".agent-state\n").agent("a", AGENT);
    let output = forkhestra(&env, &["a:9"]);
    assert_eq!(output.code, Some(0), "{output}");
    env
}
