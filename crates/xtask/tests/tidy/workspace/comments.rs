//! The comments of a source: the text without its tokens.

use proc_macro2::{TokenStream, TokenTree};

use crate::workspace::source::Source;

/// The file with everything but comments blanked out, so that lines stay where they are.
pub(crate) fn only_comments(source: &Source) -> String {
    let mut bytes = source.text.clone().into_bytes();
    blank_tokens(&source.tokens, &source.text, &mut bytes);
    // Tokens end where characters end, so blanking them leaves characters whole.
    String::from_utf8(bytes).expect("whole characters were blanked")
}

fn blank_tokens(tokens: &TokenStream, text: &str, bytes: &mut [u8]) {
    for token in tokens.clone() {
        // The lexer turns a documentation comment into an attribute whose tokens all span it.
        if is_comment(&text[token.span().byte_range()]) {
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                blank(&mut bytes[group.span_open().byte_range()]);
                blank_tokens(&group.stream(), text, bytes);
                blank(&mut bytes[group.span_close().byte_range()]);
            }
            token => blank(&mut bytes[token.span().byte_range()]),
        }
    }
}

fn is_comment(written: &str) -> bool {
    written.starts_with("//") || written.starts_with("/*")
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_strings_vanish_and_comments_of_all_kinds_stay() {
        let text = "\
//! inner é
/// outer
fn f() { // line “q”
    let s = \"// not one é\"; /* block
    two */ g!(x /* deep */);
    let r = r#\"a // b\"#; let c = '/';
}
";
        let only = only_comments(&Source::example("x.rs", text));
        let words: Vec<&str> = only.split_whitespace().collect();
        let expected = [
            "//!", "inner", "é", "///", "outer", "//", "line", "“q”", "/*", "block", "two", "*/",
            "/*", "deep", "*/",
        ];
        assert_eq!(words, expected);
        assert_eq!(only.lines().count(), text.lines().count());
    }
}
