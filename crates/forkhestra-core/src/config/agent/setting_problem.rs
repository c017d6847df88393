//! Settings that an agent program cannot honour, where the program is known only when the agent is
//! used.

use super::agent_entry::AgentEntry;
use super::backend::{Backend, Billing};
use super::backend_facts::ToolEntryProblem;
use super::capability::{AgentSetting, SettingSupport};
use super::{model_name, tool_support};
use crate::diagnostic::source::Span;

/// A setting that an agent program cannot honour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    /// The position of the value.
    pub span: Span,
    /// The index in a list, if the setting is one.
    pub index: Option<usize>,
    /// The problem, to follow the path of the value.
    pub message: String,
    /// The text beside the caret.
    pub label: String,
    pub hint: Option<String>,
}

impl SettingProblem {
    /// Compares a setting of an entry with what an agent program supports.
    pub fn find(entry: &AgentEntry, setting: AgentSetting, backend: Backend) -> Vec<Self> {
        let Some(span) = entry.span_of(setting) else { return Vec::new() };
        let label = format!("not for {}", backend.title());
        if let SettingSupport::Refused(instead) = setting.support(backend) {
            let message = format!("cannot be honoured by the backend `{}`", backend.word());
            let problem =
                Self { span, index: None, message, label, hint: Some(instead.to_owned()) };
            return Vec::from_iter((!restricts_nothing(entry, setting)).then_some(problem));
        }
        match setting {
            AgentSetting::Model => Self::of_model(entry, backend).into_iter().collect(),
            AgentSetting::AllowedTools | AgentSetting::DisallowedTools => {
                Self::of_tools(entry, setting, backend)
            }
            _ => Vec::new(),
        }
    }

    fn of_model(entry: &AgentEntry, backend: Backend) -> Option<Self> {
        let model = entry.model.as_ref()?;
        let misfit = model_name::model_mismatch(&model.value.0, Some(backend))?;
        Some(Self {
            span: model.span,
            index: None,
            message: format!("must be {}, found {:?}", misfit.expected, model.value.0),
            label: format!("not a model of {}", backend.title()),
            hint: misfit.hint,
        })
    }

    fn of_tools(entry: &AgentEntry, setting: AgentSetting, backend: Backend) -> Vec<Self> {
        let listed = match setting {
            AgentSetting::AllowedTools => &entry.allowed_tools,
            _ => &entry.disallowed_tools,
        };
        let tools = listed.iter().flat_map(|tools| tools.value.iter().enumerate());
        tools
            .filter_map(|(index, tool)| {
                let ToolEntryProblem { why, hint } =
                    tool_support::problem(setting, backend, &tool.value.0)?;
                Some(Self {
                    span: tool.span,
                    index: Some(index),
                    message: format!("is not possible: {why}"),
                    label: format!("not for {}", backend.title()),
                    hint: Some(hint),
                })
            })
            .collect()
    }
}

/// Whether the value of a setting restricts nothing, so that every program honours it.
fn restricts_nothing(entry: &AgentEntry, setting: AgentSetting) -> bool {
    let billing = entry.billing.as_ref().map(|billing| billing.value);
    setting.neutral_value().is_some() && billing == Some(Billing::default())
}
