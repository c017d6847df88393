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
