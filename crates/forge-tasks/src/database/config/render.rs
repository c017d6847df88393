//! The text of a new `config.json`.

use serde::Serialize;

use super::TasksConfig;
use crate::Priority;

/// As it is in the file. The order is that of new files.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConfigJson<'a> {
    prefix: &'a str,
    zero_padding: usize,
    project_name: Option<&'a str>,
    default_priority: Option<&'static str>,
    default_labels: &'a [String],
    last_id_number: u64,
}

/// Writes every key, so that the file shows all settings.
pub(in crate::database) fn render(config: &TasksConfig) -> String {
    let file = ConfigJson {
        prefix: config.prefix.as_str(),
        zero_padding: config.zero_padding,
        project_name: config.project_name.as_deref(),
        default_priority: config.default_priority.map(Priority::name),
        default_labels: &config.default_labels,
        last_id_number: config.last_id_number,
    };
    let json = serde_json::to_string_pretty(&file).expect("numbers and texts are JSON");
    format!("{json}\n")
}
