//! Tests of sanitizing streams in pieces of any size.

use proptest::prelude::*;

use super::escape_sequence::MAX_SEQUENCE;
use super::stream_sanitizer::{SanitizedBytes, StreamSanitizer};

/// The sanitized output of these pieces.
fn shown<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, keeps_colors: bool) -> Vec<u8> {
    let mut harmless = StreamSanitizer::new(keeps_colors);
    let mut all = Vec::new();
    for piece in pieces {
        all.extend_from_slice(&harmless.feed(piece).bytes);
    }
    all.extend_from_slice(&harmless.finish().bytes);
    all
}

fn colored(text: impl AsRef<[u8]>) -> String {
    String::from_utf8(shown([text.as_ref()], true)).expect("it is text")
}

fn plain(text: impl AsRef<[u8]>) -> String {
    String::from_utf8(shown([text.as_ref()], false)).expect("it is text")
}

#[test]
fn text_passes_as_it_is() {
    for text in ["", "one\n\ttwo\n", "ünïcödé 日本語 👩‍🚀\n", "~ {}\\u{1b}"] {
        assert_eq!((plain(text).as_str(), colored(text).as_str()), (text, text));
    }
}

#[test]
fn colours_pass_where_they_are_wanted_and_end_with_the_stream() {
    assert_eq!(plain("a \x1b[1;31mred\x1b[0m b"), "a red b");
    assert_eq!(colored("a \x1b[1;31mred\x1b[0m b"), "a \x1b[1;31mred\x1b[0m b");
    assert_eq!(colored("a \x1b[1;31mred\n"), "a \x1b[1;31mred\n\x1b[0m");
    assert_eq!(colored("\x1b[4mx\x1b[m"), "\x1b[4mx\x1b[m");
}

#[test]
fn what_a_terminal_would_obey_is_dropped() {
    for nasty in [
        "\x1b[2J",
        "\x1b[H",
        "\x1b[?1049h",
        "\x1b[>4;2m",
        "\x1b]0;a title\x07",
        "\x1b]52;c;c3RvbGVu\x1b\\",
        "\x1bP1$r0m\x1b\\",
        "\x1bc",
        "\x1b(0",
    ] {
        assert_eq!(colored(format!("a{nasty}b")), "ab", "{nasty:?}");
    }
}

#[test]
fn other_control_characters_are_shown() {
    assert_eq!(plain("a\x07b\x08c\x0bd\x0ce\x7ff\0"), r"a\u{7}b\u{8}c\u{b}d\u{c}e\u{7f}f\u{0}");
    assert_eq!(plain("a\u{9b}2Jb\u{202e}c\u{85}"), r"a\u{9b}2Jb\u{202e}c\u{85}");
    assert_eq!(plain("a\x1b\nb\x1b"), "a\\u{1b}\nb\\u{1b}");
}

#[test]
fn a_carriage_return_begins_a_new_line_and_hides_nothing() {
    for (text, expected) in [
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("10%\r20%\r30%\n", "10%\n20%\n30%\n"),
        ("all is well\rrm -rf /\n", "all is well\nrm -rf /\n"),
        ("a\r\r\r\nb\r\rc\r", "a\nb\nc\n"),
    ] {
        assert_eq!(plain(text), expected, "{text:?}");
    }
}

#[test]
fn what_is_no_text_is_replaced() {
    assert_eq!(plain(b"a\xffb\xc3"), "a\u{fffd}b\u{fffd}");
    assert_eq!(plain(b"\xe2\x82x\x9b2J"), "\u{fffd}x\u{fffd}2J");
}

/// Otherwise an unterminated sequence would hide everything after it.
#[test]
fn nothing_is_hidden_by_a_sequence_that_does_not_end() {
    let text = "\x1b]0;a title without an end\nand a second line\n";
    assert_eq!(plain(text), text.replace('\x1b', r"\u{1b}"));
    let long = "x".repeat(3 * MAX_SEQUENCE);
    assert_eq!(plain(format!("\x1b]0;{long}")), format!("\\u{{1b}}]0;{long}"));
    assert_eq!(plain(format!("\x1b[{}", "1".repeat(9))), r"\u{1b}[111111111");
}

#[test]
fn little_is_held_back() {
    let mut harmless = StreamSanitizer::new(true);
    for _ in 0..100 {
        let _ = harmless.feed(&[b"\x1b]0;".as_slice(), &[b'x'; 1000]].concat());
        let _ = harmless.feed(&[b'\r'; 1000]);
    }
    assert!(harmless.held() <= MAX_SEQUENCE, "{}", harmless.held());
}

#[test]
fn the_last_byte_that_is_seen_is_no_colour() {
    let mut harmless = StreamSanitizer::new(true);
    assert_eq!(harmless.feed(b"\x1b[31mred\n\x1b[0m").last, Some(b'\n'));
    assert_eq!(harmless.feed(b"\x1b[31m").last, None);
    assert_eq!(harmless.finish(), SanitizedBytes { bytes: b"\x1b[0m".into(), last: None });
}

/// Bytes with many control sequences.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "\\PC{0,5}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..6),
        prop::sample::select(vec![
            "\x1b",
            "\x1b[",
            "\x1b]",
            "\x1bP",
            "\x1b[31m",
            "\x1b[0m",
            "m",
            "\x1b\\",
            "\x07",
            "\r",
            "\n",
            "\u{9b}",
            "\u{202e}",
            "[",
            ";",
            "38:5:1",
            "é",
            "\u{1F680}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn it_does_not_matter_how_the_stream_is_cut(
        bytes in output(),
        sizes in prop::collection::vec(1..7_usize, 1..50),
        keeps_colors: bool,
    ) {
        let whole = shown([bytes.as_slice()], keeps_colors);
        prop_assert_eq!(shown(bytes.chunks(1), keeps_colors), whole.clone());
        let mut pieces = Vec::new();
        let mut rest = bytes.as_slice();
        for size in sizes.iter().cycle() {
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(shown(pieces, keeps_colors), whole);
    }

    #[test]
    fn no_terminal_has_anything_to_obey_but_colours(bytes in output(), keeps_colors: bool) {
        let text = String::from_utf8(shown([bytes.as_slice()], keeps_colors)).expect("it is text");
        let mut pieces = text.split('\x1b');
        let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
        prop_assert!(!pieces.next().unwrap_or_default().contains(obeyed), "{text:?}");
        for piece in pieces {
            prop_assert!(keeps_colors, "{text:?}");
            let parameters = piece.strip_prefix('[').expect("a control sequence");
            let rest = parameters.trim_start_matches(|c: char| c.is_ascii_digit() || ";:".contains(c));
            prop_assert!(rest.starts_with('m') && !rest.contains(obeyed), "{text:?}");
        }
    }

    /// Only characters are removed that a terminal would not show either.
    #[test]
    fn no_letter_is_lost_outside_of_sequences(text in "[a-zäöü\r\n\t ]{0,200}") {
        let letters = |text: &str| text.replace(['\r', '\n'], "");
        prop_assert_eq!(letters(&plain(&text)), letters(&text));
    }
}
