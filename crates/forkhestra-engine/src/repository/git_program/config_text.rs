//! Settings as git lists them, and as a config file has them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::config_overrides::{KeyParts, key_parts};
use crate::repository::names;
use crate::work_tree::own_paths::real_path;

/// Entries of git: the key, its parts and the value.
pub(in crate::repository) fn entries(
    listed: &[u8],
) -> impl Iterator<Item = (&[u8], KeyParts<'_>, &[u8])> {
    names(listed).filter_map(|entry| {
        let end = entry.iter().position(|byte| *byte == b'\n')?;
        let (key, value) = (&entry[..end], &entry[end + 1..]);
        Some((key, key_parts(key)?, value))
    })
}

/// The address of a remote. A path starts at the top directory of the work tree, which is another one in
/// the clone.
pub(in crate::repository) fn absolute_address<'a>(address: &'a [u8], top: &Path) -> Cow<'a, [u8]> {
    let path = Path::new(OsStr::from_bytes(address));
    let is_dotted = path.starts_with(".") || path.starts_with("..");
    let is_path = is_dotted || (!address.contains(&b':') && top.join(path).exists());
    if address.is_empty() || path.is_absolute() || !is_path {
        return Cow::Borrowed(address);
    }
    Cow::Owned(real_path(&top.join(path)).as_os_str().as_bytes().to_vec())
}

/// Adds a section with one setting.
pub(in crate::repository) fn add_entry(
    text: &mut Vec<u8>,
    (section, name, variable): KeyParts<'_>,
    value: &[u8],
) {
    text.push(b'[');
    text.extend(section);
    if let Some(name) = name {
        text.extend(b" \"");
        quote(text, name);
        text.push(b'"');
    }
    text.extend(b"]\n\t");
    text.extend(variable);
    text.extend(b" = \"");
    quote(text, value);
    text.extend(b"\"\n");
}

fn quote(text: &mut Vec<u8>, part: &[u8]) {
    for byte in part {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            b'\n' => text.extend(b"\\n"),
            _ => text.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_a_relative_path_becomes_absolute() {
        let top = tempfile::tempdir().expect("there is room");
        let real = real_path(top.path());
        std::fs::create_dir(top.path().join("beside")).expect("it is ours");
        for (address, expected) in [
            ("./beside", real.join("beside")),
            ("beside", real.join("beside")),
            ("none", "none".into()),
            ("/a/../b", "/a/../b".into()),
            ("host:../b", "host:../b".into()),
            ("https://host/../b", "https://host/../b".into()),
        ] {
            let found = absolute_address(address.as_bytes(), &real);
            assert_eq!(found, expected.as_os_str().as_bytes(), "{address}");
        }
    }
}
