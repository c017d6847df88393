//! Front matter in every style that people and programs write.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::document::front::FrontKey;

/// Lines that belong together.
#[derive(Debug, Clone)]
pub(super) struct SampleChunk {
    /// The name of the entry; `None` for comments and blank lines.
    pub(super) name: Option<&'static str>,
    pub(super) text: String,
}

/// Values of texts, after the colon.
const SCALARS: [&str; 22] = [
    "",
    "   # why",
    " ~",
    " null # none",
    " plain",
    " two words",
    " no",
    " 012 # a number",
    " TASK-007",
    " done",
    " C# it's a:b",
    " ''",
    " 'single ''quoted'''",
    " \"double\"   # quoted",
    " \"a\\tb\\u00e4\"",
    " over\n  two lines # and a comment",
    " \"over\n\n  three lines\"",
    "\n    below",
    " >-\n  folded\n  lines",
    " | # literal\n  lines\n\n   more",
    " |2-\n   indented",
    " |+\n  kept\n\n",
];

/// How the values of lists are written.
const LISTS: [&str; 19] = [
    "",
    " []",
    " [ ] # none",
    " [a]",
    " [a, \"b c\",'d' ,  e] # four",
    " [a, ~, b,]",
    " [\n  a, # first\n  b,\n  # last\n  \"c\" # third\n  ]",
    " a",
    " a, b",
    " \"a\"",
    "\n  [a,\n   b]",
    " # why\n  - a",
    "\n- a\n- b",
    "\n  - a # first\n  # between\n\n  - 'b'\n  -   c",
    "\n    - \"a\"\n    -\n    - b\n    - # four\n      d",
    "\n  - a\n  - |\n    b\n    c\n  - d",
    "\n  - over\n    two lines\n  - b # x",
    "\n  - a\n  - a\n  - b\n  - a",
    " null",
];

/// Entries of other programs.
const OTHERS: [&str; 12] = [
    " 1.0",
    " {a: [b, {c: d}]} # flow",
    "\n  a: 1\n  b:\n    - c\n    - d: e\n      f: g",
    "\n- a: b\n  c: |\n    status: Done\n- - d\n  - e",
    " |\n  # no comment\n  id: TASK-999\n\n  ---",
    " >+\n  x\n\n",
    " &anchor text",
    " &list [a, b]",
    " \"status: Done\"",
    " !tag value",
    "\n  ? [complex, key]\n  : value",
    "",
];

const COMMENTS: [&str; 6] =
    ["# a comment\n", "\n", "  # indented\n", "#status: Done\n", "\n# two\n# lines\n\n", "   \n"];

fn value(key: FrontKey) -> BoxedStrategy<&'static str> {
    match key {
        FrontKey::Labels | FrontKey::Dependencies => select(LISTS.to_vec()).boxed(),
        FrontKey::Assignee => prop_oneof![select(LISTS.to_vec()), select(SCALARS.to_vec())].boxed(),
        _ => select(SCALARS.to_vec()).boxed(),
    }
}

fn entry(
    name: &'static str,
    value: impl Strategy<Value = &'static str>,
) -> impl Strategy<Value = SampleChunk> {
    let forms = select(vec!["{}:", "{}:", "{}:", "\"{}\":", "'{}' :"]);
    (forms, value).prop_map(move |(form, value)| {
        let text = format!("{}{value}\n", form.replace("{}", name));
        SampleChunk { name: Some(name), text }
    })
}

fn comment() -> impl Strategy<Value = SampleChunk> {
    select(COMMENTS.to_vec()).prop_map(|text| SampleChunk { name: None, text: text.to_owned() })
}

fn other() -> impl Strategy<Value = SampleChunk> {
    let names = ["ordinal", "milestone", "x-y", "Status"];
    select(names.to_vec()).prop_flat_map(|name| entry(name, select(OTHERS.to_vec())))
}

/// Front matter with some of the keys, in any order, and other things between them.
pub(super) fn chunks() -> impl Strategy<Value = Vec<SampleChunk>> {
    let keys = subsequence(FrontKey::ALL.to_vec(), 0..=FrontKey::ALL.len()).prop_shuffle();
    let known = keys.prop_flat_map(|keys| {
        keys.into_iter().map(|key| entry(key.name(), value(key)).boxed()).collect::<Vec<_>>()
    });
    let more = vec(prop_oneof![comment().boxed(), other().boxed()], 0..5);
    let places = vec(any::<prop::sample::Index>(), 5);
    (known, more, places, any::<bool>()).prop_map(|(mut chunks, more, places, crlf)| {
        for (chunk, place) in more.into_iter().zip(places) {
            let is_new =
                chunk.name.is_none() || chunks.iter().all(|other| other.name != chunk.name);
            if is_new {
                chunks.insert(place.index(chunks.len() + 1), chunk);
            }
        }
        close_block_scalars(&mut chunks);
        if crlf {
            chunks.iter_mut().for_each(|chunk| chunk.text = chunk.text.replace('\n', "\r\n"));
        }
        chunks
    })
}

/// Blank and indented lines may belong to a block scalar above; an unindented comment ends it.
fn close_block_scalars(chunks: &mut [SampleChunk]) {
    for at in 1..chunks.len() {
        let may_go_on = chunks[at - 1].text.contains(['|', '>']);
        if may_go_on && chunks[at].name.is_none() {
            chunks[at].text.insert_str(0, "# end\n");
        }
    }
}

/// The whole text.
pub(super) fn joined(chunks: &[SampleChunk]) -> String {
    chunks.iter().map(|chunk| chunk.text.as_str()).collect()
}

/// Any text, and more often than not one that is nasty in YAML.
pub(super) fn nasty_text() -> impl Strategy<Value = String> {
    let words = [
        "no",
        "~",
        "null",
        "012",
        "1e3",
        "2026-12-31",
        "12:30",
        "a",
        "b",
        "b c",
        "- a",
        "a: b",
        "a #b",
        "[",
        "]",
        ",",
        "{}",
        "'",
        "\"",
        "\\",
        "\n",
        "\r",
        "\t",
        "\u{85}",
        "\u{feff}",
        "\u{202e}",
        "---",
        "...",
        " ",
        "é",
        "\u{1f389}",
        "|",
        ">-",
        "&a",
        "*a",
        "!",
        "%",
        "@",
        "`",
        "?",
        ":",
        "\0",
        "=",
    ];
    prop_oneof![
        select(words.to_vec()).prop_map(ToOwned::to_owned),
        vec(select(words.to_vec()), 0..5).prop_map(|words| words.concat()),
        any::<String>(),
        "[a-z ]{1,20}",
        "[a-z:# ,]{0,200}".prop_map(|text| text.repeat(9)),
    ]
}
