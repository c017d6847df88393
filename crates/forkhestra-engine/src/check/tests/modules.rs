//! Tests of modules with a `check` function, under node if it is installed.

use std::path::PathBuf;

use forkhestra_core::plan::{ModuleRunner, ModuleRunnerKind};

use crate::aux_job::aux_job_command::is_executable;
use crate::aux_job::aux_job_command::tests::{AuxJobCase, AuxJobRun};

/// The path of node. Without node, tests print a note and pass.
#[expect(clippy::print_stderr, reason = "a skipped test is reported")]
fn node() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|place| place.join("node"));
    let node = found.into_iter().find(|node| is_executable(node));
    if node.is_none() {
        eprintln!("there is no node on PATH, so nothing is tested");
    }
    node
}

fn with_runner(kind: ModuleRunnerKind, path: &str, module: &str, text: &str) -> AuxJobCase {
    let mut case = AuxJobCase::check(module, 3).printed("what the agent said\n");
    let runner = ModuleRunner { kind, path: path.to_owned() };
    case.state.plan.steps[0].checks[0].value.runner = Some(runner);
    case.write(&format!("project/{module}"), text, 0o644);
    case
}

/// The result of a module with this name and text.
fn run(module: &str, text: &str) -> Option<AuxJobRun> {
    let node = node()?;
    let node = node.to_str().expect("it is plain");
    Some(with_runner(ModuleRunnerKind::Node, node, module, text).run(AuxJobCase::the_check()))
}

/// Checks the verdict and the message of a module.
#[track_caller]
fn assert_module_result(module: &str, text: &str, passed: bool, message: Option<&str>) {
    let Some(ran) = run(module, text) else { return };
    assert_eq!(ran.answer.passed, Some(passed), "{text}: {ran:?}");
    assert_eq!(ran.answer.message.as_deref(), message, "{text}");
    assert_eq!(ran.code, Some(i32::from(!passed)), "{text}");
    assert!(ran.stdout.lines().all(|line| line.is_empty() || line.starts_with('{')), "{ran:?}");
}

#[test]
fn every_form_of_a_check_is_understood() {
    for text in [
        "export default (ctx) => ({ passed: ctx.exitCode === 3 });",
        "export default async (ctx) => ({ passed: ctx.agentOutput.includes('agent said') });",
        "export function check(ctx) { return { passed: ctx.iteration === 1 }; }",
        "export const check = async (ctx) => ({ passed: ctx.workDir === process.cwd() });",
        "export default { name: 'x', check() { return { passed: this.name === 'x' }; } };",
    ] {
        assert_module_result("check.mjs", text, true, None);
    }
    assert_module_result(
        "check.cjs",
        "module.exports = { check: () => ({ passed: true }) };",
        true,
        None,
    );
    assert_module_result("check.cjs", "exports.check = () => ({ passed: true });", true, None);
    let compiled =
        "exports.__esModule = true; exports.default = { check: () => ({ passed: true }) };";
    assert_module_result("check.cjs", compiled, true, None);
}

#[test]
fn a_check_says_why_it_did_not_pass() {
    let no = "({ passed: false, message: '71 % of 80 %' })";
    assert_module_result(
        "check.mjs",
        &format!("export default () => {no};"),
        false,
        Some("71 % of 80 %"),
    );
    let named = format!("export default {{ name: 'coverage', check: async () => {no} }};");
    assert_module_result("check.mjs", &named, false, Some("coverage: 71 % of 80 %"));
    let named = format!("export const name = 'coverage'; export const check = () => {no};");
    assert_module_result("check.mjs", &named, false, Some("coverage: 71 % of 80 %"));
    assert_module_result(
        "check.mjs",
        "export default () => ({ passed: false });",
        false,
        Some("did not pass"),
    );
}

#[test]
fn the_output_of_a_module_is_not_its_result() {
    let text = "process.on('exit', () => console.log('{\"passed\": true}'));
        console.log('{\"passed\": true}');
        process.stdout.write('{\"passed\": true}');
        export default () => { console.info('checking'); return { passed: false, message: 'no' }; };";
    let Some(ran) = run("check.mjs", text) else { return };
    assert_eq!((ran.answer.passed, ran.answer.message.as_deref()), (Some(false), Some("no")));
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["{\"passed\":false,\"message\":\"no\"}"]);
    assert!(ran.stderr.contains("checking"), "people can see it");
}

#[test]
fn a_module_that_does_not_answer_has_not_passed() {
    for (text, message) in [
        ("export default () => { throw new Error('broken'); };", "its check failed: broken"),
        ("export default async () => { throw 'text'; };", "its check failed: text"),
        ("throw new Error('at once');", "it cannot be loaded: at once"),
        ("process.exit(0);", "it ended before its check had answered"),
        ("export default () => process.exit(0);", "it ended before its check had answered"),
        ("export default () => new Promise(() => {});", "it ended before its check had answered"),
        (
            "export default () => new Promise(() => { setImmediate(() => { throw new Error('late'); }); });",
            "it failed: late",
        ),
        (
            "export const other = 1;",
            "it exports no check: a function, by default or called `check`, or an object with one",
        ),
        (
            "export default () => true;",
            "its check returned true, which is not { passed: true or false, message?: text }",
        ),
        (
            "export default () => undefined;",
            "its check returned undefined, which is not { passed: true or false, message?: text }",
        ),
        (
            "export default () => ({ passed: 'yes' });",
            "its check returned {\"passed\":\"yes\"}, which is not { passed: true or false, message?: \
             text }",
        ),
    ] {
        assert_module_result("check.mjs", text, false, Some(message));
    }
    let Some(ran) = run("check.mjs", "export default () => {{{") else { return };
    let message = ran.answer.message.expect("it says why");
    assert!(message.starts_with("it cannot be loaded: "), "{message}");
    assert!(ran.answer.tail.expect("it was printed").contains("SyntaxError"));
}

#[test]
fn a_long_message_does_not_hide_the_answer() {
    let text = "export default () => ({ passed: false, message: 'x'.repeat(1e6) });";
    let Some(ran) = run("check.mjs", text) else { return };
    assert_eq!(ran.answer.passed, Some(false));
    assert!(ran.stdout.len() < 4096, "{}", ran.stdout.len());
}

#[test]
fn a_typed_module_passes_or_reports_the_missing_part() {
    let text = "interface Result { passed: boolean }
        export default async (ctx: { exitCode: number }): Promise<Result> => ({ passed: ctx.exitCode === 3 });";
    let Some(ran) = run("check.ts", text) else { return };
    let message = ran.answer.message.unwrap_or_default();
    let needs_another = message.starts_with("node v") && message.ends_with("bun or deno");
    assert!(ran.answer.passed == Some(true) || needs_another, "{message}: {}", ran.stderr);
}

#[test]
fn each_runner_has_its_own_command_line() {
    for (kind, first) in [
        (ModuleRunnerKind::Bun, &["run"][..]),
        (ModuleRunnerKind::Deno, &["run", "--allow-all"]),
        (ModuleRunnerKind::Node, &[]),
    ] {
        let case = with_runner(kind, "/opt/runner", "check.ts", "");
        let process = case.process(AuxJobCase::the_check());
        assert_eq!(process.program, PathBuf::from("/opt/runner"));
        let files = case.scratch().join("errand/check-1-1-1-1");
        let (shim, context) = (files.join("check.mjs"), files.join("stdin"));
        let module = case.project().join("check.ts");
        assert!(shim.exists() && context.exists());
        let paths = [shim, module, context].map(PathBuf::into_os_string);
        let expected: Vec<_> = first.iter().map(Into::into).chain(paths).collect();
        assert_eq!(process.args, expected);
    }
}
