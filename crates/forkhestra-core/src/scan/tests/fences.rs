//! Fenced blocks: where they begin and end, and whether a marker in them counts.

use super::table::check;
use super::*;

#[test]
fn a_marker_in_a_fenced_block_is_an_example_unless_it_is_all_and_ends_the_output() {
    let table: &[(&[u8], u64)] = &[
        // The whole output.
        (b"```\nFORKHESTRA_COMPLETE\n```\n", 2),
        (b"```\nFORKHESTRA_COMPLETE\n```", 2),
        (b"Done:\n\n```text\n\n  FORKHESTRA_COMPLETE\n \n```\n \n\r\n\n", 5),
        (b"~~~\nFORKHESTRA_COMPLETE\n~~~\n", 2),
        (b"```\r\nFORKHESTRA_COMPLETE\r\n```\r\n", 2),
        (b"   ```\n   **FORKHESTRA_COMPLETE**\n   ```\n", 2),
        (b"\t````\nFORKHESTRA_COMPLETE\n````\n", 2),
        (b"```\nFORKHESTRA_COMPLETE\n`````\n", 2),
        (b"```\nFORKHESTRA_COMPLETE\n", 2),
        (b"```\nFORKHESTRA_COMPLETE", 2),
        (b"```sh\nmake\n```\n```\nFORKHESTRA_COMPLETE\n```\n", 5),
        (b"```\nFORKHESTRA_COMPLETE\n```\n```\nFORKHESTRA_COMPLETE\n```\n", 5),
        // Something else is in the block, or behind it.
        (b"```\nFORKHESTRA_COMPLETE\n```\nThat was an example.\n", 0),
        (b"```\nFORKHESTRA_COMPLETE\n```\n\n\n.", 0),
        (b"```\nFORKHESTRA_COMPLETE\nmore\n```\n", 0),
        (b"```\nmore\nFORKHESTRA_COMPLETE\n```\n", 0),
        (b"```\nmore\nFORKHESTRA_COMPLETE\n", 0),
        (b"```\nFORKHESTRA_COMPLETE\nFORKHESTRA_COMPLETE\n```\n", 0),
        (b"```\nFORKHESTRA_COMPLETE\n```\n```\n```\n", 0),
        (b"```\nFORKHESTRA_COMPLETE\n```\n```sh\nmake\n```\n", 0),
        (b"```\n\n```\n", 0),
        (b"```\n", 0),
        (b"```", 0),
        // Outside of the block again.
        (b"```\nmake\n```\nFORKHESTRA_COMPLETE\n", 4),
        (b"```\nFORKHESTRA_COMPLETE\n```\nFORKHESTRA_COMPLETE\n", 4),
        (b"```\nFORKHESTRA_COMPLETE\n```\n\nFORKHESTRA_COMPLETE\n...\n", 5),
        (b"```sh\nmake\n```\n~~~\nls\n~~~\nORCHESTRA_COMPLETE", 7),
        // What closes a block, and what does not.
        (b"````\n```\nFORKHESTRA_COMPLETE\n```\n````\n", 0),
        (b"````\n```\n````\nFORKHESTRA_COMPLETE\n", 4),
        (b"```\n~~~\n```\nFORKHESTRA_COMPLETE\n", 4),
        (b"```\n~~~\nFORKHESTRA_COMPLETE\n~~~\n```\n", 0),
        (b"~~~\n```\nFORKHESTRA_COMPLETE\n```\n~~~\n", 0),
        (b"~~~~\nx\n~~~\nFORKHESTRA_COMPLETE\n", 0),
        (b"~~~\nx\n~~~~~\nFORKHESTRA_COMPLETE\n", 4),
        (b"```\nx\n``` sh\nFORKHESTRA_COMPLETE\n", 0),
        (b"```\nx\n```  \t\r\nFORKHESTRA_COMPLETE\n", 4),
        (b"```\nx\n``\nFORKHESTRA_COMPLETE\n", 0),
        // What opens a block, and what does not.
        (b"``\nFORKHESTRA_COMPLETE\n", 2),
        (b"~~\nFORKHESTRA_COMPLETE\n", 2),
        (b"***\nFORKHESTRA_COMPLETE\n***\n", 2),
        (b"```make```\nFORKHESTRA_COMPLETE\n", 2),
        (b"see ```\nFORKHESTRA_COMPLETE\n", 2),
        (b"- ```\nFORKHESTRA_COMPLETE\n", 2),
        (b"```rust,no_run\nx\nFORKHESTRA_COMPLETE\n", 0),
        (b"~~~ a `b`\nx\nFORKHESTRA_COMPLETE\n", 0),
        (b"~~~ a `b` ~~~\nx\nFORKHESTRA_COMPLETE\n", 3),
        (b"```FORKHESTRA_COMPLETE\n", 0),
        (b"```FORKHESTRA_COMPLETE\n```\n", 0),
        (b"~~~FORKHESTRA_COMPLETE~~~\n", 0),
        (b"```\nFORKHESTRA_COMPLETE```\n", 2),
        (b"``` ```\nFORKHESTRA_COMPLETE\n", 2),
        (b"```\0\nx\nFORKHESTRA_COMPLETE\n", 0),
        (b"\xff```\nFORKHESTRA_COMPLETE\n", 2),
    ];
    for (text, line) in table {
        check(&Marker::defaults(), text, *line);
    }
}

#[test]
fn an_underline_or_a_deep_indent_is_no_fence() {
    let traceback = b"Traceback (most recent call last):
  File \"a.py\", line 3, in <module>
    total(1)[2] / 0
    ~~~~~~~~~~~~^~~
ZeroDivisionError: division by zero
FORKHESTRA_COMPLETE
";
    let table: &[(&[u8], u64)] = &[
        (traceback, 6),
        (b"    f(1)\n    ~^^^\n    ~~~~~^^^^^^\nFORKHESTRA_COMPLETE\n", 4),
        (b"~~~~^^^^\nFORKHESTRA_COMPLETE\n", 2),
        (b"~~~ ~~~\nFORKHESTRA_COMPLETE\n", 2),
        (b" ~~~~^~~~\nFORKHESTRA_COMPLETE\n", 2),
        (b"    ~~~~~~~~~\nFORKHESTRA_COMPLETE\n", 2),
        (b"\t~~~sh\nFORKHESTRA_COMPLETE\n", 2),
        (b" \t~~~\nFORKHESTRA_COMPLETE\n", 2),
        (b"  \x1b[31m  ~~~~\x1b[0m\nFORKHESTRA_COMPLETE\n", 2),
        (b"```\nx\n    ```\nFORKHESTRA_COMPLETE\n```\n", 0),
        (b"~~~\nx\n\t~~~\nFORKHESTRA_COMPLETE\n~~~\n", 0),
        // These are fences.
        (b"1. so:\n\n    ```\n    x\n    FORKHESTRA_COMPLETE\n    ```\nand so on\n", 0),
        (b"\t```sh\nx\n\t```\nFORKHESTRA_COMPLETE\n", 4),
        (b"   ```\nx\nFORKHESTRA_COMPLETE\n", 0),
        (b"   ~~~sh\nx\nFORKHESTRA_COMPLETE\n", 0),
        (b"\r\x0b\x0c   ```\nx\nFORKHESTRA_COMPLETE\n", 0),
        (b"~~~\nx\n   ~~~\nFORKHESTRA_COMPLETE\n", 4),
        (b"```a ~^\nx\nFORKHESTRA_COMPLETE\n", 0),
    ];
    for (text, line) in table {
        check(&Marker::defaults(), text, *line);
    }
}

#[test]
fn a_block_may_stand_in_another_one() {
    let deep = ["```a\n".repeat(40), "```\n".repeat(40)].concat();
    let deep_then_marker = format!("{deep}FORKHESTRA_COMPLETE\n");
    let marker_before_the_end = deep.replacen("```\n```\n", "```\nFORKHESTRA_COMPLETE\n```\n", 1);
    let table: &[(&[u8], u64)] = &[
        (b"```markdown\n# A\n```rust\nx\n```\nb\n```\nFORKHESTRA_COMPLETE\n", 8),
        (b"```markdown\n# A\n```rust\nx\n```\nb\n```\n\nFORKHESTRA_COMPLETE\n...\n", 9),
        (b"~~~markdown\n~~~rust\nx\n~~~\n~~~\nFORKHESTRA_COMPLETE\n", 6),
        (b"```md\n```sh\na\n```\n```sh\nb\n```\n```\nFORKHESTRA_COMPLETE\n", 9),
        (b"```md\n```md\n```sh\na\n```\n```\n```\nFORKHESTRA_COMPLETE\n", 8),
        (b"```text\n```rust\nx\n```\n```\nFORKHESTRA_COMPLETE\n", 6),
        (b"```text\n  ```rust\n  x\n  ```\n```\nFORKHESTRA_COMPLETE\n", 6),
        (b"```md\n````sh\na\n````\n```\nFORKHESTRA_COMPLETE\n", 6),
        (deep_then_marker.as_bytes(), 81),
        // A marker in the outer block is an example as well.
        (b"```md\n```sh\na\n```\nFORKHESTRA_COMPLETE\n```\n", 0),
        (b"```md\n```sh\nFORKHESTRA_COMPLETE\n```\n```\n", 0),
        (b"```md\nFORKHESTRA_COMPLETE\n```sh\n```\n```\n", 0),
        (b"```md\n```sh\n```\nFORKHESTRA_COMPLETE\n```\nbye\n", 0),
        (marker_before_the_end.as_bytes(), 0),
        // A separate block follows.
        (b"```md\n```sh\na\n```\n```\n```\nFORKHESTRA_COMPLETE\n```\n", 7),
        (b"```md\n```sh\na\n```\n```\n```\nFORKHESTRA_COMPLETE\n```\nbye\n", 0),
        // Other or shorter fences inside count as text.
        (b"````md\n```sh\na\n```\n````\nFORKHESTRA_COMPLETE\n", 6),
        (b"````md\n```sh\n````\nFORKHESTRA_COMPLETE\n", 4),
        (b"````md\n```sh\na\n```\nFORKHESTRA_COMPLETE\n````\n", 0),
        (b"```md\n~~~sh\na\n```\nFORKHESTRA_COMPLETE\n", 5),
        (b"~~~md\n```sh\na\n~~~\nFORKHESTRA_COMPLETE\n", 5),
    ];
    for (text, line) in table {
        check(&Marker::defaults(), text, *line);
    }
}

#[test]
fn a_fence_that_was_only_quoted_or_not_closed_hides_nothing_in_the_end() {
    let table: &[(&[u8], u64)] = &[
        (b"```text\n```rust\n```\nFORKHESTRA_COMPLETE\n", 4),
        (b"```sh\nmake\nNot closed.\n```sh\nls\n```\nFORKHESTRA_COMPLETE\n", 7),
        (b"```text\n```rust\n```\nFORKHESTRA_COMPLETE\nORCHESTRA_COMPLETE\nbye", 4),
        (b"```text\n```rust\n```\n~~~\nFORKHESTRA_COMPLETE\n~~~\n", 5),
        (b"```text\n```rust\n```\n~~~\nFORKHESTRA_COMPLETE\n~~~\nbye\n", 0),
        (b"```text\n```rust\n```\n~~~\nFORKHESTRA_COMPLETE", 5),
        (b"```text\n```rust\nFORKHESTRA_COMPLETE\n", 0),
        (b"```text\n```rust\nFORKHESTRA_COMPLETE\n```\n", 0),
        (b"```\nFORKHESTRA_COMPLETE\n```rust\n```\n", 0),
        // Earlier blocks are still interpreted as nested.
        (b"```md\n```sh\n```\nORCHESTRA_COMPLETE\n```\n```\nx\nFORKHESTRA_COMPLETE\n", 0),
        (b"```md\n```sh\n```\n```\n```\n```sh\n```\nFORKHESTRA_COMPLETE\n", 8),
    ];
    for (text, line) in table {
        check(&Marker::defaults(), text, *line);
    }
}
