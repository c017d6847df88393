//! The model by which tokens are priced, where neither the config nor the agent names one.

use super::origin::Sourced;
use super::surroundings::Surroundings;
use super::types::AgentKind;
use crate::config::Backend;

/// The model that Codex uses without being told one by the config: that of the step's arguments, else
/// that of its own settings. The other programs name their model, or say what they cost.
pub(super) fn priced_model(
    kind: &AgentKind,
    args: &[Sourced<String>],
    world: &dyn Surroundings,
) -> Option<String> {
    let AgentKind::Direct(direct) = kind else { return None };
    if direct.backend != Backend::Codex || direct.model.is_some() {
        return None;
    }
    let args: Vec<&str> = args.iter().map(|arg| arg.value.as_str()).collect();
    let model = option(&args, &["-m", "--model"]).or_else(|| setting(&args, "model"));
    model.or_else(|| {
        let profile = option(&args, &["-p", "--profile"]).or_else(|| setting(&args, "profile"));
        world.settings_model(direct.backend, &direct.env, profile.as_deref())
    })
}

/// The last value of an option, in a word of its own or behind `=`.
fn option(args: &[&str], names: &[&str]) -> Option<String> {
    let mut values = args.iter().enumerate().filter_map(|(at, arg)| {
        if names.contains(arg) {
            return args.get(at + 1).copied();
        }
        let (name, value) = arg.split_once('=')?;
        names.contains(&name).then_some(value)
    });
    values.next_back().map(str::to_owned)
}

/// The last value of a setting that is given as `-c key=value`.
fn setting(args: &[&str], key: &str) -> Option<String> {
    let pairs = args.windows(2).filter(|pair| matches!(pair[0], "-c" | "--config"));
    let mut values = pairs.filter_map(|pair| {
        let (name, value) = pair[1].split_once('=')?;
        (name.trim() == key).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    values.next_back()
}
