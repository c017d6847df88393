//! A sandbox that a process is started in.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::thread;

use forkhestra_core::config::Backend;
use forkhestra_core::event::ProcessEnd;
use forkhestra_core::plan::{SandboxLevel, SandboxMechanism, StepSandbox};
use rustix::io::Errno;

use super::agent_sandbox::TEMPORARY_VARIABLES;
use super::sandbox_host::SandboxHost;
use super::sandbox_paths::SandboxPaths;
use super::strict::{
    ENTRY_VERB, PROXY_PORT, PROXY_SOCKET, SandboxProxy, WITH_PROXY, WITHOUT_PROXY, is_passed_on,
};
use super::{bubblewrap, landlock_rules, seatbelt};
use crate::launch::agent_command::set;
use crate::process::{ChildProcesses, SpawnCommand, SpawnError, SpawnedProcess, preflight, spawn};

/// bubblewrap exits with this number plus that of the signal.
const SIGNAL_EXIT_BASE: i32 = 128;

/// The highest number of a signal.
const MAX_SIGNAL: i32 = 64;

/// The program that applies a profile on macOS.
const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// A sandbox that a process is started in.
#[derive(Debug)]
pub(crate) struct ProcessSandbox {
    level: SandboxLevel,
    mechanism: SandboxMechanism,
    bubblewrap: PathBuf,
    paths: SandboxPaths,
    environment: EnvironmentFilter,
    network: Option<SandboxNetwork>,
    /// forkhestra itself, which sets a network up from inside.
    entry: PathBuf,
}

/// A network namespace of its own.
#[derive(Debug)]
struct SandboxNetwork {
    /// The way out, if there is one.
    proxy: Option<SandboxProxy>,
}

/// Which variables of the environment are passed on.
#[derive(Debug, Clone)]
pub(super) struct EnvironmentFilter {
    /// Whether only listed variables are passed on.
    only_listed: bool,
    backend: Option<Backend>,
    /// Names that the user listed.
    names: Vec<String>,
}

impl EnvironmentFilter {
    /// The variables for an agent, or without a back-end for a check. `configured` are names that
    /// the config of the agent sets.
    pub(super) fn new(
        sandbox: &StepSandbox,
        backend: Option<Backend>,
        configured: &[&str],
    ) -> Self {
        let configured = configured.iter().map(|name| (*name).to_owned());
        Self {
            only_listed: sandbox.level == SandboxLevel::Strict,
            backend,
            names: sandbox.env.iter().cloned().chain(configured).collect(),
        }
    }

    /// The variables that are passed on.
    pub(super) fn passed(&self, environment: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        environment.iter().filter(|(name, _)| self.passes(name)).cloned().collect()
    }

    fn passes(&self, name: &OsStr) -> bool {
        !self.only_listed
            || name.to_str().is_some_and(|name| {
                is_passed_on(name, self.backend) || self.names.iter().any(|known| known == name)
            })
    }
}

impl ProcessSandbox {
    pub(super) fn new(
        sandbox: &StepSandbox,
        host: &SandboxHost,
        paths: SandboxPaths,
        environment: EnvironmentFilter,
    ) -> Self {
        Self {
            level: sandbox.level,
            mechanism: sandbox.mechanism.unwrap_or(SandboxMechanism::Landlock),
            bubblewrap: host.bubblewrap.clone().unwrap_or_default(),
            paths,
            environment,
            network: None,
            entry: host.programs.first().cloned().unwrap_or_default(),
        }
    }

    /// The same with a network of its own, which only the proxy connects with others.
    pub(super) fn with_network(self, proxy: Option<SandboxProxy>) -> Self {
        Self { network: Some(SandboxNetwork { proxy }), ..self }
    }

    fn proxy(&self) -> Option<&SandboxProxy> {
        self.network.as_ref()?.proxy.as_ref()
    }

    /// How many bytes came through the proxy, if the network is its own.
    pub(crate) fn received(&self) -> Option<u64> {
        self.network.as_ref().map(|_| self.proxy().map_or(0, SandboxProxy::received))
    }

    /// The hosts that were denied.
    pub(crate) fn denied_hosts(&self) -> Vec<String> {
        self.proxy().map(SandboxProxy::denied).unwrap_or_default()
    }

    /// The level.
    pub(crate) const fn level(&self) -> SandboxLevel {
        self.level
    }

    /// Whether the started process is not the program itself but waits for it.
    pub(crate) fn has_monitor(&self) -> bool {
        self.mechanism == SandboxMechanism::Bubblewrap
    }

    /// The directory for temporary files, as the process sees it.
    fn temporary(&self) -> &Path {
        match self.mechanism {
            SandboxMechanism::Bubblewrap => Path::new("/tmp"),
            SandboxMechanism::Landlock | SandboxMechanism::Seatbelt => &self.paths.temporary,
        }
    }

    /// Adjusts the environment of the process.
    pub(crate) fn adjust(&self, environment: &mut Vec<(OsString, OsString)>) {
        environment.retain(|(name, _)| {
            !TEMPORARY_VARIABLES.iter().any(|known| name == known) && self.environment.passes(name)
        });
        set(environment, "TMPDIR", self.temporary());
        // Claude Code does not follow `TMPDIR`.
        set(environment, "CLAUDE_CODE_TMPDIR", self.temporary());
        let Some(proxy) = self.proxy() else { return };
        let address = format!("http://127.0.0.1:{PROXY_PORT}");
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            set(environment, name, address.clone());
            set(environment, &name.to_ascii_lowercase(), address.clone());
        }
        // Servers inside the sandbox are reached directly, unless the provider itself is on this
        // machine.
        let direct = if proxy.has_loopback() { "" } else { "localhost,127.0.0.1,::1" };
        set(environment, "NO_PROXY", direct);
        set(environment, "no_proxy", direct);
        set(environment, "NODE_USE_ENV_PROXY", "1");
    }

    /// Starts a program inside.
    pub(crate) fn start(
        &self,
        children: &ChildProcesses,
        command: &SpawnCommand<'_>,
    ) -> Result<SpawnedProcess, SpawnError> {
        match self.mechanism {
            SandboxMechanism::Bubblewrap => {
                let mut prefix = bubblewrap::arguments(&self.paths, command.directory);
                if let Some(network) = &self.network {
                    prefix.pop();
                    prefix.extend(self.network_arguments(network));
                }
                wrapped(children, command, &self.bubblewrap, prefix)
            }
            SandboxMechanism::Seatbelt => {
                let profile = seatbelt::profile(&self.paths);
                let prefix = vec!["-p".into(), profile.into()];
                wrapped(children, command, Path::new(SANDBOX_EXEC), prefix)
            }
            SandboxMechanism::Landlock => children.start_with(|| self.spawn_restricted(command)),
        }
    }

    /// The arguments that give the sandbox a network of its own, and start forkhestra in it first.
    fn network_arguments(&self, network: &SandboxNetwork) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["--unshare-net".into()];
        let word = match &network.proxy {
            Some(proxy) => {
                arguments.extend(["--ro-bind".into(), proxy.socket().into(), PROXY_SOCKET.into()]);
                WITH_PROXY
            }
            None => WITHOUT_PROXY,
        };
        let entry = self.entry.clone().into();
        arguments.extend(["--".into(), entry, ENTRY_VERB.into(), word.into()]);
        arguments
    }

    /// Starts a program from a thread that has restricted itself: a restriction holds for one
    /// thread, and processes inherit that of the thread that starts them.
    fn spawn_restricted(&self, command: &SpawnCommand<'_>) -> Result<SpawnedProcess, SpawnError> {
        let refused =
            |why: String| SpawnError::Sandbox { program: command.program.to_owned(), why };
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("sandbox".to_owned());
            let restricted = builder.spawn_scoped(scope, || {
                landlock_rules::restrict_thread(&self.paths).map_err(refused)?;
                spawn(command)
            });
            let transient = |_| SpawnError::Transient {
                program: command.program.to_owned(),
                errno: Errno::AGAIN,
            };
            restricted
                .map_err(transient)?
                .join()
                .unwrap_or_else(|_| Err(refused("the thread that starts it panicked".to_owned())))
        })
    }

    /// The end of the program, from the end of the started process. bubblewrap reports a signal as
    /// an exit code.
    pub(crate) fn end_of_program(&self, end: ProcessEnd) -> ProcessEnd {
        match end {
            ProcessEnd::Exited(code)
                if self.has_monitor()
                    && (SIGNAL_EXIT_BASE + 1..=SIGNAL_EXIT_BASE + MAX_SIGNAL).contains(&code) =>
            {
                ProcessEnd::Signaled(code - SIGNAL_EXIT_BASE)
            }
            end => end,
        }
    }
}

/// Starts a program by another program, whose arguments come first.
fn wrapped(
    children: &ChildProcesses,
    command: &SpawnCommand<'_>,
    wrapper: &Path,
    prefix: Vec<OsString>,
) -> Result<SpawnedProcess, SpawnError> {
    // The wrapper would report a program that cannot be started as its own failure.
    preflight(command.program)?;
    let mut args = prefix;
    args.push(command.program.into());
    args.extend_from_slice(command.args);
    children.start(&SpawnCommand { program: wrapper, args: &args, ..*command })
}
