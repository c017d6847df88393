//! The invocation of Gemini CLI.

use forkhestra_core::config::Permissions;

use super::tools;
use crate::agent::command::{Invocation, InvocationError, InvocationRequest, fits};

/// Gemini CLI truncates a longer prompt and then makes no model request.
const MAX_PROMPT: usize = 8 * 1024 * 1024;

/// Prevents the program from restarting itself in a process that ignores signals.
const NO_RELAUNCH: &str = "GEMINI_CLI_NO_RELAUNCH";

/// The variable with the directory of settings, which has priority over the home directory.
const HOME: &str = "GEMINI_CLI_HOME";

pub(super) fn invocation(asked: &InvocationRequest<'_>) -> Result<Invocation, InvocationError> {
    let mut built = Invocation::begin(&["--skip-trust"]);
    let is_limited = tools::has_patterns(asked.direct);
    // Without confirmations, the output of an allowed command could be redirected to any file.
    if asked.direct.permissions == Permissions::Skip && !is_limited {
        built.arg("-y");
    }
    if let Some(model) = &asked.direct.model {
        built.option("-m", model);
    }
    built.option("-o", "stream-json");
    policy(&mut built, asked)?;
    built.args.extend_from_slice(asked.args);
    let prompt = asked.prompt_up_to(MAX_PROMPT)?;
    let argument = format!("--prompt={prompt}");
    if fits(&argument) {
        built.arg(argument);
    } else {
        built.stdin = Some(prompt.to_owned());
    }
    if !asked.has(NO_RELAUNCH) {
        built.set(NO_RELAUNCH, "true");
    }
    // Its shell tool ignores global git settings, so commits would have no author.
    for (name, value) in &asked.host.git_identity {
        if !asked.has(name) {
            built.set(name, value);
        }
    }
    let path = built.system_prompt_file(asked)?;
    built.set("GEMINI_SYSTEM_MD", path);
    Ok(built)
}

/// Adds the lists of tools as a policy. A policy option replaces the user's own policies unless
/// they are named as well. With an allow list they are not named, since they cannot allow more
/// tools. With a deny list they are, since they may deny more.
fn policy(built: &mut Invocation, asked: &InvocationRequest<'_>) -> Result<(), InvocationError> {
    let Some(policy) = tools::policy(asked.direct) else { return Ok(()) };
    let path = built.file(asked, "tools.toml", policy)?;
    built.arg(format!("--policy={path}"));
    if asked.direct.allowed_tools.is_none() {
        let homes = [HOME, "HOME"].into_iter().filter_map(asked.inherited);
        let home = homes.filter_map(|home| home.into_string().ok()).find(|home| !home.is_empty());
        built.args.extend(home.map(|home| format!("--policy={home}/.gemini/policies")));
    }
    Ok(())
}
