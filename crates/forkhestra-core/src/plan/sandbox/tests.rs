//! Tests of the resolution of sandboxes.

use super::*;
use crate::config::{ConfigLayer, ConfigLayerKind, ConfigLayers, read};
use crate::dsl::Dsl;
use crate::plan::{
    FileState, HostEnvironment, PlanRequest, ProgramLocation, RunTarget, SandboxRequest, build,
};

struct AnyHost;

impl HostEnvironment for AnyHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        ProgramLocation::Found(format!("/bin/{program}"))
    }
    fn file(&self, _: &str) -> FileState {
        FileState::Missing
    }
    fn prompt_file(&self, _: &str) -> FileState {
        FileState::Missing
    }
    fn task_database(&self) -> Option<String> {
        None
    }
}

fn layer(kind: ConfigLayerKind, text: &str) -> ConfigLayer {
    let parsed = read("chains.json", text.as_bytes().to_vec());
    assert_eq!(parsed.diagnostics, [], "{text}");
    ConfigLayer { kind, source: parsed.source, config: parsed.config.expect("it is valid") }
}

/// The requested level of the only step, and the warnings.
fn requested(request: SandboxRequest, project: &str, user: &str) -> (String, Vec<String>) {
    let files = vec![layer(ConfigLayerKind::Project, project), layer(ConfigLayerKind::User, user)];
    let layers = ConfigLayers { files, looked_for: Vec::new() };
    let target = match project.contains("chains") || user.contains("chains") {
        true => RunTarget::Chain("c".to_owned()),
        false => RunTarget::Dsl(Dsl::parse("worker").expect("it is a chain")),
    };
    let request = PlanRequest { sandbox: request, ..PlanRequest::new(target, "/p") };
    match build(&request, &layers, &AnyHost) {
        Ok(built) => {
            let sandbox = built.plan.steps[0].sandbox.as_ref();
            let word = sandbox.map_or("off", |sandbox| sandbox.value.requested.word());
            let extra = sandbox.map_or(Vec::new(), |sandbox| sandbox.value.writable.clone());
            let shown = [vec![word.to_owned()], extra].concat().join(" ");
            (shown, built.warnings.into_iter().map(|warning| warning.message).collect())
        }
        Err(errors) => ("error".to_owned(), errors.into_iter().map(|e| e.message).collect()),
    }
}

fn flag(word: &str) -> SandboxRequest {
    let level = SandboxChoice::ALL.into_iter().find(|choice| choice.word() == word);
    SandboxRequest { level, ..SandboxRequest::default() }
}

#[test]
fn the_option_precedes_the_variable_and_the_users_config() {
    let user = r#"{"sandbox": "guard"}"#;
    let both = SandboxRequest { variable: Some("strict".to_owned()), ..flag("workspace") };
    assert_eq!(requested(both, "{}", user).0, "workspace");
    let variable =
        SandboxRequest { variable: Some("strict".to_owned()), ..SandboxRequest::default() };
    assert_eq!(requested(variable, "{}", user).0, "strict");
    assert_eq!(requested(SandboxRequest::default(), "{}", user).0, "guard");
    assert_eq!(requested(SandboxRequest::default(), "{}", "{}").0, "auto");
    assert_eq!(requested(flag("off"), "{}", user).0, "off");
}

#[test]
fn the_users_config_may_name_a_level_for_one_agent() {
    let user = r#"{"sandbox": "strict", "agents": {"worker": {"sandbox": "off"}}}"#;
    assert_eq!(requested(SandboxRequest::default(), "{}", user).0, "off");
    let user = r#"{"sandbox": {"writable": ["/a"]},
        "agents": {"worker": {"sandbox": {"writable": ["/b"]}}}}"#;
    assert_eq!(requested(SandboxRequest::default(), "{}", user).0, "auto /b /a");
    let user = r#"{"agents": {"worker": {"sandbox": {"level": "guard", "writable": ["~/x"]}}}}"#;
    assert_eq!(requested(SandboxRequest::default(), "{}", user).0, "guard ~/x");
}

#[test]
fn a_project_only_tightens() {
    let table = [
        ("off", "workspace", "workspace", false),
        ("guard", "workspace", "workspace", false),
        ("workspace", "guard", "workspace", true),
        ("workspace", "off", "workspace", true),
        ("workspace", "auto", "workspace", false),
        ("workspace", "workspace", "workspace", false),
        ("workspace", "strict", "strict", false),
        ("auto", "off", "auto", true),
        ("auto", "guard", "auto", true),
        ("auto", "workspace", "workspace", false),
        ("auto", "strict", "strict", false),
    ];
    for (user, project, expected, warns) in table {
        let everywhere = [
            format!(r#"{{"sandbox": "{project}"}}"#),
            format!(r#"{{"agents": {{"worker": {{"sandbox": "{project}"}}}}}}"#),
            format!(
                r#"{{"chains": {{"c": {{"steps": [{{"agent": "worker", "sandbox": "{project}"}}]}}}}}}"#
            ),
            format!(
                r#"{{"chains": {{"c": {{"steps": [{{"agent": "worker"}}], "sandbox": "{project}"}}}}}}"#
            ),
        ];
        for config in everywhere {
            let (level, warnings) = requested(flag(user), &config, "{}");
            assert_eq!(level, expected, "{user} {config}");
            assert_eq!(!warnings.is_empty(), warns, "{user} {config}: {warnings:?}");
        }
    }
}

#[test]
fn exceptions_of_a_project_are_ignored() {
    let project = r#"{"sandbox": {"level": "workspace", "writable": ["/"], "hosts": ["x"]}}"#;
    let (level, warnings) = requested(SandboxRequest::default(), project, "{}");
    assert_eq!(level, "workspace");
    assert_eq!(
        warnings,
        [
            "`sandbox.writable` of the project is ignored",
            "`sandbox.hosts` of the project is ignored"
        ]
    );
}

#[test]
fn a_variable_with_another_word_is_an_error() {
    let wrong = SandboxRequest { variable: Some("on".to_owned()), ..SandboxRequest::default() };
    let (level, errors) = requested(wrong, "{}", "{}");
    assert_eq!(level, "error");
    assert_eq!(errors, ["FORKHESTRA_SANDBOX=`on` is not a sandbox level"]);
}

fn supported(possible: &[SandboxLevel]) -> SandboxSupport {
    let support = |level: SandboxLevel, mechanism| LevelSupport {
        mechanism,
        obstacle: (!possible.contains(&level)).then(|| LevelObstacle {
            why: format!("no {}", level.word()),
            remedy: "install it".to_owned(),
        }),
        gaps: Vec::new(),
    };
    SandboxSupport {
        guard: support(SandboxLevel::Guard, SandboxMechanism::Landlock),
        workspace: support(SandboxLevel::Workspace, SandboxMechanism::Bubblewrap),
        strict: support(SandboxLevel::Strict, SandboxMechanism::Bubblewrap),
    }
}

fn plan_with(word: &str) -> Plan {
    let target = RunTarget::Dsl(Dsl::parse("worker").expect("it is a chain"));
    let request = PlanRequest { sandbox: flag(word), ..PlanRequest::new(target, "/p") };
    build(&request, &ConfigLayers::default(), &AnyHost).expect("it is valid").plan
}

#[test]
fn auto_takes_what_is_possible_and_warns_without_any() {
    use SandboxLevel::{Guard, Strict, Workspace};
    let table: [(&[SandboxLevel], Option<&str>, usize); 4] = [
        (&[Guard, Workspace, Strict], Some("workspace (bubblewrap)"), 0),
        (&[Guard], Some("guard (Landlock)"), 0),
        (&[Strict], None, 1),
        (&[], None, 1),
    ];
    for (possible, expected, warnings) in table {
        let mut plan = plan_with("auto");
        let found = plan.resolve_sandboxes(&supported(possible), None);
        assert_eq!(plan.sandbox_summary().as_deref(), expected);
        assert_eq!(found.len(), warnings, "{found:?}");
        assert!(!crate::diagnostic::has_errors(&found));
    }
}

#[test]
fn a_named_level_that_is_impossible_is_an_error() {
    for level in SandboxLevel::CONFINING {
        let mut plan = plan_with(level.word());
        let found = plan.resolve_sandboxes(&supported(&[]), None);
        let expected = format!("the sandbox `{0}` is not possible here: no {0}", level.word());
        assert_eq!(found.iter().map(|d| d.message.as_str()).collect::<Vec<_>>(), [expected]);
        assert!(crate::diagnostic::has_errors(&found));
        let mut plan = plan_with(level.word());
        assert_eq!(plan.resolve_sandboxes(&supported(&[level]), None), []);
    }
}

#[test]
fn a_run_without_a_sandbox_is_resumed_in_one_if_the_user_names_it() {
    let mut plan = plan_with("off");
    assert_eq!(plan.sandbox_summary(), None);
    let named = Some(SandboxChoice::Guard);
    assert_eq!(plan.resolve_sandboxes(&supported(&[SandboxLevel::Guard]), named), []);
    assert_eq!(plan.sandbox_summary().as_deref(), Some("guard (Landlock)"));
}

#[test]
fn a_resumed_run_does_not_get_weaker_by_itself() {
    use SandboxLevel::{Guard, Workspace};
    let mut plan = plan_with("auto");
    assert_eq!(plan.resolve_sandboxes(&supported(&[Guard, Workspace]), None), []);
    let mut weaker = plan.clone();
    let found = weaker.resolve_sandboxes(&supported(&[Guard]), None);
    assert!(crate::diagnostic::has_errors(&found), "{found:?}");
    let mut named = plan.clone();
    let found = named.resolve_sandboxes(&supported(&[Guard]), Some(SandboxChoice::Guard));
    assert_eq!(found, []);
    assert_eq!(named.sandbox_summary().as_deref(), Some("guard (Landlock)"));
    let mut stronger = plan_with("auto");
    stronger.resolve_sandboxes(&supported(&[Guard]), None);
    assert_eq!(stronger.resolve_sandboxes(&supported(&[Guard, Workspace]), None), []);
    assert_eq!(stronger.sandbox_summary().as_deref(), Some("workspace (bubblewrap)"));
}
