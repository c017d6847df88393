//! Codex.

use crate::config::agent::backend_facts::{
    AgentDirectory, BackendFacts, CostReport, LoginFacts, ModelArguments, ModelFacts, OtherLogin,
    SettingsFacts, SettingsFile,
};
use crate::config::agent::capability::{AgentSetting, KEEP_CREDENTIALS_AWAY, SettingSupport};

const DIRECTORY: AgentDirectory =
    AgentDirectory::Own { variable: Some("CODEX_HOME"), below_home: ".codex" };

pub(super) static FACTS: BackendFacts = BackendFacts {
    title: "Codex",
    package: "@openai/codex",
    path_variable: "CODEX_PATH",
    login: LoginFacts {
        log_in: "log in with `codex login`",
        key_variable: Some("CODEX_API_KEY"),
        key_precedes_login: false,
        variables: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        directory: DIRECTORY,
        files: &["auth.json"],
        other: Some(OtherLogin::Provider("model_provider")),
    },
    settings: SettingsFacts {
        directory: DIRECTORY,
        file: SettingsFile::Toml { name: "config.toml" },
        model_variable: None,
    },
    models: ModelFacts {
        families: &[],
        prefix: Some("gpt-"),
        has_providers: false,
        built_in: None,
    },
    cost: CostReport::TokensOfUnnamedModel(model_arguments),
    reports_quota: false,
    support,
    tool_limits: None,
    tool_patterns: &[],
    reading_tools: None,
    print_arguments: None,
    root_refusal: None,
    needs_git_identity: false,
    login_shell_key: Some("allow_login_shell"),
    config_variable: None,
};

const fn support(setting: AgentSetting) -> SettingSupport {
    SettingSupport::Refused(match setting {
        AgentSetting::Model | AgentSetting::Permissions => return SettingSupport::Program,
        AgentSetting::MaxTurns => return SettingSupport::Ourselves,
        AgentSetting::AllowedTools | AgentSetting::DisallowedTools => {
            "Codex has no lists of tools; with `\"permissions\": \"default\"` its own sandbox limits it"
        }
        AgentSetting::McpConfig => {
            "configure the servers as `mcp_servers` in Codex's own config.toml"
        }
        AgentSetting::Settings => {
            "write them into Codex's own config.toml, or give them as `-c key=value` in `args`"
        }
        AgentSetting::Billing => KEEP_CREDENTIALS_AWAY,
    })
}

fn model_arguments(args: &[&str]) -> ModelArguments {
    ModelArguments {
        model: option(args, &["-m", "--model"]).or_else(|| setting(args, "model")),
        profile: option(args, &["-p", "--profile"]).or_else(|| setting(args, "profile")),
    }
}

/// The last value of an option, as a separate argument or behind `=`.
fn option(args: &[&str], names: &[&str]) -> Option<String> {
    let mut values = args.iter().enumerate().filter_map(|(at, arg)| {
        if names.contains(arg) {
            return args.get(at + 1).copied();
        }
        let (name, value) = arg.split_once('=')?;
        names.contains(&name).then_some(value)
    });
    values.next_back().map(str::to_owned)
}

/// The last value of a setting that is given as `-c key=value`.
fn setting(args: &[&str], key: &str) -> Option<String> {
    let pairs = args.windows(2).filter(|pair| matches!(pair[0], "-c" | "--config"));
    let mut values = pairs.filter_map(|pair| {
        let (name, value) = pair[1].split_once('=')?;
        (name.trim() == key).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    values.next_back()
}
