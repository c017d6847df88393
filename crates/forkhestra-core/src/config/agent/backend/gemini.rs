//! Gemini CLI.

use serde_json::{Value, json};

use crate::config::agent::backend_facts::{
    AgentDirectory, BackendFacts, CostReport, LoginFacts, ModelFacts, SettingsFacts, SettingsFile,
    ToolEntryProblem, ToolLimits, ToolPattern,
};
use crate::config::agent::capability::{AgentSetting, KEEP_CREDENTIALS_AWAY, SettingSupport};

const DIRECTORY: AgentDirectory = AgentDirectory::Own { variable: None, below_home: ".gemini" };

/// The only tool with patterns.
const SHELL: &str = "run_shell_command";

pub(super) static FACTS: BackendFacts = BackendFacts {
    title: "Gemini CLI",
    package: "@google/gemini-cli",
    path_variable: "GEMINI_PATH",
    login: LoginFacts {
        log_in: "log in by starting `gemini`",
        key_variable: Some("GEMINI_API_KEY"),
        key_precedes_login: false,
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
        directory: DIRECTORY,
        files: &["oauth_creds.json", ".env"],
        other: None,
    },
    settings: SettingsFacts {
        directory: DIRECTORY,
        file: SettingsFile::Json { name: "settings.json", model: "/model/name" },
        model_variable: Some("GEMINI_MODEL"),
    },
    models: ModelFacts {
        families: &[],
        prefix: Some("gemini-"),
        has_providers: false,
        built_in: None,
    },
    cost: CostReport::Tokens,
    reports_quota: false,
    support,
    tool_limits: Some(ToolLimits { names: TOOL_NAMES, problem: tool_problem, schema: tool_schema }),
    tool_patterns: &[(SHELL, ToolPattern::Command { suffix: "" })],
    reading_tools: Some(&["read_file", "grep_search", "glob", "list_directory", SHELL]),
    print_arguments: None,
    root_refusal: None,
    needs_git_identity: true,
    login_shell_key: None,
    config_variable: None,
};

const TOOL_NAMES: &[(&str, &str)] = &[
    ("Agent", "invoke_agent"),
    ("Bash", SHELL),
    ("Edit", "replace"),
    ("Glob", "glob"),
    ("Grep", "grep_search"),
    ("LS", "list_directory"),
    ("MultiEdit", "replace"),
    ("Read", "read_file"),
    ("Task", "invoke_agent"),
    ("TodoWrite", "write_todos"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "google_web_search"),
    ("Write", "write_file"),
];

const fn support(setting: AgentSetting) -> SettingSupport {
    match setting {
        AgentSetting::Model
        | AgentSetting::Permissions
        | AgentSetting::AllowedTools
        | AgentSetting::DisallowedTools => SettingSupport::Program,
        AgentSetting::MaxTurns => SettingSupport::Ourselves,
        AgentSetting::McpConfig => SettingSupport::Refused(
            "configure the servers as `mcpServers` in Gemini CLI's own ~/.gemini/settings.json",
        ),
        AgentSetting::Settings => {
            SettingSupport::Refused("write them into Gemini CLI's own ~/.gemini/settings.json")
        }
        AgentSetting::Billing => SettingSupport::Refused(KEEP_CREDENTIALS_AWAY),
    }
}

/// The shell of Gemini CLI matches prefixes of commands and ignores other patterns.
fn tool_problem(_: AgentSetting, name: &str, pattern: Option<&str>) -> Option<ToolEntryProblem> {
    let pattern = pattern?;
    if name != SHELL {
        let why = format!("`{name}` has no patterns in Gemini CLI");
        let hint = format!("only `{SHELL}` has; leave the parentheses out");
        return Some(ToolEntryProblem { why, hint });
    }
    let words = pattern.trim_end_matches(['*', ':', ' ']);
    (words != pattern || pattern.contains('*')).then(|| {
        let why = format!("`{pattern}` is not how a command begins");
        let instead = if words.is_empty() || words.contains('*') { "git log" } else { words };
        let hint = format!("write the words it begins with, as in `{name}({instead})`");
        ToolEntryProblem { why, hint }
    })
}

fn tool_schema(_: AgentSetting) -> Vec<Value> {
    vec![
        json!({ "pattern": "\\(", "not": { "pattern": format!("^{SHELL}\\(") } }),
        json!({ "pattern": "\\(.*\\*|[: ]\\)$" }),
    ]
}
