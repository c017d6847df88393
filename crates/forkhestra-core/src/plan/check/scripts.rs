//! The scripts of checks: they must exist, and a program must be able to run them.

use crate::check::{BUILT_IN, CheckSpec, FORMS};
use crate::config::ConfigLayer;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Span;
use crate::plan::check::plan_check::{ModuleRunner, ModuleRunnerKind};
use crate::plan::error;
use crate::plan::host_environment::{FileState, ProgramLocation};
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::step::agent_files::file_problem;
use crate::text;

struct ScriptProblem {
    what: String,
    hints: Vec<String>,
}

impl PlanBuilder<'_> {
    /// Finds the script of a check, and the program that runs it if it is a module.
    pub(crate) fn find_script(
        &mut self,
        spec: &CheckSpec,
        place: Option<(&ConfigLayer, Span)>,
    ) -> Option<ModuleRunner> {
        let CheckSpec::Script(path) = spec else { return None };
        let found = self.runner_of(path, spec, place.is_none());
        let ScriptProblem { what, hints } = match found {
            Ok(runner) => return runner,
            Err(problem) => problem,
        };
        let error = Diagnostic::error(format!("Check script '{path}' {what}"));
        let error = match place {
            Some((layer, span)) => error.at(&layer.source, span, what),
            None => error,
        };
        self.report(hints.into_iter().fold(error, Diagnostic::hint));
        None
    }

    fn runner_of(
        &self,
        path: &str,
        spec: &CheckSpec,
        is_typed: bool,
    ) -> Result<Option<ModuleRunner>, ScriptProblem> {
        let state = self.host.file(path);
        if let Some(what) = file_problem(&state) {
            return Err(ScriptProblem {
                what,
                hints: missing_script_hints(path, is_typed, &state),
            });
        }
        if spec.is_module() {
            return self.module_runner().map(Some).ok_or_else(no_module_runner);
        }
        let as_path = if path.contains('/') { path.to_owned() } else { format!("./{path}") };
        if spec.is_shell_script() || matches!(self.host.locate(&as_path), ProgramLocation::Found(_))
        {
            return Ok(None);
        }
        let what = "is not executable".to_owned();
        Err(ScriptProblem {
            what,
            hints: vec!["make the script executable with `chmod +x`".to_owned()],
        })
    }

    /// The first installed program that runs modules.
    fn module_runner(&self) -> Option<ModuleRunner> {
        ModuleRunnerKind::ALL.into_iter().find_map(|kind| match self.host.locate(kind.program()) {
            ProgramLocation::Found(path) => Some(ModuleRunner { kind, path }),
            ProgramLocation::Missing(_) => None,
        })
    }
}

fn no_module_runner() -> ScriptProblem {
    let programs = text::quoted(&ModuleRunnerKind::ALL.map(ModuleRunnerKind::program));
    ScriptProblem {
        what: format!(
            "is a module, and none of {} is installed to run it",
            text::join_with_and(&programs)
        ),
        hints: vec![
            format!("install {}, or put it on PATH", text::join_with_or(&programs)),
            "a check may also be a shell script or any other program".to_owned(),
        ],
    }
}

/// Hints for a path that does not exist.
fn missing_script_hints(path: &str, is_typed: bool, state: &FileState) -> Vec<String> {
    let (word, rest) = match path.split_once(':') {
        Some((word, rest)) => (word, format!(":{rest}")),
        None => (path, String::new()),
    };
    let no_agent = format!("no agent of this chain is called `{word}`");
    let similar = text::nearest(word, BUILT_IN);
    (is_typed && !rest.is_empty())
        .then_some(no_agent)
        .into_iter()
        .chain(similar.map(|similar| format!("did you mean `{similar}{rest}`?")))
        .chain([format!("a check is {FORMS}")])
        .chain(error::path_base_hint(state))
        .collect()
}
