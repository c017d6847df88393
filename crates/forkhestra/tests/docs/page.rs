//! A page: its console blocks and their set-up.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::reader;

/// A document with console blocks.
#[derive(Debug)]
pub(crate) struct DocPage {
    /// Relative to the root of the repository.
    pub(crate) path: String,
    pub(crate) lines: Vec<String>,
    pub(crate) blocks: Vec<ConsoleBlock>,
}

/// A console block, or a file, which has only set-up.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ConsoleBlock {
    /// Runs before the block, in the same directory.
    pub(crate) setup: Option<ShellScript>,
    /// A program of the system; without it the block is skipped.
    pub(crate) needs: Option<String>,
    pub(crate) commands: Vec<ShellScript>,
}

/// A command for the shell.
#[derive(Debug, PartialEq)]
pub(crate) struct ShellScript {
    /// The first line in the page, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The lines of the page, from 0, that hold the expected output.
    pub(crate) output: Range<usize>,
}

impl DocPage {
    pub(crate) fn read(root: &Path, path: &str) -> Self {
        let text = fs::read_to_string(root.join(path))
            .unwrap_or_else(|error| panic!("cannot read {path}: {error}"));
        Self::parse(path, &text)
            .unwrap_or_else(|(line, problem)| panic!("{path}:{line}: {problem}"))
    }

    pub(crate) fn has_commands(&self) -> bool {
        self.blocks.iter().any(|block| !block.commands.is_empty())
    }

    /// Finds the blocks. An error is a line, from 1, and the problem.
    pub(crate) fn parse(path: &str, text: &str) -> Result<Self, (usize, String)> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let blocks = reader::blocks(&lines)?;
        Ok(Self { path: path.to_owned(), lines, blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<ConsoleBlock> {
        DocPage::parse("page.md", text).expect("the page is right").blocks
    }

    fn mistake(text: &str) -> (usize, String) {
        DocPage::parse("page.md", text).expect_err("the page is wrong")
    }

    #[test]
    fn a_block_is_commands_and_what_they_print() {
        let found = blocks("Text.\n\n```console\n$ a\none\ntwo\n$ b\n```\n");
        let commands = &found[0].commands;
        assert_eq!((commands[0].text.as_str(), commands[0].line), ("a", 4));
        assert_eq!(commands[0].output, 4..6);
        assert_eq!((commands[1].text.as_str(), &commands[1].output), ("b", &(7..7)));
    }

    #[test]
    fn commands_continue_after_a_backslash_and_in_a_here_document() {
        let found = blocks(
            "```console\n$ a \\\n    b\nout\n$ cat > c <<'END'\n$ no command\nEND\nout\n```\n",
        );
        let texts: Vec<&str> =
            found[0].commands.iter().map(|command| command.text.as_str()).collect();
        assert_eq!(texts, ["a \\\n    b", "cat > c <<'END'\n$ no command\nEND"]);
        assert_eq!(found[0].commands[1].output, 7..8);
    }

    #[test]
    fn commands_continue_after_the_secondary_prompt() {
        let found =
            blocks("```console\n$ for a in b; do\n>     c \\\n>         d\n> done\nout\n```\n");
        let command = &found[0].commands[0];
        assert_eq!(command.text, "for a in b; do\n    c \\\n        d\ndone");
        assert_eq!(command.output, 5..6);
    }

    #[test]
    fn comments_belong_to_the_block_that_follows() {
        let found = blocks(
            "<!-- setup\necho 1\necho 2\n-->\n<!-- needs jq -->\n\n```console\n$ a\n```\n```console\n$ b\n```\n",
        );
        let setup = found[0].setup.as_ref().expect("there is one");
        assert_eq!((setup.text.as_str(), setup.line), ("echo 1\necho 2", 1));
        assert_eq!(found[0].needs.as_deref(), Some("jq"));
        assert_eq!((&found[1].setup, &found[1].needs), (&None, &None));
    }

    #[test]
    fn a_block_that_would_be_skipped_is_a_mistake() {
        assert_eq!(mistake("<!-- setup\necho 1\n-->\n\nText.\n").0, 1);
        assert_eq!(mistake("<!-- setup\necho 1\n-->\n").0, 1);
        assert_eq!(mistake("<!-- setup\necho 1\n").0, 1);
        assert_eq!(mistake("<!-- setup\necho 1\n-->\n```sh\na\n```\n").0, 4);
        assert_eq!(mistake("```console\nout\n```\n").0, 2);
        assert_eq!(mistake("```console\n$ a\n").0, 1);
        assert_eq!(mistake("```text\n$ a\n```\n").0, 1);
    }

    #[test]
    fn a_fence_ends_with_as_many_backticks() {
        let found = blocks("````console\n$ a\n```\n````\n```text\nb\n```\n");
        assert_eq!(found[0].commands[0].output, 2..3);
    }

    #[test]
    fn a_block_can_be_the_content_of_a_file() {
        let found = blocks("<!-- file a/b.json -->\n```jsonc\n{\n}\n```\n");
        let setup = found[0].setup.as_ref().expect("it is written");
        let script = "mkdir -p 'a'; cat > 'a/b.json' <<'END OF FILE'\n{\n}\nEND OF FILE";
        assert_eq!((setup.text.as_str(), setup.line), (script, 2));
        assert_eq!(mistake("<!-- file a -->\n```console\n$ b\n```\n").0, 2);
    }

    #[test]
    fn a_session_that_is_not_run_needs_a_reason() {
        assert_eq!(blocks("<!-- not run: needs a full disk -->\n```text\n$ a\n```\n"), []);
    }
}
