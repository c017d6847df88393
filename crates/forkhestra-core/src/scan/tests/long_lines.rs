//! Lines longer than any marker, and outputs larger than any section.

use super::*;

#[test]
fn decoration_has_a_limit() {
    let markers = markers(&["DONE"]);
    for (spaces, counts) in [(DECORATION_LIMIT, true), (DECORATION_LIMIT + 1, false)] {
        let line = format!("{}DONE\n", " ".repeat(spaces));
        let expected = counts.then_some(1);
        for piece in [1, 100, 4096, line.len()] {
            let (_, found) = scan(&markers, line.as_bytes().chunks(piece));
            assert_eq!(found.map(|found| found.line), expected, "{spaces} spaces, by {piece}");
        }
    }
}

#[test]
fn a_regular_expression_sees_lines_up_to_its_limit() {
    let markers = markers(&["/DONE$/"]);
    for (length, counts) in [(REGEX_LINE_LIMIT, true), (REGEX_LINE_LIMIT + 1, false)] {
        let line = format!("{}DONE", "x".repeat(length - 4));
        for piece in [4096, line.len()] {
            let (_, found) = scan(&markers, line.as_bytes().chunks(piece));
            assert_eq!(found.is_some(), counts, "{length} bytes, by {piece}");
        }
    }
}

#[test]
fn a_line_of_any_length_takes_little_memory_and_the_next_one_is_found() {
    let markers = Marker::defaults();
    let mut scanner = scanner(&markers);
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..64 {
        assert_eq!(scanner.feed(&piece), None);
    }
    assert!(scanner.memory() <= 2 * scanner_limit(&markers), "{} bytes", scanner.memory());
    let marker_match = scanner.feed(b"\nFORKHESTRA_COMPLETE\n").expect("a line of its own");
    assert_eq!((marker_match.offset, marker_match.line), (64 * 1024 * 1024 + 1, 2));
}

fn scanner_limit(markers: &[Marker]) -> usize {
    let longest = markers.iter().map(|marker| marker.to_string().len()).max();
    longest.unwrap_or(0) + DECORATION_LIMIT
}

#[test]
fn a_marker_behind_a_long_line_or_many_short_ones_has_its_place() {
    let markers = Marker::defaults();
    let long = "COMPLETE ``` ".repeat(20_000);
    let short = "y\n".repeat(100_000);
    let text = format!("{short}{long}\n{short}```\n{long}\n```\n**ORCHESTRA_COMPLETE**\nmore\n");
    let offset = text.find("**ORCH").expect("it is there");
    for piece in [4096, 128 * 1024, text.len()] {
        let (reported, found) = scan(&markers, text.as_bytes().chunks(piece));
        let found = found.expect("a line of its own");
        assert_eq!((found.offset, found.line), (offset as u64, 200_005), "by {piece}");
        assert_eq!(reported, [found]);
    }
}

#[test]
fn an_overlong_line_in_a_block_is_something_else_in_it() {
    let markers = markers(&["DONE"]);
    let text = format!("```\n{}\nDONE\n```\n", " ".repeat(DECORATION_LIMIT * 2));
    assert_eq!(scan(&markers, [text.as_bytes()]).1, None);
    assert_eq!(scan(&markers, text.as_bytes().chunks(7)).1, None);
}
