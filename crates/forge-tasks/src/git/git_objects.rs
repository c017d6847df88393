//! Files and directories in commits, all read by one call of git.

use memchr::memchr;

use super::TasksGit;

/// An object that git has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GitObject {
    /// The content of a file.
    File(Vec<u8>),
    Directory(GitDirectory),
}

/// A directory as git stores it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GitDirectory {
    content: Vec<u8>,
    /// How many bytes an id has.
    id_length: usize,
}

/// A file or directory in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DirectoryEntry<'a> {
    pub(super) name: &'a str,
    id: &'a [u8],
}

/// Reads objects, in order; `None` for one that is missing, or neither file nor directory. `None`
/// for all if git cannot run.
///
/// A name is anything that git understands, such as `main:config.json`, but has no line break.
pub(super) fn read_objects(git: &TasksGit, names: &[String]) -> Option<Vec<Option<GitObject>>> {
    let output = git.answer(&["cat-file", "--batch"], (names.join("\n") + "\n").as_bytes())?;
    let mut rest = output.as_slice();
    let mut contents = Vec::with_capacity(names.len());
    for _ in names {
        let (content, behind) = next_object(rest)?;
        contents.push(content);
        rest = behind;
    }
    Some(contents)
}

/// Reads `<id> <kind> <size>` with the content on the next lines, or a line that says why there is
/// none.
fn next_object(output: &[u8]) -> Option<(Option<GitObject>, &[u8])> {
    let end = memchr(b'\n', output)?;
    let (line, rest) = (str::from_utf8(&output[..end]).unwrap_or_default(), &output[end + 1..]);
    let mut words = line.rsplit(' ');
    let size = words.next().and_then(|word| word.parse::<usize>().ok());
    let kind = words.next();
    let (Some(size), Some(kind @ ("blob" | "tree" | "commit" | "tag"))) = (size, kind) else {
        return Some((None, rest));
    };
    let content = rest.get(..size)?;
    let id_length = words.next().unwrap_or_default().len() / 2;
    let object = match kind {
        "blob" => Some(GitObject::File(content.to_vec())),
        "tree" => Some(GitObject::Directory(GitDirectory { content: content.to_vec(), id_length })),
        _ => None,
    };
    Some((object, rest.get(size + 1..)?))
}

impl GitDirectory {
    /// What is in it, as far as names are text. An entry is a mode, a blank, a name, a zero and an
    /// id.
    pub(super) fn entries(&self) -> Vec<DirectoryEntry<'_>> {
        let mut entries = Vec::new();
        let mut rest = self.content.as_slice();
        while let (Some(blank), Some(zero)) = (memchr(b' ', rest), memchr(0, rest)) {
            let name = rest.get(blank + 1..zero).and_then(|name| str::from_utf8(name).ok());
            let split = rest[zero + 1..].split_at_checked(self.id_length);
            let (id, behind) = split.unwrap_or_default();
            entries.extend(name.map(|name| DirectoryEntry { name, id }));
            rest = behind;
        }
        entries
    }
}

impl DirectoryEntry<'_> {
    /// The id as git writes it.
    pub(super) fn id(&self) -> String {
        self.id.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_one_after_the_other() {
        let output = b"1a2b blob 3\na\nb\nmain:x y missing\n1a2b tree 23\n100644 a b\0\n 40000 c\0\0\n\n1a2b commit 1\na\n";
        let mut rest = &output[..];
        let mut next = || {
            let (content, behind) = next_object(rest)?;
            rest = behind;
            Some(content)
        };
        assert_eq!(next(), Some(Some(GitObject::File(b"a\nb".to_vec()))));
        assert_eq!(next(), Some(None));
        let Some(Some(GitObject::Directory(directory))) = next() else { panic!("it is one") };
        let entries = directory.entries();
        let entries: Vec<_> = entries.iter().map(|entry| (entry.name, entry.id())).collect();
        assert_eq!(entries, [("a b", "0a20".to_owned()), ("c", "000a".to_owned())]);
        assert_eq!(next(), Some(None));
        assert_eq!(next(), None);
    }
}
