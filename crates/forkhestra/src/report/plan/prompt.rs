//! Prompts in a dry run: abbreviated by default, in full with `--verbose`.

use forkhestra_core::plan::Prompt;
use forkhestra_core::text;
use forkhestra_engine::regular_file;
use typeset::text::visible;

use super::dry_run::Verbosity;
use crate::project::project_location::ProjectLocation;

/// Maximum number of characters shown of the first line.
const MAX_PROMPT_CHARS: usize = 160;

/// Describes a prompt. A file is read here only for display; a run reads it for each iteration.
pub(crate) fn describe(
    prompt: &Prompt,
    project: &ProjectLocation,
    detail: Verbosity,
) -> Vec<String> {
    match prompt {
        Prompt::None => vec!["none".to_owned()],
        Prompt::Text(text) => prompt_lines(text, detail),
        Prompt::File(path) => {
            let mut lines = vec![format!("file {}", visible(path))];
            let text = regular_file::read_text(&project.working_directory.join(path));
            match text.as_deref().map(str::trim) {
                Ok("") => lines.push("(empty)".to_owned()),
                Ok(text) => lines.extend(prompt_lines(text, detail)),
                // Planning found the file readable, so it is being changed right now.
                Err(error) => lines.push(format!("(cannot be read now: {error})")),
            }
            lines
        }
    }
}

fn prompt_lines(text: &str, detail: Verbosity) -> Vec<String> {
    match detail {
        Verbosity::Verbose => text.lines().map(|line| format!("| {}", visible(line))).collect(),
        Verbosity::Normal | Verbosity::Quiet => vec![first_line(text)],
    }
}

/// The first non-blank line in quotes and the number of further lines.
fn first_line(text: &str) -> String {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let first = text::cut(lines.next().unwrap_or_default(), MAX_PROMPT_CHARS);
    let more = match lines.count() {
        0 => String::new(),
        more => format!(" (+{})", text::count(more, "line")),
    };
    format!("\"{}\"{more}", visible(&first))
}
