//! The supported agent programs: whether they are installed and can run.

use std::ffi::OsString;

use forkhestra_core::config::{Backend, LoginFacts};
use forkhestra_core::plan::{
    AgentKind, ConfigInventory, NotRunnableReason, ProgramLocation, ValueOrigin,
};
use forkhestra_core::text;

use super::finding::{DoctorFinding, FindingSubject};
use super::login::LoginEvidence;
use super::version_query::VersionReply;
use crate::report::text::agent_program;

/// Upper bound for the agents that a finding names.
const MAX_NAMED: usize = 3;

/// Facts about one agent program.
#[derive(Debug, Clone)]
pub(super) struct AgentFacts {
    pub(super) backend: Backend,
    /// The program that is started for the back-end.
    pub(super) command: String,
    pub(super) location: ProgramLocation,
    /// The reply to the version query; `None` if the program is not installed.
    pub(super) answer: Option<VersionReply>,
    pub(super) login: LoginEvidence,
    pub(super) model: Option<String>,
    /// The configured agents that use it.
    pub(super) needed_by: Vec<String>,
    /// Whether it would run as root outside a declared sandbox.
    pub(super) is_bare_root: bool,
}

/// Whether this is root outside a sandbox. Only the value `1` declares a sandbox.
pub(super) fn is_bare_root(is_root: bool, is_sandbox: Option<&OsString>) -> bool {
    is_root && is_sandbox.is_none_or(|value| value != "1")
}

/// The agents of an inventory that use a back-end.
pub(super) fn needed_by(backend: Backend, inventory: &ConfigInventory) -> Vec<String> {
    let of_backend = inventory.agents.iter().map(|summary| &summary.agent).filter(
        |agent| matches!(&agent.kind, AgentKind::Direct(direct) if direct.backend == backend),
    );
    let (built_in, own): (Vec<_>, Vec<_>) =
        of_backend.partition(|agent| agent.source == ValueOrigin::BuiltIn);
    let mut names: Vec<String> = own.iter().map(|agent| format!("`{}`", agent.name)).collect();
    if names.len() > MAX_NAMED {
        let more = names.split_off(MAX_NAMED).len();
        names.push(format!("{more} more"));
    }
    if !built_in.is_empty() {
        names.push("the built-in agents".to_owned());
    }
    names
}

/// Whether an agent that is any other program is available.
pub(super) fn has_program(inventory: &ConfigInventory) -> bool {
    let kinds = inventory.agents.iter().map(|summary| &summary.agent.kind);
    let mut programs = kinds.filter(|kind| matches!(kind, AgentKind::Program(_)));
    programs.any(|kind| matches!(kind.location(), Some(ProgramLocation::Found(_))))
}

/// The findings about all agent programs. `has_others` tells whether other programs can be run as
/// agents.
pub(super) fn findings(
    agents: &[AgentFacts],
    has_others: bool,
    shown: &dyn Fn(&str) -> String,
) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> =
        agents.iter().flat_map(|agent| agent.findings(shown)).collect();
    let is_here = |agent: &AgentFacts| matches!(agent.location, ProgramLocation::Found(_));
    if !agents.iter().any(is_here) && !has_others {
        let names: Vec<&str> = agents.iter().map(|agent| agent.backend.title()).collect();
        let names = text::join_with_or(&names);
        findings.push(
            FindingSubject::Agents
                .broken(format!(
                    "there is no agent to run: {names} is needed, or a config with another"
                ))
                .remedy("install one of them; `forkhestra demo` shows a run without any"),
        );
    }
    findings
}

impl AgentFacts {
    fn findings(&self, shown: &dyn Fn(&str) -> String) -> Vec<DoctorFinding> {
        match &self.location {
            ProgramLocation::Found(path) => self.found(&shown(path)),
            ProgramLocation::Missing(why) => vec![self.missing(*why)],
        }
    }

    fn missing(&self, why: NotRunnableReason) -> DoctorFinding {
        let title = self.backend.title();
        let what = match why {
            NotRunnableReason::NotOnPath if self.command == self.backend.program() => {
                format!("{title} is not installed")
            }
            why => format!("{title}: `{}` {why}", self.command),
        };
        let remedy = agent_program::missing(self.backend, &self.command, why);
        if self.needed_by.is_empty() {
            return FindingSubject::Agents.note(what).maybe_remedy(remedy);
        }
        let need = text::join_with_and(&self.needed_by);
        let verb =
            if self.needed_by.len() == 1 && need.starts_with('`') { "needs" } else { "need" };
        let other = "or let another agent do it with `--backend`";
        let remedy = remedy.map_or_else(|| other.to_owned(), |remedy| format!("{remedy}, {other}"));
        FindingSubject::Agents.warning(format!("{what}, and {need} {verb} it")).remedy(remedy)
    }

    fn found(&self, path: &str) -> Vec<DoctorFinding> {
        let subject = FindingSubject::Agents;
        let title = self.backend.title();
        let trouble = self.answer.as_ref().and_then(VersionReply::trouble);
        if let Some(trouble) = trouble {
            let what = format!("{title}: `{path} --version` {trouble}");
            return vec![
                subject.warning(what).remedy("see what it says when you start it by hand"),
            ];
        }
        let version = self.answer.as_ref().and_then(VersionReply::version);
        let version = version.map_or_else(String::new, |version| format!(" {version}"));
        let mut what = format!("{title}{version} ({path})");
        if let LoginEvidence::By(how) = &self.login {
            what.push_str(&format!(", logged in ({how})"));
        }
        if let Some(model) = &self.model {
            what.push_str(&format!(", model {model}"));
        }
        let mut findings = vec![subject.ok(what)];
        findings.extend(self.root_finding());
        findings.extend(self.login_finding());
        findings
    }

    fn root_finding(&self) -> Option<DoctorFinding> {
        let refusal = self.backend.facts().root_refusal.filter(|_| self.is_bare_root)?;
        Some(FindingSubject::Agents.warning(refusal.message).remedy(refusal.remedy))
    }

    fn login_finding(&self) -> Option<DoctorFinding> {
        let what = format!("no {} login found", self.backend.title());
        let finding = match &self.login {
            LoginEvidence::By(_) => return None,
            LoginEvidence::Unknown => FindingSubject::Agents.note(what),
            LoginEvidence::Nothing => FindingSubject::Agents.warning(what),
        };
        let LoginFacts { log_in, key_variable: key, .. } = self.backend.facts().login;
        let key = key.map(|name| format!(", or set {name}")).unwrap_or_default();
        Some(finding.remedy(format!("{log_in}{key}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(backend: Backend) -> AgentFacts {
        AgentFacts {
            backend,
            command: backend.program().to_owned(),
            location: ProgramLocation::Found(format!("/bin/{}", backend.program())),
            answer: Some(VersionReply::Version("1.2.3".to_owned())),
            login: LoginEvidence::By("KEY is set".to_owned()),
            model: None,
            needed_by: Vec::new(),
            is_bare_root: false,
        }
    }

    fn finding_lines(agent: &AgentFacts) -> Vec<String> {
        let findings = findings(std::slice::from_ref(agent), true, &str::to_owned);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_runnable_agent_is_shown_in_one_line() {
        let agent = AgentFacts { model: Some("opus".to_owned()), ..known(Backend::Claude) };
        let expected = "ok: Claude Code 1.2.3 (/bin/claude), logged in (KEY is set), model opus";
        assert_eq!(finding_lines(&agent), [expected]);
    }

    #[test]
    fn only_claude_refuses_root() {
        for backend in Backend::ALL {
            let findings = finding_lines(&AgentFacts { is_bare_root: true, ..known(backend) });
            let refuses = findings.iter().any(|line| line.contains("IS_SANDBOX=1"));
            assert_eq!(refuses, backend == Backend::Claude, "{findings:?}");
        }
    }

    #[test]
    fn a_sandbox_counts_only_in_the_form_claude_accepts() {
        let refused = |value: &str| is_bare_root(true, Some(&value.into()));
        assert_eq!(["1", "yes", "true"].map(refused), [false, true, true]);
        assert!(is_bare_root(true, None));
        assert!(!is_bare_root(false, None));
    }

    #[test]
    fn a_missing_login_has_its_remedy() {
        let agent = AgentFacts { login: LoginEvidence::Nothing, ..known(Backend::Codex) };
        assert_eq!(
            finding_lines(&agent)[1],
            "warning: no Codex login found \
             [log in with `codex login`, or set CODEX_API_KEY]"
        );
        let agent = AgentFacts { login: LoginEvidence::Unknown, ..known(Backend::Opencode) };
        assert!(finding_lines(&agent)[1].starts_with("note: "), "{:?}", finding_lines(&agent));
    }

    #[test]
    fn a_missing_program_matters_if_an_agent_needs_it() {
        let location = ProgramLocation::Missing(NotRunnableReason::NotOnPath);
        let agent = AgentFacts { location, ..known(Backend::Gemini) };
        assert_eq!(
            finding_lines(&agent),
            ["note: Gemini CLI is not installed [install it with `npm install -g \
              @google/gemini-cli`, or name the program in `GEMINI_PATH`]"]
        );
        let needed_by = vec!["`a`".to_owned(), "the built-in agents".to_owned()];
        let findings = finding_lines(&AgentFacts { needed_by, ..agent });
        assert!(
            findings[0].starts_with(
                "warning: Gemini CLI is not installed, and `a` and the built-in agents need it ["
            ),
            "{findings:?}"
        );
    }

    #[test]
    fn a_wrong_program_name_is_distinguished_from_a_missing_program() {
        let agent = AgentFacts {
            command: "/opt/claude".to_owned(),
            location: ProgramLocation::Missing(NotRunnableReason::NoSuchFile),
            ..known(Backend::Claude)
        };
        assert_eq!(
            finding_lines(&agent),
            ["note: Claude Code: `/opt/claude` does not exist \
              [`CLAUDE_PATH` names it; correct or unset that]"]
        );
    }

    #[test]
    fn an_agent_without_a_version_is_reported_and_not_ok() {
        let findings = finding_lines(&AgentFacts {
            answer: Some(VersionReply::TooLate),
            ..known(Backend::Opencode)
        });
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].starts_with("warning: opencode: `/bin/opencode --version` did not answer")
        );
    }

    #[test]
    fn without_any_agent_something_is_broken_unless_others_are_configured() {
        let location = ProgramLocation::Missing(NotRunnableReason::NotOnPath);
        let agents =
            Backend::ALL.map(|backend| AgentFacts { location: location.clone(), ..known(backend) });
        let broken = |has_others| {
            let findings = findings(&agents, has_others, &str::to_owned);
            findings
                .iter()
                .filter(|f| f.status == super::super::finding::FindingStatus::Broken)
                .count()
        };
        assert_eq!((broken(false), broken(true)), (1, 0));
    }
}
