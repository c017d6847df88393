//! Text of an agent as a person may see it.

use typeset::stream::{SanitizedBytes, StreamSanitizer};

use super::forged_line_marker::{ForgedLineMarker, marked};

/// Makes a stream of bytes harmless: what a terminal would execute is removed, and lines that look
/// like those of forkhestra are marked. The result does not depend on how the stream is cut.
#[derive(Debug)]
pub(crate) struct SanitizedText {
    sanitizer: StreamSanitizer,
    marker: ForgedLineMarker,
}

impl SanitizedText {
    /// A text of which nothing has arrived.
    pub(crate) fn new(keeps_colors: bool) -> Self {
        let sanitizer = StreamSanitizer::new(keeps_colors);
        Self { sanitizer, marker: ForgedLineMarker::default() }
    }

    /// Whether a line was begun and not ended.
    pub(crate) const fn is_inside_line(&self) -> bool {
        self.marker.is_inside_line()
    }

    /// Takes the next bytes and returns the text that is certain.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> String {
        let shown = self.sanitizer.feed(bytes);
        self.marker.feed(&String::from_utf8_lossy(&shown.bytes))
    }

    /// Returns the text that was held back. The next text begins a new line.
    pub(crate) fn finish(&mut self) -> String {
        let rest = self.sanitizer.finish();
        self.marker.feed(&String::from_utf8_lossy(&rest.bytes)) + &self.marker.finish()
    }
}

/// The harmless form of a whole text, without colours.
pub(crate) fn harmless(bytes: &[u8]) -> String {
    let mut sanitizer = StreamSanitizer::new(false);
    let mut shown = sanitizer.feed(bytes).bytes.into_owned();
    shown.extend_from_slice(&sanitizer.finish().bytes);
    marked(&String::from_utf8_lossy(&shown))
}

/// Harmless text as bytes, with its last visible byte.
pub(crate) fn as_bytes(text: String) -> SanitizedBytes<'static> {
    let last = without_last_colors(&text).as_bytes().last().copied();
    SanitizedBytes { bytes: text.into_bytes().into(), last }
}

fn without_last_colors(text: &str) -> &str {
    let mut visible = text;
    while let Some(start) = visible.rfind('\u{1b}')
        && visible[start..].ends_with('m')
        && visible[start..].matches('m').count() == 1
    {
        visible = &visible[..start];
    }
    visible
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use typeset::text::is_control_character;

    use super::*;

    #[test]
    fn the_last_byte_is_no_colour() {
        for (text, last) in [
            ("", None),
            ("a", Some(b'a')),
            ("a\n\u{1b}[0m\u{1b}[1m", Some(b'\n')),
            ("m", Some(b'm')),
        ] {
            assert_eq!(as_bytes(text.to_owned()).last, last, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_become_harmless_however_they_are_cut(
            bytes in prop::collection::vec(
                prop_oneof![
                    any::<u8>(),
                    prop::sample::select(b"\x1b[]P\\;m0\x07\r\n\x08\xc2\x9b[forkhestra] ".to_vec()),
                ],
                0..200,
            ),
            length in 1..9_usize,
        ) {
            let mut text = SanitizedText::new(false);
            let mut shown: String = bytes.chunks(length).map(|piece| text.feed(piece)).collect();
            shown.push_str(&text.finish());
            prop_assert_eq!(&shown, &harmless(&bytes));
            let is_obeyed = |c: char| is_control_character(c) && c != '\n' && c != '\t';
            prop_assert!(!shown.contains(is_obeyed), "{:?}", shown);
            prop_assert!(!shown.lines().any(|line| line.starts_with("[forkhestra]")), "{:?}", shown);
        }
    }
}
