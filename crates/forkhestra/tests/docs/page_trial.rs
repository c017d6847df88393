//! Executes a page and compares every output.

use std::path::Path;

use crate::expected::{ExpectedOutput, difference};
use crate::page::{ConsoleBlock, DocPage};
use crate::rewrite::{PageRewrite, is_wanted};
use crate::shell_session::ShellSession;
use crate::varying;

/// Executes every block of a page, and fails with all differences.
pub(crate) fn of_page(root: &Path, path: &str) {
    let page = DocPage::read(root, path);
    let mut trial = PageTrial {
        page: &page,
        session: ShellSession::new(),
        wrong: Vec::new(),
        rewrite: PageRewrite::default(),
    };
    for block in &page.blocks {
        trial.block(block);
    }
    if is_wanted() {
        trial.rewrite.write(root, &page);
        return;
    }
    let wrong = trial.wrong;
    let hint = "`UPDATE_DOCS=1` writes what is printed into the page: read the difference before you keep it.";
    assert!(wrong.is_empty(), "\n{}\n\n{hint}\n", wrong.join("\n\n"));
}

struct PageTrial<'a> {
    page: &'a DocPage,
    session: ShellSession,
    wrong: Vec<String>,
    rewrite: PageRewrite,
}

impl PageTrial<'_> {
    fn block(&mut self, block: &ConsoleBlock) {
        if let Some(program) = &block.needs
            && !self.session.borrow_program(program)
        {
            eprintln!(
                "{}: a block was left out, since `{program}` is not installed",
                self.page.path
            );
            return;
        }
        if let Some(setup) = &block.setup
            && let Err(problem) = self.session.set_up(&setup.text)
        {
            panic!("{}:{}: the set-up fails: {problem}", self.page.path, setup.line);
        }
        for command in &block.commands {
            let printed = self.session.run(&self.session.names.in_command(&command.text));
            let expected = &self.page.lines[command.output.clone()];
            let names = &mut self.session.names;
            if ExpectedOutput::new(expected).fits(&printed, names) {
                continue;
            }
            let difference = difference(expected, &printed, names);
            let (path, line, text) = (&self.page.path, command.line, &command.text);
            self.wrong
                .push(format!("{path}:{line}: `{text}` prints something else:\n{difference}"));
            // Later blocks can still match.
            names.bind_in_order(&without_varying(expected), &without_varying(&printed));
            self.rewrite.replace(command.output.clone(), names.in_page(&printed.join("\n")));
        }
    }
}

fn without_varying(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| varying::without(line)).collect();
    lines.join("\n")
}
