//! Rewrites pages with the actual output.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::page::DocPage;

/// Whether `UPDATE_DOCS` is set.
pub(crate) fn is_wanted() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1")
}

/// The outputs of a page to replace, in order.
#[derive(Debug, Default)]
pub(crate) struct PageRewrite {
    replaced: Vec<(Range<usize>, String)>,
}

impl PageRewrite {
    pub(crate) fn replace(&mut self, lines: Range<usize>, output: String) {
        self.replaced.push((lines, output));
    }

    /// The page with its new outputs.
    pub(crate) fn text(&self, page: &DocPage) -> String {
        let mut lines = page.lines.clone();
        for (range, output) in self.replaced.iter().rev() {
            lines.splice(range.clone(), output.lines().map(str::to_owned));
        }
        lines.push(String::new());
        lines.join("\n")
    }

    pub(crate) fn write(&self, root: &Path, page: &DocPage) {
        if !self.replaced.is_empty() {
            fs::write(root.join(&page.path), self.text(page)).expect("the page can be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outputs_are_replaced() {
        let page = DocPage::parse("page.md", "# A\n```console\n$ a\nold\nold\n$ b\n```\nText.\n");
        let page = page.expect("the page is right");
        let mut rewrite = PageRewrite::default();
        rewrite.replace(page.blocks[0].commands[0].output.clone(), "new".to_owned());
        rewrite.replace(page.blocks[0].commands[1].output.clone(), "b\nb".to_owned());
        assert_eq!(rewrite.text(&page), "# A\n```console\n$ a\nnew\n$ b\nb\nb\n```\nText.\n");
    }
}
