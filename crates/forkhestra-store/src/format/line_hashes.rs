//! The chain of hashes in a journal.
//!
//! The last member of each line is a hash of the line before it and of the rest of this line:
//!
//! ```json
//! {"seq":7,"at":"2026-11-15T07:59:12.123Z", …,"hash":"5d41402abc4b2a76b9719d911017c592"}
//! ```
//!
//! It is the first half of the SHA-256 of the previous line's `hash` and of all bytes of this line before `,"hash":`.
//! So a line that was changed, removed, inserted, moved or appended by another program does not fit, and neither do the
//! lines after it. Versions before 2.2 wrote no hashes. A journal that such a version began has lines without them first;
//! the chain then begins with the SHA-256 of all these bytes. After the first hash every line has one.
//!
//! No secret is involved: a program that computes the hashes can write lines that fit.

use forkhestra_core::text::digest::ContentHasher;

use super::version::Version;

const MEMBER: &[u8] = b",\"hash\":\"";
const END: &[u8] = b"\"}";
const HASH_BYTES: usize = 16;
const SUFFIX_BYTES: usize = MEMBER.len() + 2 * HASH_BYTES + END.len();

/// The hash of a line.
pub(crate) type LineHash = [u8; HASH_BYTES];

/// The chain of hashes up to some line.
#[derive(Debug, Clone)]
pub struct LineHashes(HashState);

#[derive(Debug, Clone)]
enum HashState {
    /// No line has a hash so far. This is the hash of all their bytes.
    Unhashed(ContentHasher),
    /// The hash of the last line.
    Hashed(LineHash),
}

/// Why a line does not continue the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineHashError {
    #[error("was not written by forkhestra: it has no hash")]
    Missing,
    #[error(
        "does not fit the lines before it: another program changed, removed, moved or added a line here"
    )]
    Mismatch,
}

impl Default for LineHashes {
    fn default() -> Self {
        Self(HashState::Unhashed(ContentHasher::default()))
    }
}

impl LineHashes {
    /// Adds the hash to the line that begins at `start` of a buffer, and continues the chain. The line has no line break.
    pub fn seal(&mut self, buffer: &mut Vec<u8>, start: usize) {
        // The closing brace moves behind the hash.
        buffer.truncate(buffer.len() - 1);
        let hash = self.hash(&buffer[start..]);
        buffer.extend_from_slice(MEMBER);
        for byte in hash {
            buffer.extend([byte >> 4, byte & 0xf].map(hexadecimal));
        }
        buffer.extend_from_slice(END);
        self.0 = HashState::Hashed(hash);
    }

    /// Continues the chain with a line that was read, without its line break. A line that names a version with hashes
    /// needs one, even if it is the first line.
    pub(crate) fn check_line(
        &mut self,
        line: &[u8],
        version: Option<Version>,
    ) -> Result<(), LineHashError> {
        match split(line) {
            None if version.is_some_and(Version::has_hashes) => Err(LineHashError::Missing),
            _ => self.check(line),
        }
    }

    /// Continues the chain with a line of any version.
    pub fn check(&mut self, line: &[u8]) -> Result<(), LineHashError> {
        match (split(line), &mut self.0) {
            (None, HashState::Unhashed(hasher)) => {
                hasher.update(line);
                hasher.update(b"\n");
                Ok(())
            }
            (None, HashState::Hashed(_)) => Err(LineHashError::Missing),
            (Some((rest, hash)), _) => {
                if self.hash(rest) != hash {
                    return Err(LineHashError::Mismatch);
                }
                self.0 = HashState::Hashed(hash);
                Ok(())
            }
        }
    }

    fn hash(&self, rest: &[u8]) -> LineHash {
        let mut hasher = ContentHasher::default();
        match &self.0 {
            HashState::Unhashed(before) => hasher.update(&before.clone().finish_bytes()),
            HashState::Hashed(before) => hasher.update(before),
        }
        hasher.update(rest);
        let digest = hasher.finish_bytes();
        digest.first_chunk().copied().expect("a digest is longer")
    }
}

/// A line without its hash, if it has one.
pub(crate) fn without_hash(line: &[u8]) -> Vec<u8> {
    match split(line) {
        Some((rest, _)) => [rest, b"}"].concat(),
        None => line.to_owned(),
    }
}

/// The bytes of a line before its hash, and the hash.
pub(crate) fn split(line: &[u8]) -> Option<(&[u8], LineHash)> {
    let (rest, suffix) = line.split_at_checked(line.len().checked_sub(SUFFIX_BYTES)?)?;
    let digits = suffix.strip_prefix(MEMBER)?.strip_suffix(END)?;
    let mut hash = [0; HASH_BYTES];
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some((rest, hash))
}

const fn hexadecimal(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

const fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(lines: &[&str]) -> Vec<Vec<u8>> {
        let mut chain = LineHashes::default();
        let seal = |line: &&str| {
            let mut buffer = b"before".to_vec();
            buffer.extend_from_slice(line.as_bytes());
            chain.seal(&mut buffer, "before".len());
            buffer.split_off("before".len())
        };
        lines.iter().map(seal).collect()
    }

    /// The number of the first line that does not fit, from zero.
    fn first_wrong(lines: &[Vec<u8>]) -> Option<(usize, LineHashError)> {
        let mut chain = LineHashes::default();
        let mut checked = lines.iter().enumerate();
        checked.find_map(|(index, line)| chain.check(line).err().map(|error| (index, error)))
    }

    const LINES: [&str; 4] = [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"b":2}"#, r#"{"c":{"hash":"x"}}"#];

    #[test]
    fn a_hash_is_the_last_member_and_the_line_stays_json() {
        let lines = sealed(&LINES);
        let text = String::from_utf8(lines[0].clone()).expect("it is text");
        assert_eq!(text, r#"{"a":1,"hash":"d3e1ec6bdded9905f28a8556106374a6"}"#);
        assert_ne!(lines[1], lines[2], "equal lines have other hashes");
        for (line, original) in lines.iter().zip(LINES) {
            serde_json::from_slice::<serde_json::Value>(line).expect("it is JSON");
            assert_eq!(without_hash(line), original.as_bytes());
        }
        assert_eq!(first_wrong(&lines), None);
    }

    #[test]
    fn changed_removed_moved_and_added_lines_are_found() {
        let lines = sealed(&LINES);
        let edit = |change: fn(&mut Vec<Vec<u8>>)| {
            let mut lines = lines.clone();
            change(&mut lines);
            first_wrong(&lines)
        };
        let mismatch = |line| Some((line, LineHashError::Mismatch));
        assert_eq!(edit(|lines| lines[1][5] = b'3'), mismatch(1));
        assert_eq!(edit(|lines| drop(lines.remove(1))), mismatch(1));
        assert_eq!(edit(|lines| drop(lines.remove(0))), mismatch(0));
        assert_eq!(edit(|lines| lines.swap(1, 2)), mismatch(1));
        assert_eq!(edit(|lines| lines.insert(1, lines[1].clone())), mismatch(2));
        let missing = |line| Some((line, LineHashError::Missing));
        assert_eq!(edit(|lines| lines.push(br#"{"d":4}"#.to_vec())), missing(4));
        assert_eq!(edit(|lines| lines[2] = without_hash(&lines[2])), missing(2));
        // The end of a journal may be lost in a power failure.
        assert_eq!(edit(|lines| drop(lines.pop())), None);
    }

    #[test]
    fn a_chain_that_begins_later_covers_the_lines_before_it() {
        let old: Vec<Vec<u8>> = LINES.iter().map(|line| line.as_bytes().to_vec()).collect();
        assert_eq!(first_wrong(&old), None);
        let mut chain = LineHashes::default();
        for line in &old {
            chain.check(line).expect("no line has a hash");
        }
        let mut new = br#"{"d":4}"#.to_vec();
        chain.seal(&mut new, 0);
        let whole = [old, vec![new]].concat();
        assert_eq!(first_wrong(&whole), None);
        let mut changed = whole.clone();
        changed[0][5] = b'7';
        assert_eq!(first_wrong(&changed), Some((4, LineHashError::Mismatch)));
        assert_eq!(first_wrong(&whole[1..]), Some((3, LineHashError::Mismatch)));
    }

    #[test]
    fn damaged_hashes_are_no_hashes() {
        let line = sealed(&LINES).remove(0);
        for (index, byte) in [(line.len() - 3, b'G'), (line.len() - 1, b']'), (9, b'H')] {
            let mut damaged = line.clone();
            damaged[index] = byte;
            assert_eq!(split(&damaged), None, "{index}");
        }
        assert_eq!(split(b"{}"), None);
    }
}
