//! One row for each kind of output.

use super::*;

/// Checks an output whole, in two chunks cut anywhere, and byte by byte. The expected match is on
/// line `line`; none for zero.
pub(super) fn check(markers: &[Marker], text: &[u8], line: u64) {
    let reference = ReferenceScanner::new(markers);
    let (reported, found) = scan(markers, [text]);
    let shown = text.escape_ascii();
    assert_eq!(found.as_ref().map_or(0, |found| found.line), line, "{shown}");
    assert_eq!(found, reference.scan(text), "the reference reads {shown} otherwise");
    if let Some(found) = &found {
        let before = text.split_inclusive(|byte| *byte == b'\n').take(line as usize - 1);
        assert_eq!(found.offset, before.map(<[u8]>::len).sum::<usize>() as u64, "{shown}");
    }
    assert_eq!(reported, Vec::from_iter(reference.certain(text)), "{shown}");
    for at in 0..=text.len() {
        let (before, after) = text.split_at(at);
        let cut = scan(markers, [before, after]);
        assert_eq!(cut, (reported.clone(), found.clone()), "{shown} cut at {at}");
    }
    assert_eq!(scan(markers, text.chunks(1)), (reported, found), "{shown} byte by byte");
}

#[test]
fn the_default_markers_count_alone_on_their_line() {
    let table: &[(&[u8], u64)] = &[
        (b"", 0),
        (b"\n", 0),
        (b"\n\n\n", 0),
        (b"FORKHESTRA_COMPLETE\n", 1),
        (b"FORKHESTRA_COMPLETE", 1),
        (b"ORCHESTRA_COMPLETE\n", 1),
        (b"<promise>COMPLETE</promise>\n", 1),
        (b"RALPH_STATUS: COMPLETE\n", 1),
        (b"working\n\nFORKHESTRA_COMPLETE\nbye\n", 3),
        (b"working\nFORKHESTRA_COMPLETE", 2),
        (b"FORKHESTRA_COMPLETE\nORCHESTRA_COMPLETE\n", 1),
        // White space.
        (b"a\r\nFORKHESTRA_COMPLETE\r\nb\r\n", 2),
        (b"\t  FORKHESTRA_COMPLETE \t\n", 1),
        (b"        FORKHESTRA_COMPLETE\n", 1),
        (b"\x0cFORKHESTRA_COMPLETE\x0b\n", 1),
        (b"\rFORKHESTRA_COMPLETE\r\r\n", 1),
        (b"50%\rFORKHESTRA_COMPLETE\n", 0),
        (b"FORKHESTRA_\nCOMPLETE\n", 0),
        (b"RALPH_STATUS:  COMPLETE\n", 0),
        // Decoration.
        (b"**FORKHESTRA_COMPLETE**\n", 1),
        (b"*FORKHESTRA_COMPLETE*\n", 1),
        (b"__FORKHESTRA_COMPLETE__\n", 1),
        (b"***_`FORKHESTRA_COMPLETE`_***\n", 1),
        (b"`FORKHESTRA_COMPLETE`\n", 1),
        (b"``FORKHESTRA_COMPLETE``\n", 1),
        (b"```FORKHESTRA_COMPLETE```\n", 1),
        (b"` FORKHESTRA_COMPLETE `\n", 1),
        (b"** FORKHESTRA_COMPLETE **\n", 1),
        (b"* FORKHESTRA_COMPLETE\n", 1),
        (b"**`<promise>COMPLETE</promise>`**\n", 1),
        (b"**RALPH_STATUS: COMPLETE**\n", 1),
        (b"**RALPH_STATUS:** COMPLETE\n", 0),
        // Anything else on the line.
        (b"I will print FORKHESTRA_COMPLETE when I am done.\n", 0),
        (b"FORKHESTRA_COMPLETE is what I print.\n", 0),
        (b"Then I print FORKHESTRA_COMPLETE\n", 0),
        (b"FORKHESTRA_COMPLETE.\n", 0),
        (b"\"FORKHESTRA_COMPLETE\"\n", 0),
        (b"'FORKHESTRA_COMPLETE'\n", 0),
        (b"> FORKHESTRA_COMPLETE\n", 0),
        (b"- FORKHESTRA_COMPLETE\n", 0),
        (b"# FORKHESTRA_COMPLETE\n", 0),
        (b"(FORKHESTRA_COMPLETE)\n", 0),
        (b"echo FORKHESTRA_COMPLETE\n", 0),
        (b"FORKHESTRA_COMPLETE FORKHESTRA_COMPLETE\n", 0),
        (b"FORKHESTRA_COMPLETED\n", 0),
        (b"NOT_FORKHESTRA_COMPLETE\n", 0),
        (b"forkhestra_complete\n", 0),
        (b"FORKHESTRA COMPLETE\n", 0),
        (b"FORKHESTRA_INCOMPLETE\n", 0),
        (b"COMPLETE\n", 0),
        (b"<promise>FORKHESTRA_COMPLETE</promise>\n", 0),
        (b"<promise> COMPLETE </promise>\n", 0),
        (b"<promise>\nCOMPLETE\n</promise>\n", 0),
        (b"{\"text\":\"FORKHESTRA_COMPLETE\"}\n", 0),
        // Non-text bytes.
        (b"FORKHESTRA_COMPLETE\0\n", 0),
        (b"\0FORKHESTRA_COMPLETE\n", 0),
        (b"FORK\0HESTRA_COMPLETE\n", 0),
        (b"\0\nFORKHESTRA_COMPLETE\n\0", 2),
        (b"\xff\xfe\x80\nFORKHESTRA_COMPLETE\n\xc3\x28\n", 2),
        (b"\xc3(\xffFORKHESTRA_COMPLETE\n", 0),
        (b"FORKHESTRA_COMPLETE\xe2\x80\n", 0),
        (b"\x9b1mFORKHESTRA_COMPLETE\n", 0),
    ];
    for (text, line) in table {
        check(&Marker::defaults(), text, *line);
    }
}

#[test]
fn escape_codes_are_not_seen() {
    let table: &[(&[u8], u64)] = &[
        (b"\x1b[32mFORKHESTRA_COMPLETE\x1b[0m\n", 1),
        (b"\x1b[1m\x1b[38;5;10mFORKHESTRA_COMPLETE\x1b(B\x1b[m\r\n", 1),
        (b"**\x1b[32mFORKHESTRA_COMPLETE\x1b[0m**\n", 1),
        (b"\x1b[32m**`FORKHESTRA_COMPLETE`**\x1b[0m\n", 1),
        (b"FORK\x1b[32mHESTRA_COM\x1b[0mPLETE\n", 1),
        (b"\x1b[2K\rFORKHESTRA_COMPLETE\n", 1),
        (b"\x1b]0;working\x07FORKHESTRA_COMPLETE\n", 1),
        (b"\x1b]8;;http://localhost/\x1b\\FORKHESTRA_COMPLETE\x1b]8;;\x1b\\\n", 1),
        (b"\x1b7FORKHESTRA_COMPLETE\x1b8", 1),
        (b"\x1b[31m\nFORKHESTRA_COMPLETE\n\x1b[0m\n", 2),
        (b"\x1b]0;FORKHESTRA_COMPLETE\x07\n", 0),
        (b"\x1b]0;title\nFORKHESTRA_COMPLETE\n", 2),
        (b"\x1b]0;titleFORKHESTRA_COMPLETE\n", 0),
        (b"FORKHESTRA_COMPLETE\x1b[3\n", 0),
        (b"FORKHESTRA_COMPLETE\x1b\n", 0),
        (b"\x1b[31mI print \x1b[1mFORKHESTRA_COMPLETE\x1b[0m\n", 0),
        (b"\x1b[31mF\x1b[0m\n", 0),
        // Around and inside fences.
        (b"\x1b[2m```\x1b[0m\nFORKHESTRA_COMPLETE\n```\nbye\n", 0),
        (b"`\x1b[2m``\nFORKHESTRA_COMPLETE\n```\nbye\n", 0),
        (b"```\ncode\n`\x1b[2m``\x1b[0m\nFORKHESTRA_COMPLETE\n", 4),
        (b"```\nFORKHESTRA_COMPLETE\n```\n\x1b[0m\n", 2),
    ];
    for (text, line) in table {
        check(&Marker::defaults(), text, *line);
    }
}

#[test]
fn configured_markers_replace_the_defaults() {
    let table: &[(&[&str], &[u8], u64)] = &[
        (&["DONE"], b"FORKHESTRA_COMPLETE\nDONE\n", 2),
        (&["DONE"], b"**DONE**\n", 1),
        (&["DONE"], b"DONE DONE\n", 0),
        (&["ALL DONE", "FINI"], b"FINI\n", 1),
        (&["\u{2714} fertig"], "_\u{2714} fertig_\n".as_bytes(), 1),
        // Decoration that belongs to the marker is required.
        (&["__DONE__"], b"__DONE__\n", 1),
        (&["__DONE__"], b"**__DONE__**\n", 1),
        (&["__DONE__"], b"___DONE____\n", 1),
        (&["__DONE__"], b"DONE\n__DONE\nDONE__\n_DONE_\n**DONE**\n", 0),
        (&["* DONE"], b"* DONE\n", 1),
        (&["* DONE"], b"*  DONE\n", 0),
        (&["`DONE`"], b"DONE\n`DONE`\n", 2),
        (&["***"], b"****\n* * *\n***\n", 3),
        (&["***"], b"DONE\n ***\r\n", 2),
        // A marker that looks like a fence.
        (&["~~~ DONE ~~~"], b"x\n~~~ DONE ~~~\n", 2),
        (&["~~~ DONE ~~~", "FINI"], b"~~~ DONE\nx\nFINI\n", 0),
        (&["```"], b"x\n```\n", 2),
        // Any of several markers, also on one line.
        (&[], b"FORKHESTRA_COMPLETE\n", 0),
        (&["DONE", "/DO/"], b"DOING\n", 1),
        (&["/DO/", "DONE"], b"DONE\n", 1),
        // Regular expressions match anywhere in the line, as written.
        (&["/DONE/"], b"It is DONE, I think\n", 1),
        (&["/^DONE$/"], b"It is DONE\n \x1b[1mDONE\x1b[0m \r\n", 2),
        (&["/^DONE$/"], b"x\n**DONE**\n", 2),
        (&[r"/^\*\*DONE/"], b"DONE\n**DONE**\n", 2),
        (&["/(?i)^all \\d+ tests pass$/"], b"x\nAll 12 tests pass", 2),
        (&[r"/(?-u)^\xff$/"], b"x\n\xff\n", 2),
        (&["/DONE/"], b"```\nDONE\nx\n```\n", 0),
        (&["/DONE/"], b"```DONE\n```\n", 0),
        (&["/DONE/"], b"```\nit is DONE\n```\n", 2),
        (&["/^x/"], b"\n\n", 0),
    ];
    for (texts, text, line) in table {
        check(&markers(texts), text, *line);
    }
}

#[test]
fn a_marker_match_names_the_marker_as_written() {
    for (texts, text, name) in [
        (&["DONE", "FINI"], "_FINI_\n", "FINI"),
        (&["DONE", "/FIN/"], "FINI\n", "/FIN/"),
        (&["__DONE__", "/DONE/"], "**DONE**\n", "/DONE/"),
    ] {
        let (_, found) = scan(&markers(texts), [text.as_bytes()]);
        assert_eq!(found.map(|found| found.marker).as_deref(), Some(name), "{text:?}");
    }
}

#[test]
fn a_marker_is_reported_once_and_the_first_one_stays() {
    let mut scanner = scanner(&Marker::defaults());
    assert_eq!(scanner.feed(b"FORKHESTRA_COMPLETE"), None, "the line may go on");
    let first = scanner.feed(b"\nmore\n").expect("the line is complete");
    assert_eq!((first.offset, first.line), (0, 1));
    assert_eq!(scanner.feed(b"ORCHESTRA_COMPLETE\n"), None);
    assert_eq!(scanner.finish(), Some(first));
}

#[test]
fn a_regular_expression_that_is_none_is_refused() {
    let error = MarkerScanner::new(&[Marker::Regex("(".to_owned())]).expect_err("it is unclosed");
    assert_eq!(error.to_string(), "is not a regular expression: unclosed group");
}
