//! Secrets do not reach the files.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::{LogCapacity, OutputWriter, Secrets};
use super::temporary_log;
use crate::disk::SYSTEM;

/// The content of the log after appending these chunks.
fn logged(secrets: &[&str], chunks: &[&[u8]]) -> Vec<u8> {
    let (_directory, path) = temporary_log();
    let secrets = Arc::new(Secrets::new(secrets));
    let mut writer = OutputWriter::new(&SYSTEM, path.clone(), LogCapacity::STDERR, &secrets);
    for chunk in chunks {
        writer.append(chunk).expect("a writable file");
    }
    writer.finish().expect("a writable file");
    fs::read(path).unwrap_or_default()
}

/// Secrets, the chunks of an output, and the expected log.
type RedactionCase<'a> = (&'a [&'a str], &'a [&'a [u8]], &'a str);

#[test]
fn a_text_is_masked_to_where_it_was_cut() {
    let secrets = Secrets::new(["hunter2"]);
    for (text, masked) in [
        ("it is hunter2, or hunter2", "it is *******, or *******"),
        ("it is hunt", "it is hunt"),
        ("it is hunt…", "it is ****…"),
        ("é hunter2 é…", "é ******* é…"),
        ("", ""),
    ] {
        assert_eq!(secrets.masked(text), masked);
    }
}

#[test]
fn secrets_become_as_many_asterisks() {
    let table: [RedactionCase<'_>; 9] = [
        (&["hunter2"], &[b"password hunter2\n"], "password *******\n"),
        (&["hunter2"], &[b"hun", b"ter", b"2", b"!"], "*******!"),
        (&["hunter2"], &[b"hunhunter2"], "hun*******"),
        (&["hunter2"], &[b"hunter"], "hunter"),
        (&["hunter2"], &[b"hunter", b"1"], "hunter1"),
        (&["abc", "cde"], &[b"ab", b"c", b"de"], "*****"),
        (&["abc", "abcdef"], &[b"abcde", b"g abcde", b"f"], "***deg ******"),
        (&["aa"], &[b"a", b"aab"], "***b"),
        (&["", "x"], &[b"yxz"], "y*z"),
    ];
    for (secrets, chunks, expected) in table {
        let text = String::from_utf8(logged(secrets, chunks)).expect("text");
        assert_eq!(text, expected, "{secrets:?} in {chunks:?}");
    }
}

#[test]
fn secrets_are_hidden_in_debug_output() {
    assert_eq!(format!("{:?}", Secrets::new(["hunter2"])), "Secrets(1)");
}

/// The reference implementation: masks the whole text at once.
fn masked(secrets: &[String], text: &str) -> Vec<u8> {
    let mut shown = text.as_bytes().to_vec();
    for start in 0..text.len() {
        for secret in secrets.iter().filter(|secret| text[start..].starts_with(*secret)) {
            shown[start..start + secret.len()].fill(b'*');
        }
    }
    shown
}

proptest! {
    #[test]
    fn it_does_not_matter_how_the_output_was_cut(
        secrets in prop::collection::vec("[ab]{1,5}", 1..4),
        text in "[abc]{0,60}",
        length in 1..10_usize,
    ) {
        let names: Vec<_> = secrets.iter().map(String::as_str).collect();
        let chunks: Vec<_> = text.as_bytes().chunks(length).collect();
        prop_assert_eq!(logged(&names, &chunks), masked(&secrets, &text));
    }
}
