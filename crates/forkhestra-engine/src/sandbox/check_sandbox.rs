//! The sandbox of a check or a set-up of a clean room.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::config::Backend;
use forkhestra_core::plan::{SandboxLevel, StepSandbox};

use super::agent_sandbox::{
    deny_program_writes, hide_state_and_system_directories, scratch_directory, show_named,
    start_proxy,
};
use super::git_directories::GitDirectories;
use super::process_sandbox::{EnvironmentFilter, ProcessSandbox};
use super::sandbox_host::SandboxHost;
use super::sandbox_paths::ProcessVariables;
use super::ssh_config;
use super::strict::{AllowedHosts, REGISTRIES, hide_home};

/// The directory of the sandbox's temporary files, below the scratch directory. It differs from
/// that of agents, which could leave something there for the check.
const CHECK_TEMPORARY: &str = "check-tmp";

/// What the sandbox of a check is made of.
pub(crate) struct CheckSandboxRequest<'a> {
    /// The working directory of agents.
    pub(crate) project: &'a Path,
    /// The clean room, if the check runs in one.
    pub(crate) room: Option<&'a Path>,
    /// The home and temporary directory of checks in the clean room.
    pub(crate) room_home: Option<&'a Path>,
    /// The directories with the objects of the clean room's repository.
    pub(crate) room_objects: &'a [PathBuf],
    /// The number of the step, from 1.
    pub(crate) step: usize,
    pub(crate) sandbox: &'a StepSandbox,
    pub(crate) host: &'a SandboxHost,
    /// The environment of the check.
    pub(crate) environment: &'a [(OsString, OsString)],
    /// The environment of the user, whose home differs from that of checks in a clean room.
    pub(crate) user_environment: &'a [(OsString, OsString)],
    pub(crate) scratch: &'a Path,
    /// The directory with the files of this check.
    pub(crate) files: &'a Path,
    pub(crate) tools: Option<&'a Path>,
    pub(crate) state: &'a Path,
    /// Whether it may download packages: it is the set-up of a clean room.
    pub(crate) is_setup: bool,
}

/// The sandbox of a check: only the room, or else the work tree, and caches can be written.
pub(crate) fn check_sandbox(request: &CheckSandboxRequest<'_>) -> io::Result<ProcessSandbox> {
    let CheckSandboxRequest { project, room, sandbox, host, .. } = *request;
    let environment = EnvironmentFilter::new(sandbox, None, &[]);
    let passed = environment.passed(request.environment);
    let variables = ProcessVariables(&passed);
    let user = ProcessVariables(request.user_environment);
    let temporary = scratch_directory(request.scratch, CHECK_TEMPORARY)?;
    let mut paths = match room {
        Some(_) => host.start.of_room(request.step),
        None => host.start.of_check(request.step),
    };
    paths.temporary = temporary;
    if let Some(room) = room {
        paths.allow_write(room);
        if let Some(git) = GitDirectories::around(room) {
            paths.allow_write(&git.top);
        }
        request.room_objects.iter().for_each(|objects| paths.show(objects));
        paths.show(project);
        request.room_home.iter().for_each(|home| paths.allow_write(home));
    }
    host.read_only.iter().for_each(|path| paths.deny_write(path));
    hide_state_and_system_directories(&mut paths, request.state, host);
    ssh_config::replace(&mut paths, sandbox, request.scratch)?;
    paths.show(request.files);
    request.tools.iter().for_each(|tools| paths.show(tools));
    show_named(&mut paths, &variables, host);
    deny_program_writes(&mut paths, &variables, room.unwrap_or(project), None);
    if sandbox.level != SandboxLevel::Strict {
        return Ok(ProcessSandbox::new(sandbox, host, paths, environment));
    }
    hide_home(&mut paths, &user);
    let hosts = REGISTRIES.into_iter().chain(sandbox.hosts.iter().map(String::as_str));
    let proxy = match request.is_setup {
        true => Some(start_proxy(request.scratch, AllowedHosts::new(hosts))?),
        false => None,
    };
    Ok(ProcessSandbox::new(sandbox, host, paths, environment).with_network(proxy))
}

/// Removes the variables with keys of providers, which a check never needs.
pub(crate) fn remove_provider_keys(environment: &mut Vec<(OsString, OsString)>) {
    let keys: Vec<&str> = Backend::ALL
        .into_iter()
        .flat_map(|backend| backend.facts().login.variables)
        .copied()
        .collect();
    environment.retain(|(name, _)| !keys.iter().any(|key| name == key));
}
