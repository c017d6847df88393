//! SHA-256 digests, for content that an attacker may choose. The fingerprints elsewhere only compare states.

use std::fmt;

use sha2::{Digest, Sha256};

/// Computes a [`ContentDigest`] from pieces.
#[derive(Debug, Clone, Default)]
pub struct ContentHasher(Sha256);

/// A SHA-256 digest in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest(String);

impl ContentHasher {
    /// Adds a piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The digest in binary form.
    pub fn finish_bytes(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The digest of all pieces.
    pub fn finish(self) -> ContentDigest {
        ContentDigest(self.finish_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl ContentDigest {
    /// The digest of a whole content.
    pub fn of(content: &[u8]) -> Self {
        let mut hasher = ContentHasher::default();
        hasher.update(content);
        hasher.finish()
    }

    /// The hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ContentDigest::of(b"abc").as_str(), expected);
        let mut hasher = ContentHasher::default();
        hasher.update(b"a");
        hasher.update(b"bc");
        assert_eq!(hasher.finish().to_string(), expected);
    }
}
