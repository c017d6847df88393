//! Tests of the line reader with arbitrary chunks.

use proptest::prelude::*;
use ratatui::style::{Color, Style};
use typeset::text::is_control_character;

use super::{BufferPatch, BufferWindow, OutputBuffer, OutputLine, OutputLineReader};

/// The lines of these chunks, the last one ended.
fn lines<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, keeps_colors: bool) -> Vec<OutputLine> {
    let mut lines = OutputLineReader::new(false, keeps_colors);
    for piece in pieces {
        lines.feed(piece);
    }
    lines.finish();
    lines.take()
}

fn texts(bytes: &[u8]) -> Vec<String> {
    lines([bytes], true).iter().map(|line| line.text().into_owned()).collect()
}

#[test]
fn bytes_become_lines_without_control_characters() {
    for (bytes, expected) in [
        (&b""[..], &[][..]),
        (b"a\nb\n", &["a", "b"]),
        (b"a\n\nb", &["a", "", "b"]),
        (b"a\r\nb\rc", &["a", "b", "c"]),
        (b"1\ta\t\tb", &["1       a               b"]),
        (b"\x1b[2J\x1b[1;1Ha\x1b]0;title\x07b", &["ab"]),
        (b"\x1b]52;c;aGk=\x07a\x1b]8;;http://x\x1b\\link", &["alink"]),
        ("a\u{202e}b\u{9b}2Jc".as_bytes(), &["a\\u{202e}b\\u{9b}2Jc"]),
        (b"\xff\x00\x7f", &["\u{fffd}\\u{0}\\u{7f}"]),
        (b"a\x1b[31", &["a\\u{1b}[31"]),
    ] {
        assert_eq!(texts(bytes), expected, "{bytes:?}");
    }
}

#[test]
fn colours_are_kept_over_lines_and_only_where_they_are_wanted() {
    let text = b"a\x1b[31mb\nc\x1b[0md";
    let (plain, red) = (Style::new(), Style::new().fg(Color::Red));
    let spans: Vec<_> = lines([&text[..]], true).into_iter().map(|line| line.spans).collect();
    assert_eq!(
        spans,
        [
            vec![(plain, "a".to_owned()), (red, "b".to_owned())],
            vec![(red, "c".to_owned()), (plain, "d".to_owned())],
        ]
    );
    let spans: Vec<_> = lines([&text[..]], false).into_iter().map(|line| line.spans).collect();
    assert_eq!(spans, [vec![(plain, "ab".to_owned())], vec![(plain, "cd".to_owned())]]);
}

#[test]
fn a_line_without_an_end_is_seen_before_it_ends() {
    let mut lines = OutputLineReader::new(true, true);
    lines.feed(b"one\ntw");
    assert_eq!(
        lines.take().iter().map(|line| line.text().into_owned()).collect::<Vec<_>>(),
        ["one"]
    );
    assert_eq!(
        lines.partial_line().map(|line| (line.text().into_owned(), line.is_error)),
        Some(("tw".into(), true))
    );
    lines.feed(b"o\n");
    assert_eq!(lines.partial_line(), None);
    assert_eq!(lines.take()[0].text(), "two");
}

#[test]
fn a_line_is_cut_at_its_limit_with_a_mark() {
    let mut lines = OutputLineReader::new(false, true);
    for _ in 0..1000 {
        lines.feed("ü".repeat(1000).as_bytes());
    }
    let open = lines.partial_line().expect("it has no end");
    assert!(open.is_cut && open.size() < 64 * 1024, "{}", open.size());
    lines.feed(b"\nnext\n");
    let ended = lines.take();
    assert!(ended[0].is_cut && !ended[1].is_cut);
    // Colours that change with every letter do not evade the limit.
    let many = super::tests::lines([b"\x1b[31mx\x1b[32my".repeat(100_000).as_slice()], true);
    assert!(many[0].is_cut && many[0].size() < 256 * 1024, "{}", many[0].size());
}

#[test]
fn text_after_a_gap_is_marked_and_not_joined() {
    let mut lines = OutputLineReader::new(false, true);
    lines.feed(b"\x1b[31mbefore");
    lines.mark_gap();
    lines.feed(b"behind\nnext\n");
    let taken = lines.take();
    let seen: Vec<(String, bool)> =
        taken.iter().map(|line| (line.text().into_owned(), line.follows_gap)).collect();
    assert_eq!(seen, [("before".into(), false), ("behind".into(), true), ("next".into(), false)]);
    assert_eq!(taken[1].spans[0].0, Style::new());
}

fn numbered(numbers: std::ops::Range<u64>) -> Vec<OutputLine> {
    numbers.map(|number| OutputLine::plain(number.to_string())).collect()
}

/// The window matches the buffer that it mirrors.
fn assert_same(buffer: &OutputBuffer, window: &BufferWindow) {
    assert_eq!(window.before().map(i64::try_from), [Ok(buffer.first_key()), Ok(0)]);
    assert_eq!(window.has_lost_end(), buffer.has_lost_end());
    if let Some(line) = buffer.get(0) {
        assert_eq!(line.text(), buffer.first_key().to_string());
    }
}

#[test]
fn a_window_knows_which_lines_a_buffer_has() {
    let (mut buffer, mut window) = (OutputBuffer::default(), BufferWindow::default());
    let max_lines = OutputBuffer::MAX_LINES as u64;
    window.begin([100, 0]);
    window.add_after(&numbered(100..200));
    buffer.apply(BufferPatch {
        is_new: true,
        skipped: 100,
        after: numbered(100..200),
        ..BufferPatch::default()
    });
    assert_same(&buffer, &window);
    window.add_after(&numbered(200..max_lines + 150));
    buffer.apply(BufferPatch { after: numbered(200..max_lines + 150), ..BufferPatch::default() });
    assert_same(&buffer, &window);
    assert_eq!(window.before(), [150, 0]);
    window.add_before(&numbered(50..150));
    buffer.apply(BufferPatch { before: numbered(50..150), ..BufferPatch::default() });
    assert_same(&buffer, &window);
    assert!(window.has_lost_end());
    assert_eq!(buffer.len(), OutputBuffer::MAX_LINES);
    window.add_after(&numbered(0..1));
    buffer.apply(BufferPatch { after: numbered(0..1), ..BufferPatch::default() });
    assert_same(&buffer, &window);
}

proptest! {
    #[test]
    fn nothing_that_is_shown_is_obeyed(bytes in any::<Vec<u8>>(), keeps_colors in any::<bool>()) {
        for line in lines([bytes.as_slice()], keeps_colors) {
            prop_assert!(!line.text().contains(is_control_character), "{line:?}");
        }
    }

    #[test]
    fn sequences_are_not_shown_in_part(
        parts in prop::collection::vec(
            prop::sample::select(vec!["\x1b[", "\x1b]", "m", "31", ";", "\x07", "\x1b\\", "a", "\n", "\r", "é", "\u{9b}", ":"]),
            0..40,
        ),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = parts.concat().into_bytes();
        let cut = cut.index(bytes.len() + 1);
        let whole = lines([bytes.as_slice()], true);
        prop_assert!(whole.iter().all(|line| !line.text().contains(is_control_character)));
        prop_assert_eq!(whole, lines([&bytes[..cut], &bytes[cut..]], true));
    }
}
