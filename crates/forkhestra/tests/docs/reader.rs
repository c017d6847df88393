//! Finds the blocks of a page.

use crate::page::{ConsoleBlock, ShellScript};

/// Starts a comment before a block: a shell script with what the prose describes.
const SETUP: &str = "<!-- setup";

/// Starts a comment before a block that runs only where a program is installed.
const NEEDS: &str = "<!-- needs ";

/// Starts a comment before a block of another language that is the content of a file.
const FILE: &str = "<!-- file ";

/// Starts a comment before a session that is not run, with the reason.
const NOT_RUN_MARK: &str = "<!-- not run: ";

/// A line, from 1, and the problem.
pub(crate) type PageMistake = (usize, String);

pub(crate) fn blocks(lines: &[String]) -> Result<Vec<ConsoleBlock>, PageMistake> {
    let mut reader = PageReader { lines, next: 0 };
    let mut blocks = Vec::new();
    let mut comments = BlockComments::default();
    while let Some(line) = lines.get(reader.next) {
        reader.next += 1;
        let number = reader.next;
        if reader.comment(line, &mut comments)? {
            comments.line = Some(number);
        } else if line.trim_start().starts_with("```") {
            blocks.extend(reader.fence(line.trim(), std::mem::take(&mut comments))?);
        } else if !line.trim().is_empty()
            && let Some(comment) = comments.line
        {
            return Err(mistake(comment, "this comment must stand right before its block"));
        }
    }
    match comments.line {
        Some(comment) => Err(mistake(comment, "no block follows this comment")),
        None => Ok(blocks),
    }
}

/// The comments before a block.
#[derive(Default)]
struct BlockComments {
    setup: Option<ShellScript>,
    needs: Option<String>,
    file: Option<String>,
    not_run: bool,
    /// The line of the last comment.
    line: Option<usize>,
}

struct PageReader<'a> {
    lines: &'a [String],
    /// The next line, from 0, which is the number, from 1, of the line read last.
    next: usize,
}

impl PageReader<'_> {
    /// Whether a line is a comment of this format; if so, it is read to its end.
    fn comment(&mut self, line: &str, comments: &mut BlockComments) -> Result<bool, PageMistake> {
        let value = |rest: &str| Some(rest.trim_end_matches("-->").trim().to_owned());
        if line == SETUP {
            comments.setup = Some(self.setup()?);
        } else if let Some(rest) = line.strip_prefix(NEEDS) {
            comments.needs = value(rest);
        } else if let Some(rest) = line.strip_prefix(FILE) {
            comments.file = value(rest);
        } else if line.starts_with(NOT_RUN_MARK) {
            comments.not_run = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The script in the comment that has just begun.
    fn setup(&mut self) -> Result<ShellScript, PageMistake> {
        let begin = self.next;
        let Some(length) = self.lines[begin..].iter().position(|line| line == "-->") else {
            return Err(mistake(begin, "`-->` does not follow, alone on a line"));
        };
        self.next = begin + length + 1;
        Ok(ShellScript {
            line: begin,
            text: self.lines[begin..begin + length].join("\n"),
            output: 0..0,
        })
    }

    /// Reads the fenced block that has just begun.
    fn fence(
        &mut self,
        opening: &str,
        comments: BlockComments,
    ) -> Result<Option<ConsoleBlock>, PageMistake> {
        let number = self.next;
        let language = opening.trim_start_matches('`');
        let fence = &opening[..opening.len() - language.len()];
        let length = self.lines[number..].iter().position(|line| line.trim() == fence);
        let end = number + length.ok_or_else(|| mistake(number, "the fence is not closed"))?;
        let BlockComments { setup, needs, file, not_run, .. } = comments;
        let block = match (language, file) {
            ("console", None) => Some(ConsoleBlock { setup, needs, commands: self.commands(end)? }),
            (_, Some(path)) if language != "console" => {
                let text = written(&path, &self.lines[number..end]);
                let script = ShellScript { line: number, text, output: 0..0 };
                Some(ConsoleBlock { setup: Some(script), ..ConsoleBlock::default() })
            }
            (_, file) if file.is_some() || setup.is_some() || needs.is_some() => {
                return Err(mistake(number, "the comment before is not for this kind of block"));
            }
            _ if self.lines[number].starts_with("$ ") && !not_run => {
                let problem = "this is not run: make it a `console` block, or say why in a comment";
                return Err((number, format!("{problem} `{NOT_RUN_MARK}… -->`")));
            }
            _ => None,
        };
        self.next = end + 1;
        Ok(block)
    }

    /// The commands up to the end of the block.
    fn commands(&mut self, end: usize) -> Result<Vec<ShellScript>, PageMistake> {
        let mut commands = Vec::new();
        while self.next < end {
            let line = self.next + 1;
            let Some(text) = self.lines[self.next].strip_prefix("$ ") else {
                return Err(mistake(line, "a console block begins with `$ ` and a command"));
            };
            self.next += 1;
            let text = self.whole_command(text, end);
            let begin = self.next;
            while self.next < end && !self.lines[self.next].starts_with("$ ") {
                self.next += 1;
            }
            commands.push(ShellScript { line, text, output: begin..self.next });
        }
        Ok(commands)
    }

    /// A command with its continuation lines: after a backslash, after the secondary prompt `> `,
    /// and up to the end of a here-document.
    fn whole_command(&mut self, first: &str, end: usize) -> String {
        let mut text = first.to_owned();
        while self.next < end && (text.ends_with('\\') || self.lines[self.next].starts_with("> ")) {
            let line = &self.lines[self.next];
            text.push('\n');
            text.push_str(line.strip_prefix("> ").unwrap_or(line));
            self.next += 1;
        }
        let Some((_, word)) = text.split_once("<<") else { return text };
        let word: String = word.chars().filter(|c| !"'\"".contains(*c)).collect();
        let word = word.split_whitespace().next().unwrap_or_default().to_owned();
        while self.next < end {
            let line = &self.lines[self.next];
            text.push('\n');
            text.push_str(line);
            self.next += 1;
            if *line == word {
                break;
            }
        }
        text
    }
}

/// A script that writes a file.
fn written(path: &str, lines: &[String]) -> String {
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let content = lines.join("\n");
    format!("mkdir -p '{folder}'; cat > '{path}' <<'END OF FILE'\n{content}\nEND OF FILE")
}

fn mistake(line: usize, problem: &str) -> PageMistake {
    (line, problem.to_owned())
}
