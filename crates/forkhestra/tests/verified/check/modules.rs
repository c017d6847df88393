//! Checks that are modules with a `check` function.

use std::os::unix::fs::symlink;

use testkit::{InstalledAgents, TestEnv};

use crate::support::{DONE, check_outcomes, events_of, forkhestra, project, text};

/// Links the node that the test command installs, which runs TypeScript; false, with a message, if
/// there is none.
fn with_node(env: &TestEnv) -> bool {
    let node = InstalledAgents::find().and_then(|agents| agents.node());
    let Some(node) = node else { return false };
    symlink(node, env.bin().join("node")).expect("the place is ours");
    true
}

#[test]
fn a_typescript_module_decides_with_the_context_of_the_iteration() {
    let env = project();
    if !with_node(&env) {
        return;
    }
    env.agent("a", "echo iteration $FORKHESTRA_ITERATION; echo FORKHESTRA_COMPLETE");
    env.write("check.ts", r#"
        interface CheckerContext { workDir: string; iteration: number; agentOutput: string; exitCode: number }
        export default async function check(ctx: CheckerContext): Promise<{ passed: boolean; message?: string }> {
            console.log("looking at", ctx.iteration);
            const passed = ctx.agentOutput.includes("iteration 2") && ctx.exitCode === 0;
            return { passed, message: passed ? undefined : `iteration ${ctx.iteration} is too early` };
        }
    "#);
    let output = forkhestra(&env, &["a:4", "--check", "./check.ts"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(check_outcomes(&env), ["./check.ts failed", "./check.ts passed"]);
    assert!(output.stdout.contains("iteration 1 is too early"), "{output}");
}

#[test]
fn every_form_of_a_module_is_accepted() {
    let modules = [
        ("export function check(ctx) { return { passed: ctx.iteration === 1 } }", "passed"),
        ("export default { name: 'mine', check: async () => ({ passed: true }) }", "passed"),
        ("export const check = async () => ({ passed: false, message: 'no' })", "failed"),
        ("export default () => { throw new Error('broken on purpose') }", "failed"),
        ("export const nothing = 'no check'", "failed"),
        ("export default () => 'yes'", "failed"),
    ];
    for (module, expected) in modules {
        let env = project();
        if !with_node(&env) {
            return;
        }
        env.agent("a", DONE).write("check.mjs", module);
        let output = forkhestra(&env, &["a:1", "--check", "check.mjs"]);
        assert_eq!(check_outcomes(&env), [format!("check.mjs {expected}")], "{module}: {output}");
        if module.contains("broken") {
            let check = &events_of(&env, "check_finished")[0]["check"];
            assert!(text(&check["message"]).contains("broken on purpose"), "{check}");
        }
    }
}

#[test]
fn without_a_module_runtime_the_run_is_refused() {
    let env = project();
    env.agent("a", "touch started").write("check.ts", "export default () => ({ passed: true })");
    let message = forkhestra(&env, &["a:1", "--check", "check.ts"]).failure(2);
    for program in ["bun", "deno", "node", "check.ts"] {
        assert!(message.contains(program), "{program}: {message}");
    }
    assert!(!env.has("started"));
}
