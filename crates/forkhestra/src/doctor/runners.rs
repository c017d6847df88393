//! The runners of check modules, if there are any such checks.

use forkhestra_core::check::CheckSpec;
use forkhestra_core::plan::{ConfigInventory, HostEnvironment, ModuleRunnerKind, ProgramLocation};

use super::finding::{DoctorFinding, FindingSubject};
use crate::preflight;

/// The modules among the checks of all chains.
pub(super) fn modules(inventory: &ConfigInventory) -> Vec<String> {
    let steps = inventory.chains.iter().flat_map(|chain| &chain.steps);
    let checks = steps.flat_map(|step| &step.checks);
    let specs = checks.filter_map(|check| CheckSpec::parse(check).ok());
    let mut paths: Vec<String> = specs
        .filter(CheckSpec::is_module)
        .filter_map(|spec| match spec {
            CheckSpec::Script(path) => Some(path),
            _ => None,
        })
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The finding about the program that runs the modules. If none is installed, the chains are
/// reported as unusable elsewhere.
pub(super) fn findings(
    modules: &[String],
    host: &dyn HostEnvironment,
    shown: &dyn Fn(&str) -> String,
) -> Vec<DoctorFinding> {
    let found =
        ModuleRunnerKind::ALL.into_iter().find_map(|kind| match host.locate(kind.program()) {
            ProgramLocation::Found(path) => Some((kind, path)),
            ProgramLocation::Missing(_) => None,
        });
    let (false, Some((kind, path))) = (modules.is_empty(), found) else { return Vec::new() };
    let problem = modules.iter().find_map(|module| preflight::module_problem(module, kind, &path));
    let program = shown(&path);
    vec![match problem {
        Some(problem) => {
            let remedy = problem.hints.first().cloned();
            FindingSubject::Config.warning(problem.message).maybe_remedy(remedy)
        }
        None => FindingSubject::Config.ok(format!("checks that are modules are run by {program}")),
    }]
}
