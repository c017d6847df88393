//! Where fenced code and comments end.

use super::line_form::{BodyFence, BodyLineForm, FenceCharacter};

/// The lines of a text that can close something, so that whether a fence is ever closed is known
/// without reading on to the end for each of them.
#[derive(Debug, Default)]
pub(super) struct BlockEnds {
    backticks: Vec<BlockEnd>,
    tildes: Vec<BlockEnd>,
    comments: Vec<usize>,
}

#[derive(Debug)]
struct BlockEnd {
    line: usize,
    length: usize,
    /// The greatest length from here to the end.
    longest: usize,
}

impl BlockEnds {
    /// Finds them among the lines of a text with their forms.
    pub(super) fn among<'a>(lines: impl Iterator<Item = (&'a str, BodyLineForm<'a>)>) -> Self {
        let mut closers = Self::default();
        for (line, (content, form)) in lines.enumerate() {
            match form {
                BodyLineForm::Fence(BodyFence { mark, length, bare: true }) => {
                    let closer = BlockEnd { line, length, longest: length };
                    match mark {
                        FenceCharacter::Backtick => closers.backticks.push(closer),
                        FenceCharacter::Tilde => closers.tildes.push(closer),
                    }
                }
                BodyLineForm::Begin | BodyLineForm::End => {}
                _ if content.contains("-->") => closers.comments.push(line),
                _ => {}
            }
        }
        note_longest(&mut closers.backticks);
        note_longest(&mut closers.tildes);
        closers
    }

    /// The line that closes a fence that a line opens.
    pub(super) fn of_fence(&self, fence: BodyFence, opener: usize) -> Option<usize> {
        let closers = match fence.mark {
            FenceCharacter::Backtick => &self.backticks,
            FenceCharacter::Tilde => &self.tildes,
        };
        let behind = &closers[closers.partition_point(|closer| closer.line <= opener)..];
        if behind.first()?.longest < fence.length {
            return None;
        }
        behind.iter().find(|closer| closer.length >= fence.length).map(|closer| closer.line)
    }

    /// The line that closes a comment that an earlier line opens.
    pub(super) fn of_comment(&self, opener: usize) -> Option<usize> {
        self.comments.get(self.comments.partition_point(|line| *line <= opener)).copied()
    }
}

fn note_longest(closers: &mut [BlockEnd]) {
    let mut longest = 0;
    for closer in closers.iter_mut().rev() {
        longest = longest.max(closer.length);
        closer.longest = longest;
    }
}
