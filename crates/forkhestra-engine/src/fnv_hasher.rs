//! A fingerprint of bytes that is stable across versions and hosts.

/// FNV-1a with 128 bits. It only distinguishes texts; it need not resist attacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FnvHasher(u128);

impl FnvHasher {
    pub(crate) const fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 ^= u128::from(*byte);
            self.0 = self.0.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    pub(crate) fn finish(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// The fingerprint of one text.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hasher = FnvHasher::new();
    hasher.update(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_fnv_1a() {
        assert_eq!(hash(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(hash(b"a"), "d228cb696f1a8caf78912b704e4a8964");
    }
}
