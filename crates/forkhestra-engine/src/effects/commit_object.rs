//! Commits as git keeps them: lines of a head, an empty line, and the message.

/// Parts of the head that are only true of the commit with these very parents.
const SIGNED: [&[u8]; 3] = [b"gpgsig", b"gpgsig-sha256", b"mergetag"];

/// What a commit says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommitObject<'a> {
    pub(super) tree: String,
    pub(super) parents: Vec<String>,
    /// All other parts of the head, each with the lines that belong to it.
    others: Vec<&'a [u8]>,
    /// The empty line and the message.
    message: &'a [u8],
}

impl<'a> CommitObject<'a> {
    /// Reads a commit; none if it is none.
    pub(super) fn parse(object: &'a [u8]) -> Option<Self> {
        let (mut tree, mut parents, mut others) = (None, Vec::new(), Vec::new());
        let mut rest = object;
        while !rest.is_empty() && !rest.starts_with(b"\n") {
            let (part, following) = rest.split_at(length_of_part(rest));
            match part.split_first_chunk::<5>() {
                Some((b"tree ", id)) if tree.is_none() => tree = Some(id_of(id)?),
                _ if part.starts_with(b"parent ") => parents.push(id_of(&part[7..])?),
                _ => others.push(part),
            }
            rest = following;
        }
        Some(Self { tree: tree?, parents, others, message: rest })
    }

    /// The first line of the message.
    pub(super) fn subject(&self) -> String {
        let text = String::from_utf8_lossy(self.message.strip_prefix(b"\n").unwrap_or_default());
        text.lines().next().unwrap_or_default().replace(char::is_control, "\u{fffd}")
    }

    /// The same commit with other parents. Nobody has signed that.
    pub(super) fn with_parents(&self, parents: &[String]) -> Vec<u8> {
        let mut object = format!("tree {}\n", self.tree).into_bytes();
        for parent in parents {
            object.extend(format!("parent {parent}\n").into_bytes());
        }
        let is_signed = |part: &[u8]| {
            SIGNED
                .iter()
                .any(|name| part.strip_prefix(*name).is_some_and(|rest| rest.starts_with(b" ")))
        };
        for part in self.others.iter().filter(|part| !is_signed(part)) {
            object.extend_from_slice(part);
        }
        object.extend_from_slice(self.message);
        object
    }
}

/// How long the first part of a head is: a line, and those after it that begin with a space.
fn length_of_part(head: &[u8]) -> usize {
    let mut length = 0;
    loop {
        let line = head[length..].iter().position(|byte| *byte == b'\n');
        length = line.map_or(head.len(), |end| length + end + 1);
        if head.get(length) != Some(&b' ') {
            return length;
        }
    }
}

fn id_of(line: &[u8]) -> Option<String> {
    let id = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED_COMMIT: &[u8] = b"tree aa\nparent bb\nparent cc\nauthor A <a@b> 1 +0100\n\
        committer A <a@b> 2 -0230\ngpgsig -----BEGIN\n \n x\n -----END\nencoding ISO-8859-1\n\nSubject \xe9\n\nparent dd\n";

    #[test]
    fn a_commit_is_read_and_keeps_everything_but_its_signature_with_other_parents() {
        let commit = CommitObject::parse(SIGNED_COMMIT).expect("it is one");
        assert_eq!((commit.tree.as_str(), commit.subject().as_str()), ("aa", "Subject \u{fffd}"));
        assert_eq!(commit.parents, ["bb", "cc"]);
        let other = commit.with_parents(&["ee".to_owned()]);
        let expected = b"tree aa\nparent ee\nauthor A <a@b> 1 +0100\ncommitter A <a@b> 2 -0230\n\
            encoding ISO-8859-1\n\nSubject \xe9\n\nparent dd\n";
        assert_eq!(other, expected);
    }

    #[test]
    fn what_is_no_commit_is_not_taken_for_one() {
        for object in [&b""[..], b"\n", b"parent aa\n\n", b"tree \n\n", b"tree x y\n\n", b"tree aa"]
        {
            assert_eq!(CommitObject::parse(object), None, "{object:?}");
        }
    }
}
