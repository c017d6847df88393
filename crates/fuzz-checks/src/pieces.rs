//! Cuts an input into pieces.

/// The pieces of an input, of these alternating lengths.
pub(crate) fn pieces(input: &[u8], lengths: [usize; 2]) -> Vec<&[u8]> {
    let (mut pieces, mut rest) = (Vec::new(), input);
    for length in lengths.into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, others) = rest.split_at(length.clamp(1, rest.len()));
        pieces.push(piece);
        rest = others;
    }
    pieces
}

/// The parts of an input between lines that consist of a separator.
pub(crate) fn split_by_line<'a>(input: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    let (mut parts, mut begin, mut line_begin) = (Vec::new(), 0, 0);
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let line_end = line_begin + line.len();
        if line.strip_suffix(b"\n") == Some(separator) {
            parts.push(&input[begin..line_begin]);
            begin = line_end;
        }
        line_begin = line_end;
    }
    parts.push(&input[begin..]);
    parts
}
