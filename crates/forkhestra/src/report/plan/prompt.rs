//! Prompts in a dry run: abbreviated by default, in full with `--verbose`.

use forkhestra_core::plan::Prompt;
use forkhestra_core::text;
use typeset::text::visible;

use super::dry_run::DryRunDetail;
use crate::project::project_location::ProjectLocation;

/// Maximum number of characters shown of the first line.
const MOST_CHARACTERS: usize = 160;

/// Describes a prompt. A file is read here only for display; a run reads it for each iteration.
pub(crate) fn describe(
    prompt: &Prompt,
    project: &ProjectLocation,
    detail: DryRunDetail,
) -> Vec<String> {
    match prompt {
        Prompt::None => vec!["none".to_owned()],
        Prompt::Text(text) => in_detail(text, detail),
        Prompt::File(path) => {
            let mut lines = vec![format!("file {}", visible(path))];
            let text = std::fs::read_to_string(project.working_directory.join(path));
            match text.as_deref().map(str::trim) {
                Ok("") => lines.push("(empty)".to_owned()),
                Ok(text) => lines.extend(in_detail(text, detail)),
                // Planning found the file readable, so it is being changed right now.
                Err(error) => lines.push(format!("(cannot be read now: {error})")),
            }
            lines
        }
    }
}

fn in_detail(text: &str, detail: DryRunDetail) -> Vec<String> {
    match detail {
        DryRunDetail::Verbose => text.lines().map(|line| format!("| {}", visible(line))).collect(),
        DryRunDetail::Normal | DryRunDetail::Quiet => vec![in_brief(text)],
    }
}

/// The first non-blank line in quotes and the number of further lines.
fn in_brief(text: &str) -> String {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let first = text::cut(lines.next().unwrap_or_default(), MOST_CHARACTERS);
    let more = match lines.count() {
        0 => String::new(),
        more => format!(" (+{})", text::count(more, "line")),
    };
    format!("\"{}\"{more}", visible(&first))
}
