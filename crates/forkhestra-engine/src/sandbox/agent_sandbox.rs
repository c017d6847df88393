//! The sandbox of an agent.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::path::{Path, PathBuf};

use forkhestra_core::check::CheckSpec;
use forkhestra_core::plan::{
    AgentKind, Plan, PlanStep, ProgramLocation, Prompt, SandboxLevel, StepSandbox,
};

use super::git_directories::GitDirectories;
use super::process_sandbox::{EnvironmentFilter, ProcessSandbox};
use super::sandbox_host::SandboxHost;
use super::sandbox_paths::{ProcessVariables, SandboxPaths, real};
use super::ssh_config;
use super::strict::{AllowedHosts, REGISTRIES, SandboxProxy, hide_home, hosts_of};

/// The directory of the sandbox's temporary files, below the scratch directory.
const AGENT_TEMPORARY: &str = "tmp";

/// Variables that name a temporary directory.
pub(super) const TEMPORARY_VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Directories that are hidden. What a process needs inside of them is shown again.
const HIDDEN_SYSTEM_DIRECTORIES: [&str; 3] = ["/run", "/tmp", "/var/tmp"];

/// Paths below `/run` that stay: names are resolved, and some systems keep their programs there.
const KEPT_BELOW_RUN: [&str; 5] = [
    "/run/systemd/resolve",
    "/run/current-system",
    "/run/wrappers",
    "/run/opengl-driver",
    "/run/booted-system",
];

/// Variables whose value is a directory that stays hidden.
const NOT_SHOWN: [&str; 11] = [
    "XDG_RUNTIME_DIR",
    // All programs keep something there.
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "HOME",
    // They may hold credentials.
    "CARGO_HOME",
    "GRADLE_USER_HOME",
];

/// Variables whose value is a socket that is shown. Others may lead to servers that start programs
/// outside, such as those of editors and terminals.
const SHOWN_SOCKETS: [&str; 1] = ["SSH_AUTH_SOCK"];

/// Directories of programs and scripts that tools produce.
const BUILD_DIRECTORIES: [&str; 8] =
    ["node_modules", "target", "dist", "build", "out", "vendor", ".venv", "venv"];

/// What the sandbox of an agent is made of.
pub(crate) struct AgentSandboxRequest<'a> {
    pub(crate) plan: &'a Plan,
    /// The working directory of the agent.
    pub(crate) directory: &'a Path,
    pub(crate) step: &'a PlanStep,
    pub(crate) sandbox: &'a StepSandbox,
    pub(crate) host: &'a SandboxHost,
    /// The environment of the agent.
    pub(crate) environment: &'a [(OsString, OsString)],
    /// The environment of the user. A project's config can change that of the agent, and must not
    /// allow a host.
    pub(crate) user_environment: &'a [(OsString, OsString)],
    /// The directory for temporary files of the run.
    pub(crate) scratch: &'a Path,
    /// The directory with the files of this agent.
    pub(crate) files: &'a Path,
    /// The directory of forkhestra's programs.
    pub(crate) tools: Option<&'a Path>,
    /// The state directory.
    pub(crate) state: &'a Path,
}

/// The sandbox of an agent.
pub(crate) fn agent_sandbox(request: &AgentSandboxRequest<'_>) -> io::Result<ProcessSandbox> {
    let AgentSandboxRequest { plan, directory, step, sandbox, host, .. } = *request;
    let is_strict = sandbox.level == SandboxLevel::Strict;
    let backend = step.agent.kind.direct().map(|direct| direct.backend);
    let configured: Vec<&str> = step.agent.kind.env().names().collect();
    let environment = EnvironmentFilter::new(sandbox, backend, &configured);
    let passed = environment.passed(request.environment);
    let variables = ProcessVariables(&passed);
    let user_directory = Path::new(&plan.working_directory);
    let mut paths = SandboxPaths {
        temporary: scratch_directory(request.scratch, AGENT_TEMPORARY)?,
        ..host.start.of_agent(step)
    };
    plan_files(plan, user_directory).iter().for_each(|path| paths.deny_write(path));
    host.read_only.iter().for_each(|path| paths.deny_write(path));
    hide_state_and_system_directories(&mut paths, request.state, host);
    ssh_config::replace(&mut paths, sandbox, request.scratch)?;
    paths.show(request.files);
    request.tools.iter().for_each(|tools| paths.show(tools));
    show_named(&mut paths, &variables, host);
    if let Some(ProgramLocation::Found(program)) = step.agent.kind.location() {
        paths.show(program);
        deny_program_writes(&mut paths, &variables, directory, Some(Path::new(program)));
    }
    if !is_strict {
        return Ok(ProcessSandbox::new(sandbox, host, paths, environment));
    }
    hide_home(&mut paths, &variables);
    let provider = backend
        .map(|backend| hosts_of(backend, &ProcessVariables(request.user_environment)))
        .unwrap_or_default();
    let registries = REGISTRIES.iter().map(|host| (*host).to_owned());
    let hosts = provider.into_iter().chain(registries).chain(sandbox.hosts.iter().cloned());
    let proxy = start_proxy(request.scratch, AllowedHosts::new(hosts.collect::<Vec<_>>()))?;
    Ok(ProcessSandbox::new(sandbox, host, paths, environment).with_network(Some(proxy)))
}

/// Starts the proxy of a sandbox.
pub(super) fn start_proxy(scratch: &Path, hosts: AllowedHosts) -> io::Result<SandboxProxy> {
    SandboxProxy::start(&scratch_directory(scratch, "proxy")?, hosts)
}

/// Makes the work tree writable, without the settings of its repository.
pub(super) fn add_work_tree(
    paths: &mut SandboxPaths,
    directory: &Path,
    variables: &ProcessVariables<'_>,
) {
    paths.allow_write(directory);
    let Some(git) = GitDirectories::of(directory, variables) else { return };
    // A repository of the whole home directory does not make the home directory writable.
    let home = variables.home().and_then(real);
    if !home.is_some_and(|home| home.starts_with(&git.top)) {
        paths.allow_write(&git.top);
    }
    git.add_to(paths);
}

/// Keeps programs that are in writable directories outside of the work tree, such as those of an
/// agent that installed itself into its own directory.
pub(super) fn deny_program_writes(
    paths: &mut SandboxPaths,
    variables: &ProcessVariables<'_>,
    directory: &Path,
    program: Option<&Path>,
) {
    let top = GitDirectories::around(directory).map(|git| git.top).or_else(|| real(directory));
    let own = program.and_then(real).and_then(|path| Some(path.parent()?.to_owned()));
    let programs = variables.program_directories().into_iter().filter_map(real).chain(own);
    for place in programs {
        if !top.as_ref().is_some_and(|top| place.starts_with(top)) {
            paths.deny_write(place);
        }
    }
}

/// Hides the state directory and the directories that other programs share.
pub(super) fn hide_state_and_system_directories(
    paths: &mut SandboxPaths,
    state: &Path,
    host: &SandboxHost,
) {
    paths.hide(state);
    host.hidden.iter().for_each(|path| paths.hide(path));
    HIDDEN_SYSTEM_DIRECTORIES.iter().for_each(|path| paths.hide(path));
    for path in KEPT_BELOW_RUN.map(Path::new) {
        paths.show(path);
        paths.links.extend(fs::read_link(path).map(|target| (path.to_owned(), target)));
    }
    paths.show("/etc/resolv.conf");
}

/// Shows what variables name, even inside hidden directories: programs, the home directory, and
/// files such as certificates and the socket of an SSH agent.
pub(super) fn show_named(
    paths: &mut SandboxPaths,
    variables: &ProcessVariables<'_>,
    host: &SandboxHost,
) {
    let own = variables.home().into_iter().chain(variables.program_directories());
    for path in own.chain(host.programs.iter().cloned()).filter_map(real) {
        paths.show(&path);
        paths.protected.insert(path);
    }
    for (name, value) in variables.0 {
        let path = Path::new(value);
        let is_replaced = HIDDEN_SYSTEM_DIRECTORIES.iter().any(|place| path == Path::new(place));
        let Some(name) = name.to_str().filter(|name| !NOT_SHOWN.contains(name)) else { continue };
        if !is_replaced && path.is_absolute() && is_harmless(name, path) {
            paths.show(path);
        }
    }
}

/// Whether what a variable names can be shown.
fn is_harmless(name: &str, path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let is_known_socket = found.file_type().is_socket() && SHOWN_SOCKETS.contains(&name);
        found.is_file() || found.is_dir() || is_known_socket
    })
}

/// Creates a private directory below the scratch directory, unless it exists.
pub(super) fn scratch_directory(scratch: &Path, name: &str) -> io::Result<PathBuf> {
    let path = std::path::absolute(scratch)?.join(name);
    DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
    path.canonicalize()
}

/// The files of the project that decide about the run: prompts, settings, scripts of checks and
/// hooks.
pub(super) fn plan_files(plan: &Plan, directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<&str> = Vec::new();
    let mut scripts: Vec<PathBuf> = Vec::new();
    for step in &plan.steps {
        let mut prompts = vec![&step.prompt.value];
        if let AgentKind::Direct(direct) = &step.agent.kind {
            prompts.push(&direct.system_prompt.value);
            files.extend(direct.mcp_config.as_deref());
            files.extend(direct.settings.as_deref());
        }
        for prompt in prompts {
            if let Prompt::File(path) = prompt {
                files.push(path);
            }
        }
        for check in step.all_checks() {
            match &check.value.check {
                CheckSpec::Script(path) => files.push(path),
                CheckSpec::Command(command) => scripts.extend(named_scripts(command, directory)),
                _ => {}
            }
        }
    }
    let hooks = plan.hooks.iter();
    scripts.extend(hooks.flat_map(|hook| named_scripts(&hook.value.run, directory)));
    let files = files.into_iter().map(|path| directory.join(path)).filter(|path| path.is_file());
    files.chain(scripts).collect()
}

/// The scripts that a command names. A program that work produces stays writable: a build replaces
/// it.
fn named_scripts(command: &str, directory: &Path) -> Vec<PathBuf> {
    let words = command.split([' ', '\t', '\n', ';', '&', '|', '"', '\'', '(', ')']);
    let words = words.filter(|word| word.contains('/')).chain([command]);
    let paths = words.map(|word| directory.join(word));
    paths.filter(|path| !is_in_build_directory(path, directory) && is_script(path)).collect()
}

/// Whether a path is in a directory that tools fill.
fn is_in_build_directory(path: &Path, directory: &Path) -> bool {
    let below = path.strip_prefix(directory).unwrap_or(path);
    below.iter().any(|part| BUILD_DIRECTORIES.iter().any(|known| part == *known))
}

/// Whether a file is a script: by its first bytes, or by its name.
fn is_script(path: &Path) -> bool {
    let has_interpreter = || {
        let mut first = [0; 2];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == *b"#!"
    };
    path.is_file() && (path.extension().is_some_and(|ending| ending == "sh") || has_interpreter())
}
