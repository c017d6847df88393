//! The facts about an agent program that are data: one [`BackendFacts`] for each
//! [`Backend`](super::backend::Backend).

use serde_json::Value;

use super::capability::{AgentSetting, SettingSupport};

/// The facts about an agent program. How it is started and how its stream is read is in the engine.
#[derive(Debug)]
pub struct BackendFacts {
    /// The product name, for messages.
    pub title: &'static str,
    /// The npm package that installs it.
    pub package: &'static str,
    /// The environment variable that names another executable.
    pub path_variable: &'static str,
    pub login: LoginFacts,
    pub settings: SettingsFacts,
    pub models: ModelFacts,
    pub cost: CostReport,
    /// Whether its stream tells how much of the windows of a subscription is used.
    pub reports_quota: bool,
    /// How each setting of an agent is enforced.
    pub support: fn(AgentSetting) -> SettingSupport,
    /// Restrictions on the entries of tool lists.
    pub tool_limits: Option<ToolLimits>,
    /// Tools whose entries in a list can have a pattern, for advice about a denied call.
    pub tool_patterns: &'static [(&'static str, ToolPattern)],
    /// The tools of a built-in agent that changes no files; `None` if the program has no list. The
    /// shell is one of them: tasks are created and work is committed by commands.
    pub reading_tools: Option<&'static [&'static str]>,
    /// The arguments of `program -p PROMPT` that a direct spawn replaces.
    pub print_arguments: Option<PrintArguments>,
    /// The message and the remedy, if the program does not skip permissions for root.
    pub root_refusal: Option<RootRefusal>,
    /// Whether its shell ignores git's settings, so that commits need variables for their author.
    pub needs_git_identity: bool,
    /// The key of its settings that decides about login shells.
    pub login_shell_key: Option<&'static str>,
    /// The variable with configuration that an invocation extends.
    pub config_variable: Option<&'static str>,
}

/// How a login is recognised, and how to log in.
#[derive(Debug)]
pub struct LoginFacts {
    /// How to log in, for messages.
    pub log_in: &'static str,
    /// The environment variable with the API key of its only provider.
    pub key_variable: Option<&'static str>,
    /// Whether that key is used even if there is a login.
    pub key_precedes_login: bool,
    /// Variables of which each is a login.
    pub variables: &'static [&'static str],
    /// The directory of the login files.
    pub directory: AgentDirectory,
    /// Files of which each is a login.
    pub files: &'static [&'static str],
    /// Other evidence of a login.
    pub other: Option<OtherLogin>,
}

/// Evidence of a login beside variables and files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherLogin {
    /// The keychain of macOS, or this key of the settings, which names a program that prints a key.
    KeychainOrHelper(&'static str),
    /// This key of the settings names a provider, which has its own API key.
    Provider(&'static str),
    /// Some models need no account.
    NotNeeded,
}

/// A directory of an agent program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentDirectory {
    /// Below the home directory, unless the variable names another one.
    Own { variable: Option<&'static str>, below_home: &'static str },
    /// In a directory of the XDG specification.
    Xdg { variable: &'static str, below_home: &'static str, name: &'static str },
}

/// The user's settings of an agent program.
#[derive(Debug)]
pub struct SettingsFacts {
    pub directory: AgentDirectory,
    pub file: SettingsFile,
    /// The environment variable that names the model.
    pub model_variable: Option<&'static str>,
}

/// A settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsFile {
    /// JSON, with the JSON pointer of the model.
    Json { name: &'static str, model: &'static str },
    /// TOML with `model`, `profile` and tables of `profiles`.
    Toml { name: &'static str },
}

/// The names of the models of an agent program.
#[derive(Debug)]
pub struct ModelFacts {
    /// Short names for the newest model of a family. Other names are ids, which have a separator.
    pub families: &'static [&'static str],
    /// The prefix in the price table.
    pub prefix: Option<&'static str>,
    /// Whether it runs models of every provider, with names such as `provider/model`.
    pub has_providers: bool,
    /// The model that built-in agents request; `None` for the program's default.
    pub built_in: Option<&'static str>,
}

/// How a program reports its cost.
#[derive(Debug, Clone, Copy)]
pub enum CostReport {
    /// As an amount, at its end.
    AtEnd,
    /// As an amount, after each step.
    EachStep,
    /// As tokens with their model.
    Tokens,
    /// As tokens without a model. The function finds the model in the user's arguments.
    TokensOfUnnamedModel(fn(&[&str]) -> ModelArguments),
}

/// The model in the arguments of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelArguments {
    pub model: Option<String>,
    /// The profile of the settings file.
    pub profile: Option<String>,
}

/// Restrictions on the entries of tool lists.
#[derive(Debug, Clone, Copy)]
pub struct ToolLimits {
    /// Tools of Claude Code with their names in this program. It ignores unknown names, so a
    /// forbidden tool would stay usable.
    pub names: &'static [(&'static str, &'static str)],
    /// Why the program would not enforce an entry with this name and pattern.
    pub problem: fn(AgentSetting, &str, Option<&str>) -> Option<ToolEntryProblem>,
    /// JSON Schemas of entries with such a problem.
    pub schema: fn(AgentSetting) -> Vec<Value>,
}

/// Why an entry of a tool list would not be enforced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEntryProblem {
    pub why: String,
    /// What to do instead.
    pub hint: String,
}

/// The pattern of an entry in a tool list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolPattern {
    /// The start of a command, followed by this suffix.
    Command { suffix: &'static str },
    /// The host of a URL, after this prefix.
    Host { prefix: &'static str },
}

/// Arguments that a direct spawn replaces.
#[derive(Debug, Clone, Copy)]
pub struct PrintArguments {
    /// Any of these makes the program print its answer and exit.
    pub print: &'static [&'static str],
    /// The argument for the permissions setting.
    pub skip_permissions: &'static str,
}

/// A program that does not skip permissions for root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootRefusal {
    pub message: &'static str,
    pub remedy: &'static str,
    /// The variable that declares a sandbox with the value `1`, in which root is accepted.
    pub sandbox_variable: &'static str,
}

impl CostReport {
    /// Whether the cost is computed from tokens and a price table.
    pub const fn needs_prices(&self) -> bool {
        matches!(self, Self::Tokens | Self::TokensOfUnnamedModel(_))
    }

    /// Whether the program does not report its model, so that its cost may be unknown.
    pub const fn lacks_model(&self) -> bool {
        matches!(self, Self::TokensOfUnnamedModel(_))
    }
}

impl SettingsFile {
    /// The name of the file.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Json { name, .. } | Self::Toml { name } => name,
        }
    }
}
