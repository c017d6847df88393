//! Claude Code.

use crate::config::agent::backend_facts::{
    AgentDirectory, BackendFacts, CostReport, LoginFacts, ModelFacts, OtherLogin, PrintArguments,
    RootRefusal, SettingsFacts, SettingsFile, ToolPattern,
};
use crate::config::agent::capability::{AgentSetting, SettingSupport};

const DIRECTORY: AgentDirectory =
    AgentDirectory::Own { variable: Some("CLAUDE_CONFIG_DIR"), below_home: ".claude" };

pub(super) static FACTS: BackendFacts = BackendFacts {
    title: "Claude Code",
    package: "@anthropic-ai/claude-code",
    path_variable: "CLAUDE_PATH",
    login: LoginFacts {
        log_in: "log in by starting `claude`",
        key_variable: Some("ANTHROPIC_API_KEY"),
        key_precedes_login: true,
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ],
        directory: DIRECTORY,
        files: &[".credentials.json"],
        other: Some(OtherLogin::KeychainOrHelper("apiKeyHelper")),
    },
    settings: SettingsFacts {
        directory: DIRECTORY,
        file: SettingsFile::Json { name: "settings.json", model: "/model" },
        model_variable: Some("ANTHROPIC_MODEL"),
    },
    models: ModelFacts {
        families: &["sonnet", "opus", "haiku"],
        prefix: Some("claude-"),
        has_providers: false,
        built_in: Some("sonnet"),
    },
    cost: CostReport::AtEnd,
    reports_quota: true,
    support,
    tool_limits: None,
    tool_patterns: &[
        ("Bash", ToolPattern::Command { suffix: ":*" }),
        ("WebFetch", ToolPattern::Host { prefix: "domain:" }),
    ],
    reading_tools: Some(&["Read", "Grep", "Glob", "Bash"]),
    print_arguments: Some(PrintArguments {
        print: &["-p", "--print"],
        skip_permissions: "--dangerously-skip-permissions",
    }),
    root_refusal: Some(RootRefusal {
        message: "Claude Code does not skip permissions for root",
        remedy: "run as another user, set IS_SANDBOX=1 in a sandbox, or give the agent \
                 `\"permissions\": \"default\"`",
        sandbox_variable: "IS_SANDBOX",
    }),
    needs_git_identity: false,
    login_shell_key: None,
    config_variable: None,
};

const fn support(setting: AgentSetting) -> SettingSupport {
    match setting {
        AgentSetting::Billing => SettingSupport::Ourselves,
        AgentSetting::Model
        | AgentSetting::MaxTurns
        | AgentSetting::AllowedTools
        | AgentSetting::DisallowedTools
        | AgentSetting::McpConfig
        | AgentSetting::Settings
        | AgentSetting::Permissions => SettingSupport::Program,
    }
}
