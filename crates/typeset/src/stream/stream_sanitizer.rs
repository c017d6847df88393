//! Sanitizes the output of agents: it can neither move the cursor nor hide a line.

use std::borrow::Cow;

use crate::text::is_control_character;

use super::escape_sequence::{ESCAPE, EscapeSequence, measure};

const RESET: &[u8] = b"\x1b[0m";

/// Removes from a stream everything that a terminal would execute, except colours where they are
/// wanted.
///
/// - Control sequences are dropped. Incomplete look-alikes are shown.
/// - Other control characters, and characters that change the direction of a line, are shown by
///   their numbers. A carriage return begins a new line.
/// - Invalid UTF-8 is replaced by `U+FFFD`.
///
/// It needs little memory. The result does not depend on how the stream is cut into pieces.
#[derive(Debug)]
pub struct StreamSanitizer {
    keeps_colors: bool,
    /// Whether a colour is active.
    is_styled: bool,
    /// Bytes whose meaning depends on what follows.
    held: Vec<u8>,
}

/// Sanitized bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SanitizedBytes<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// The last visible byte. Colours are not visible.
    pub last: Option<u8>,
}

/// What to do with the next bytes.
enum SanitizerAction {
    /// Show them unchanged.
    Text(usize),
    Color(usize),
    Dropped(usize),
    /// Show them as a line break.
    LineBreak(usize),
    /// Show the character by its number.
    Obeyed(char, usize),
    /// Invalid UTF-8.
    Garbage(usize),
}

impl StreamSanitizer {
    /// A sanitizer at the start of a stream.
    pub const fn new(keeps_colors: bool) -> Self {
        Self { keeps_colors, is_styled: false, held: Vec::new() }
    }

    /// Sanitizes the next bytes of the stream, as far as their meaning is known.
    pub fn feed(&mut self, bytes: &[u8]) -> SanitizedBytes<'static> {
        self.take(bytes, false)
    }

    /// Returns bytes that were held back, and resets colours.
    pub fn finish(&mut self) -> SanitizedBytes<'static> {
        let mut shown = self.take(&[], true);
        if std::mem::take(&mut self.is_styled) {
            shown.bytes.to_mut().extend_from_slice(RESET);
        }
        shown
    }

    #[cfg(test)]
    pub(super) const fn held(&self) -> usize {
        self.held.len()
    }

    fn take(&mut self, bytes: &[u8], is_end: bool) -> SanitizedBytes<'static> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let (mut shown, mut last) = (Vec::with_capacity(all.len()), None);
        let mut rest = all.as_slice();
        while let Some(piece) = next(rest, is_end) {
            let (taken, after) = rest.split_at(piece.length());
            rest = after;
            match piece {
                SanitizerAction::Dropped(_) => continue,
                SanitizerAction::Color(_) => {
                    self.color(taken, &mut shown);
                    continue;
                }
                SanitizerAction::Text(_) => shown.extend_from_slice(taken),
                SanitizerAction::LineBreak(_) => shown.push(b'\n'),
                SanitizerAction::Obeyed(character, _) => {
                    shown.extend_from_slice(character.escape_unicode().to_string().as_bytes());
                }
                SanitizerAction::Garbage(_) => shown.extend_from_slice("\u{fffd}".as_bytes()),
            }
            last = shown.last().copied();
        }
        self.held = rest.to_vec();
        SanitizedBytes { bytes: shown.into(), last }
    }

    fn color(&mut self, sequence: &[u8], shown: &mut Vec<u8>) {
        if self.keeps_colors {
            shown.extend_from_slice(sequence);
            let parameters = &sequence[2..sequence.len() - 1];
            self.is_styled = parameters.iter().any(|byte| !matches!(byte, b'0' | b';'));
        }
    }
}

impl<'a> SanitizedBytes<'a> {
    /// Drops the first `unwanted` bytes, and subtracts their number from it.
    #[must_use]
    pub fn without(mut self, unwanted: &mut u64) -> Self {
        let length = self.bytes.len() as u64;
        if *unwanted >= length {
            *unwanted -= length;
            return SanitizedBytes::default();
        }
        let unwanted = usize::try_from(std::mem::take(unwanted)).unwrap_or(usize::MAX);
        if unwanted > 0 {
            self.bytes.to_mut().drain(..unwanted);
        }
        self
    }

    /// Bytes without any change.
    pub fn raw(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.into(), last: bytes.last().copied() }
    }
}

impl SanitizerAction {
    const fn length(&self) -> usize {
        match self {
            Self::Text(length)
            | Self::Color(length)
            | Self::Dropped(length)
            | Self::LineBreak(length)
            | Self::Obeyed(_, length)
            | Self::Garbage(length) => *length,
        }
    }
}

/// What to do with the first bytes; `None` if there are none or more are needed.
fn next(bytes: &[u8], is_end: bool) -> Option<SanitizerAction> {
    let first = *bytes.first()?;
    match first {
        b'\n' | b'\t' | b' '..=b'~' => Some(SanitizerAction::Text(plain(bytes))),
        ESCAPE => match measure(bytes) {
            EscapeSequence::Color(length) => Some(SanitizerAction::Color(length)),
            EscapeSequence::Other(length) => Some(SanitizerAction::Dropped(length)),
            EscapeSequence::Cut if !is_end => None,
            EscapeSequence::Cut | EscapeSequence::None => {
                Some(SanitizerAction::Obeyed(char::from(first), 1))
            }
        },
        b'\r' => match bytes.get(1) {
            // Consecutive carriage returns, also before a line break, are one line break.
            Some(b'\r' | b'\n') => Some(SanitizerAction::Dropped(1)),
            Some(_) => Some(SanitizerAction::LineBreak(1)),
            None => is_end.then_some(SanitizerAction::LineBreak(1)),
        },
        0..=0x1f | 0x7f => Some(SanitizerAction::Obeyed(char::from(first), 1)),
        0x80.. => beyond_ascii(bytes, is_end),
    }
}

/// The number of leading bytes that need no check.
fn plain(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')).count()
}

/// A character of several bytes, or invalid UTF-8.
fn beyond_ascii(bytes: &[u8], is_end: bool) -> Option<SanitizerAction> {
    let window = &bytes[..bytes.len().min(4)];
    let valid = match str::from_utf8(window) {
        Ok(valid) => valid,
        Err(error) if error.valid_up_to() > 0 => {
            let valid = &window[..error.valid_up_to()];
            str::from_utf8(valid).expect("the error says up to where it is valid")
        }
        Err(error) => {
            return match error.error_len() {
                Some(length) => Some(SanitizerAction::Garbage(length)),
                None => is_end.then_some(SanitizerAction::Garbage(window.len())),
            };
        }
    };
    let character = valid.chars().next()?;
    let length = character.len_utf8();
    Some(if is_control_character(character) {
        SanitizerAction::Obeyed(character, length)
    } else {
        SanitizerAction::Text(length)
    })
}
