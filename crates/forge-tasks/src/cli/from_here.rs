//! Paths in messages, relative to the working directory.

use std::path::Path;

/// A message with its paths relative to a directory.
pub(crate) fn from_here(message: &str, directory: &Path) -> String {
    let below = format!("{}/", directory.display().to_string().trim_end_matches('/'));
    if below == "/" {
        return message.to_owned();
    }
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(found) = rest.find(&below) {
        let (before, path) = rest.split_at(found);
        text.push_str(before);
        // The same letters further inside are another path.
        let is_whole = text.is_empty() || text.ends_with([' ', '`', '\'', '(']);
        text.push_str(if is_whole { "" } else { &below });
        rest = &path[below.len()..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_paths_from_where_the_user_stands() {
        let here = Path::new("/home/ada/shop");
        for (message, expected) in [
            ("/home/ada/shop/forge/tasks/a.md is broken", "forge/tasks/a.md is broken"),
            ("cannot read /home/ada/shop/x: no", "cannot read x: no"),
            ("at `/home/ada/shop/x`", "at `x`"),
            ("cannot read /backup/home/ada/shop/x", "cannot read /backup/home/ada/shop/x"),
            ("from `/home/ada/shop` up", "from `/home/ada/shop` up"),
            ("/home/ada/shop/a and /home/ada/shop/b", "a and b"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(from_here(message, here), expected);
        }
        assert_eq!(from_here("cannot read /a/b", Path::new("/")), "cannot read /a/b");
    }
}
