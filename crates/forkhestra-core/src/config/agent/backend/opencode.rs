//! opencode.

use serde_json::{Value, json};

use crate::config::agent::backend_facts::{
    AgentDirectory, BackendFacts, CostReport, LoginFacts, ModelFacts, OtherLogin, SettingsFacts,
    SettingsFile, ToolEntryProblem, ToolLimits,
};
use crate::config::agent::capability::{AgentSetting, KEEP_CREDENTIALS_AWAY, SettingSupport};

pub(super) static FACTS: BackendFacts = BackendFacts {
    title: "opencode",
    package: "opencode-ai",
    path_variable: "OPENCODE_PATH",
    login: LoginFacts {
        log_in: "log in with `opencode auth login`",
        key_variable: None,
        key_precedes_login: false,
        variables: &[
            "OPENCODE_API_KEY",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "OPENROUTER_API_KEY",
        ],
        directory: AgentDirectory::Xdg {
            variable: "XDG_DATA_HOME",
            below_home: ".local/share",
            name: "opencode",
        },
        files: &["auth.json"],
        other: Some(OtherLogin::NotNeeded),
    },
    settings: SettingsFacts {
        directory: AgentDirectory::Xdg {
            variable: "XDG_CONFIG_HOME",
            below_home: ".config",
            name: "opencode",
        },
        file: SettingsFile::Json { name: "opencode.json", model: "/model" },
        model_variable: None,
    },
    models: ModelFacts { families: &[], prefix: None, has_providers: true, built_in: None },
    cost: CostReport::EachStep,
    reports_quota: false,
    support,
    tool_limits: Some(ToolLimits { names: TOOL_NAMES, problem: tool_problem, schema: tool_schema }),
    // The shell is allowed as a whole or not at all.
    tool_patterns: &[],
    reading_tools: Some(&["read", "grep", "glob", "list", "bash"]),
    print_arguments: None,
    root_refusal: None,
    needs_git_identity: false,
    login_shell_key: None,
    config_variable: Some("OPENCODE_CONFIG_CONTENT"),
};

const TOOL_NAMES: &[(&str, &str)] = &[
    ("Agent", "task"),
    ("Bash", "bash"),
    ("Edit", "edit"),
    ("Glob", "glob"),
    ("Grep", "grep"),
    ("LS", "list"),
    ("MultiEdit", "edit"),
    ("Read", "read"),
    ("Task", "task"),
    ("TodoWrite", "todowrite"),
    ("WebFetch", "webfetch"),
    ("WebSearch", "websearch"),
    ("Write", "write"),
];

const fn support(setting: AgentSetting) -> SettingSupport {
    match setting {
        AgentSetting::Model
        | AgentSetting::Permissions
        | AgentSetting::AllowedTools
        | AgentSetting::DisallowedTools => SettingSupport::Program,
        AgentSetting::MaxTurns => SettingSupport::Ourselves,
        AgentSetting::McpConfig => SettingSupport::Refused(
            "configure the servers as `mcp` in opencode's own opencode.json",
        ),
        AgentSetting::Settings => {
            SettingSupport::Refused("write them into opencode's own opencode.json")
        }
        AgentSetting::Billing => SettingSupport::Refused(KEEP_CREDENTIALS_AWAY),
    }
}

/// In opencode, redirections without a command bypass the rules, and subagents have rules of their
/// own.
fn tool_problem(
    setting: AgentSetting,
    name: &str,
    pattern: Option<&str>,
) -> Option<ToolEntryProblem> {
    if setting != AgentSetting::AllowedTools {
        return None;
    }
    let may_be_shell = name == "bash" || name.contains(['*', '?']);
    if name == "task" {
        return Some(ToolEntryProblem {
            why: "opencode's subagents do not keep to this list".to_owned(),
            hint: "leave it out: an agent with a list of tools has none".to_owned(),
        });
    }
    (may_be_shell && pattern.is_some()).then(|| ToolEntryProblem {
        why: format!("opencode does not keep `{name}` to a pattern"),
        hint: "allow all of it, or leave it out".to_owned(),
    })
}

fn tool_schema(setting: AgentSetting) -> Vec<Value> {
    if setting != AgentSetting::AllowedTools {
        return Vec::new();
    }
    vec![json!({ "pattern": "^task(\\(|$)|^(bash|[^(]*[*?][^(]*)\\(" })]
}
