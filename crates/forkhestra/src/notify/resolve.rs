//! Determines the receivers of notifications from the command line and the config files.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use forkhestra_core::config::{
    ConfigLayer, ConfigLayers, NotifyEntry, NotifyTarget, NotifyTrigger, ServiceUrl,
};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{HostEnvironment, ProgramLocation};

use super::notify_receiver::{NotifyReceiver, NotifyTransport};
use super::{desktop, terminal};
use crate::cli::args::steer::UnattendedArgs;
use crate::project::config_files;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// The value of `--notify` that turns notifications off.
const NO_NOTIFICATIONS: &str = "none";

/// A value of `--notify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotifyArg {
    Target(NotifyTarget),
    /// No notifications, regardless of the config.
    Off,
}

impl NotifyArg {
    /// The value parser of `--notify`.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        let words = NotifyTarget::ALL.map(NotifyTarget::word).into_iter().chain([NO_NOTIFICATIONS]);
        PossibleValuesParser::new(words).map(|word| {
            let named = NotifyTarget::ALL.into_iter().find(|to| to.word() == word);
            named.map_or(Self::Off, Self::Target)
        })
    }
}

/// The receivers of a run, with warnings.
#[derive(Debug, Default)]
pub(crate) struct ResolvedReceivers {
    pub(crate) targets: Vec<NotifyReceiver>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A receiver as requested by a config file or the command line.
struct RequestedReceiver<'a> {
    to: NotifyTarget,
    settings: Option<(&'a ConfigLayer, &'a NotifyEntry)>,
}

/// Resolves the receivers of a run. Returns all mistakes at once.
pub(crate) fn resolve(
    attend: &UnattendedArgs,
    layers: &ConfigLayers,
    project: &ProjectLocation,
) -> Result<ResolvedReceivers, Vec<Diagnostic>> {
    let wanted = wanted(&attend.notify, layers).map_err(|error| vec![error])?;
    let mut resolved = ResolvedReceivers::default();
    let mut mistakes = Vec::new();
    for wanted in wanted {
        match transport(&wanted, attend, project) {
            Ok(way) => {
                let on = wanted.settings.and_then(|(_, entry)| entry.on.as_ref());
                let on = on.map_or_else(|| NotifyTrigger::ALL.to_vec(), |on| on.value.0.clone());
                resolved.targets.push(NotifyReceiver { transport: way, on });
            }
            Err(problem) if problem.is_error() => mistakes.push(problem),
            Err(problem) => resolved.warnings.push(problem),
        }
    }
    if mistakes.is_empty() { Ok(resolved) } else { Err(mistakes) }
}

/// The same for a run that is resumed. Its plan does not need the config files, so mistakes in them
/// are not errors.
pub(crate) fn resolve_for_resume(
    attend: &UnattendedArgs,
    project: &ProjectLocation,
) -> Result<ResolvedReceivers, Vec<Diagnostic>> {
    match config_files::load(project) {
        Ok(loaded) => resolve(attend, &loaded.layers, project),
        Err(_) => {
            let mut resolved = resolve(attend, &ConfigLayers::default(), project)?;
            if attend.notify.is_empty() {
                let message = "a config file cannot be used, so no notifications are sent";
                let hint = "`forkhestra list` says what is wrong with it";
                resolved.warnings.push(Diagnostic::warning(message).hint(hint));
            }
            Ok(resolved)
        }
    }
}

fn wanted<'a>(
    typed: &[NotifyArg],
    layers: &'a ConfigLayers,
) -> Result<Vec<RequestedReceiver<'a>>, Diagnostic> {
    if typed.is_empty() {
        let Some((layer, entries)) = layers.notifications() else { return Ok(Vec::new()) };
        let entries = entries.iter().map(|entry| &entry.value.0);
        let requested = |entry: &'a NotifyEntry| RequestedReceiver {
            to: entry.to.value,
            settings: Some((layer, entry)),
        };
        return Ok(entries.map(requested).collect());
    }
    if typed.contains(&NotifyArg::Off)
        && typed.iter().any(|typed_target| *typed_target != NotifyArg::Off)
    {
        let message =
            "`--notify none` turns notifications off, but another `--notify` asks for one";
        return Err(Diagnostic::error(message).hint("leave one of the two out"));
    }
    let mut all: Vec<RequestedReceiver<'_>> = Vec::new();
    for typed_target in typed {
        match typed_target {
            NotifyArg::Target(to) if all.iter().all(|known| known.to != *to) => {
                all.extend(named(*to, layers));
            }
            NotifyArg::Target(_) | NotifyArg::Off => {}
        }
    }
    Ok(all)
}

/// Finds the settings of a target from the command line, in the config file with the highest
/// precedence that has it.
fn named(to: NotifyTarget, layers: &ConfigLayers) -> Vec<RequestedReceiver<'_>> {
    for layer in &layers.files {
        let entries = layer.config.notify.iter().flat_map(|all| &all.value);
        let known: Vec<RequestedReceiver<'_>> = entries
            .map(|entry| &entry.value.0)
            .filter(|entry| entry.to.value == to)
            .map(|entry| RequestedReceiver { to, settings: Some((layer, entry)) })
            .collect();
        if !known.is_empty() {
            return known;
        }
    }
    vec![RequestedReceiver { to, settings: None }]
}

/// Determines the transport of a receiver. The error says why it is not available here.
fn transport(
    requested: &RequestedReceiver<'_>,
    attend: &UnattendedArgs,
    project: &ProjectLocation,
) -> Result<NotifyTransport, Diagnostic> {
    match requested.to {
        // The current terminal does not belong to a detached run.
        NotifyTarget::Terminal if attend.detach => Err(Diagnostic::warning(
            "there is no terminal for notifications: a run in the background has none",
        )),
        NotifyTarget::Terminal if terminal::has_terminal() => Ok(NotifyTransport::Terminal),
        NotifyTarget::Terminal => Err(Diagnostic::warning(
            "there is no terminal for notifications: neither standard output nor standard error is one",
        )),
        NotifyTarget::Desktop => match (LocalHost { project }).locate(desktop::PROGRAM) {
            ProgramLocation::Found(program) => Ok(NotifyTransport::Desktop(program.into())),
            ProgramLocation::Missing(_) => {
                let program = desktop::PROGRAM;
                let message =
                    format!("desktop notifications are not possible: `{program}` is not on PATH");
                Err(Diagnostic::warning(message))
            }
        },
        NotifyTarget::Ntfy
        | NotifyTarget::Slack
        | NotifyTarget::Discord
        | NotifyTarget::Webhook => {
            address(requested, project).map(|address| NotifyTransport::Post(requested.to, address))
        }
    }
}

/// The address of a service, from its config or else from the environment.
fn address(
    requested: &RequestedReceiver<'_>,
    project: &ProjectLocation,
) -> Result<ServiceUrl, Diagnostic> {
    let entry = requested.settings.map(|(_, entry)| entry);
    if let Some(url) = entry.and_then(|entry| entry.url.as_ref()) {
        return Ok(url.value.clone());
    }
    let service = requested.to.word();
    let named = entry.and_then(|entry| entry.url_env.as_ref());
    let usual = requested.to.variable().unwrap_or_default();
    let variable = named.map_or(usual, |named| named.value.0.as_str());
    let at = |error: Diagnostic| match (requested.settings, named) {
        (Some((layer, _)), Some(name)) => error.at(&layer.source, name.span, "named here"),
        (Some((layer, entry)), None) => error.at(&layer.source, entry.to.span, "named here"),
        (None, _) => error,
    };
    let Some(value) = project.environment.variable(variable) else {
        let message = format!("the URL of `{service}` is not known: `{variable}` is not set");
        let elsewhere = "give `url` or `urlEnv` in the `notify` of a config file";
        let hint = format!("set it in the environment, or {elsewhere}");
        return Err(at(Diagnostic::error(message).hint(hint)));
    };
    // A value that is not UTF-8 is not a valid URL either.
    ServiceUrl::parse(&value.to_string_lossy()).map_err(|why| {
        at(Diagnostic::error(format!("the URL of `{service}` in `{variable}` {why}")))
    })
}
