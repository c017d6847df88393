//! Finds check modules that cannot work: TypeScript that the installed node cannot run, and modules
//! without a callable export.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use forkhestra_core::check::CheckSpec;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{ModuleRunner, ModuleRunnerKind, Plan, PlanStep};
use forkhestra_engine::regular_file;

/// The first node version that runs TypeScript, by stripping types.
const FIRST: (u32, u32) = (22, 6);

/// Reports every check module that cannot work.
pub(super) fn problems(plan: &Plan) -> Vec<Diagnostic> {
    old_node_problems(plan).into_iter().chain(missing_exports(plan)).collect()
}

/// Reports TypeScript checks for which only an old node is installed. Each node is queried once for
/// its version.
fn old_node_problems(plan: &Plan) -> Vec<Diagnostic> {
    let mut versions: BTreeMap<&str, Result<String, String>> = BTreeMap::new();
    let mut problems: Vec<Diagnostic> = Vec::new();
    for check in plan.steps.iter().flat_map(PlanStep::all_checks) {
        let (Some(runner), CheckSpec::Script(script)) = (&check.value.runner, &check.value.check)
        else {
            continue;
        };
        if runner.kind != ModuleRunnerKind::Node || !is_typescript(script) {
            continue;
        }
        let version = versions.entry(&runner.path).or_insert_with(|| ask(&runner.path));
        let problem = problem(script, runner, version.as_deref());
        problems.extend(problem.filter(|problem| !problems.contains(problem)));
    }
    problems
}

/// Reports modules that certainly export neither `check` nor a default.
fn missing_exports(plan: &Plan) -> Vec<Diagnostic> {
    let mut scripts: Vec<&str> = Vec::new();
    for check in plan.steps.iter().flat_map(PlanStep::all_checks) {
        if let (Some(_), CheckSpec::Script(script)) = (&check.value.runner, &check.value.check)
            && !scripts.contains(&script.as_str())
        {
            scripts.push(script);
        }
    }
    let lacks_export = |script: &&str| {
        let text = regular_file::read_text(&Path::new(&plan.working_directory).join(script));
        // An unreadable module is reported when it is located.
        text.is_ok_and(|text| !may_export_check(&text))
    };
    let problem = |script: &str| {
        Diagnostic::error(format!(
            "the check `{script}` exports neither `check` nor a default function"
        ))
        .hint("write `export function check(ctx) { … }`, or make the function the default export")
    };
    scripts.into_iter().filter(lacks_export).map(problem).collect()
}

/// Whether a module may have a callable export, judged by its words. `false` is certain, `true` is
/// not.
fn may_export_check(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .filter(|word| !word.is_empty())
        .collect();
    // `export * from …`, and TypeScript's `export = …`.
    let mut exports = text.split("export").skip(1).map(str::trim_start);
    let is_any = exports.any(|rest| rest.starts_with(['*', '=']));
    is_any || ["exports", "default", "check"].iter().any(|word| words.contains(word))
}

/// The problem that prevents a module from running with its runner.
pub(crate) fn module_problem(
    script: &str,
    kind: ModuleRunnerKind,
    path: &str,
) -> Option<Diagnostic> {
    if kind != ModuleRunnerKind::Node || !is_typescript(script) {
        return None;
    }
    let runner = ModuleRunner { kind, path: path.to_owned() };
    problem(script, &runner, ask(path).as_deref())
}

fn problem(
    script: &str,
    runner: &ModuleRunner,
    version: Result<&str, &String>,
) -> Option<Diagnostic> {
    let path = &runner.path;
    let (major, minor) = FIRST;
    let error = match version {
        Err(why) => Diagnostic::error(format!(
            "the check `{script}` is run by `{path}`, which cannot be used: {why}"
        )),
        // A node with an unreadable version may be newer.
        Ok(version) if number(version).is_none_or(|number| number >= FIRST) => return None,
        Ok(version) => Diagnostic::error(format!(
            "the check `{script}` is TypeScript, which `{path}` cannot run: it is node {version}, \
             and {major}.{minor} is the first that can"
        )),
    };
    Some(error.hint(format!(
        "install bun, deno or node {major}.{minor} or later, or write the check in JavaScript"
    )))
}

fn is_typescript(script: &str) -> bool {
    let extension = script.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "ts" | "mts" | "cts")
}

/// The version that node prints, such as `20.19.4`.
fn ask(node: &str) -> Result<String, String> {
    let output = Command::new(node)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("`{node} --version` fails ({})", output.status));
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    Ok(stdout.trim().trim_start_matches('v').to_owned())
}

/// Major and minor version.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_runs_typescript_from_a_certain_version_on() {
        let runner = ModuleRunner { kind: ModuleRunnerKind::Node, path: "/opt/node".to_owned() };
        for (version, can) in [
            ("20.19.4", false),
            ("22.5.1", false),
            ("22.6.0", true),
            ("22.18.0", true),
            ("24.1.0", true),
            ("nightly", true),
        ] {
            let found = problem("check.ts", &runner, Ok(version));
            assert_eq!(found.is_none(), can, "{version}");
            let says_so = |problem: &Diagnostic| problem.message.contains(version);
            assert!(found.iter().all(says_so), "{found:?}");
        }
        let broken = problem("check.ts", &runner, Err(&"no".to_owned()));
        assert!(broken.is_some_and(|problem| problem.message.ends_with("cannot be used: no")));
    }

    #[test]
    fn the_source_of_a_module_shows_whether_it_may_export_a_name() {
        for (text, expected) in [
            ("export function check(ctx) {}", true),
            ("export const check = async () => {}", true),
            ("export default (ctx) => {}", true),
            ("module.exports = { run }", true),
            ("export * from './other.mjs'", true),
            ("export\n  * from './other.mjs'", true),
            ("export = run", true),
            ("export { verify as check }", true),
            ("export function checker(ctx) {}", false),
            ("export const done = () => {}", false),
            ("", false),
        ] {
            assert_eq!(may_export_check(text), expected, "{text}");
        }
    }

    #[test]
    fn only_typescript_needs_a_new_node() {
        for (script, expected) in
            [("a.ts", true), ("a.mts", true), ("a.js", false), ("a.mjs", false), ("ts", false)]
        {
            assert_eq!(is_typescript(script), expected, "{script}");
        }
    }

    #[test]
    fn a_program_that_cannot_start_has_no_version() {
        assert!(ask("/nowhere/node").is_err());
        assert!(ask("/bin/false").is_err());
    }
}
