//! Chunk boundaries make no difference, and the result equals the reference scanner's.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const PIECES: [&[u8]; 49] = [
    b"\n",
    b"\n",
    b"\n",
    b"\r\n",
    b"\n\n",
    b" ",
    b"\t",
    b"\r",
    b"\x0b",
    b"*",
    b"**",
    b"_",
    b"__",
    b"`",
    b"``",
    b"```",
    b"\n```\n",
    b"```",
    b"````",
    b"~~",
    b"~~~",
    b"\n~~~\n",
    b"~~~~",
    b"~~~ x",
    b"\n```x\n",
    b"\n```x\n```\n",
    b"\n~~~x\n",
    b"^",
    b"   ",
    b"DONE",
    b"DONE",
    b"\nDONE\n",
    b"DO",
    b"NE",
    b"DONE 12",
    b"FORKHESTRA_COMPLETE",
    b"ORCHESTRA_COMPLETE",
    b"<promise>COMPLETE</promise>",
    b"COMPLETE",
    b"\x1b",
    b"\x1b[1m",
    b"\x1b[",
    b"\x1b]0;t",
    b"\x07",
    b"\x1b\\",
    b"\x1b(B",
    b"\0",
    b"\xff",
    b"mere text\n",
];

const MARKERS: [&[&str]; 7] = [
    &["DONE"],
    &["FORKHESTRA_COMPLETE", "ORCHESTRA_COMPLETE", "<promise>COMPLETE</promise>"],
    &["__DONE__", "~~~ DONE", "***"],
    &["`DONE`", "*"],
    &["~~~", "DONE"],
    &[r"/^DONE \d+$/", "DONE"],
    &["/DO.E/", "/^`DONE/"],
];

fn output() -> impl Strategy<Value = Vec<u8>> {
    vec(select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat())
}

/// Cuts a text into chunks of these lengths, repeatedly.
fn cut<'a>(text: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = text;
    let mut pieces = Vec::new();
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, others) = rest.split_at(*length.min(&rest.len()));
        pieces.push(piece);
        rest = others;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_output_in_any_pieces_is_read_as_the_rules_say(
        text in output(),
        texts in select(&MARKERS[..]),
        lengths in vec(1_usize..20, 1..6),
    ) {
        let markers = markers(texts);
        let reference = ReferenceScanner::new(&markers);
        let expected = (Vec::from_iter(reference.certain(&text)), reference.scan(&text));
        prop_assert_eq!(scan(&markers, [text.as_slice()]), expected.clone());
        prop_assert_eq!(scan(&markers, cut(&text, &lengths)), expected);
    }
}
