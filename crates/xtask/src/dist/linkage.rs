//! Checks whether a program is statically linked.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Linkage {
    /// Runs on any machine with the same kernel and processor.
    Static,
    /// Names a loader, which has to be on the machine with the libraries it looks for.
    Dynamic,
    /// Not a 64-bit little-endian ELF file: another platform's format.
    Unknown,
}

/// The kind of program header that names the loader.
const PT_INTERP: u64 = 3;

impl Linkage {
    /// Reads the ELF header and looks for a loader among the program headers.
    pub(super) fn of(file: &[u8]) -> Self {
        if !file.starts_with(b"\x7fELF\x02\x01") {
            return Self::Unknown;
        }
        let (Some(start), Some(size), Some(count)) =
            (number(file, 0x20, 8), number(file, 0x36, 2), number(file, 0x38, 2))
        else {
            return Self::Unknown;
        };
        let mut kinds = (0..count).map(|index| number(file, start.saturating_add(index * size), 4));
        if kinds.any(|kind| kind == Some(PT_INTERP)) { Self::Dynamic } else { Self::Static }
    }
}

/// A little-endian number at an offset, or `None` past the end of the file.
fn number(file: &[u8], offset: u64, width: usize) -> Option<u64> {
    let offset = usize::try_from(offset).ok()?;
    let bytes = file.get(offset..offset.checked_add(width)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

impl fmt::Display for Linkage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Static => "static",
            Self::Dynamic => "dynamic",
            Self::Unknown => "not an ELF file, so linked as its platform does",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of 64 bytes, then program headers of 56 bytes with these kinds.
    fn elf(kinds: &[u8]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        file[0x20] = 64;
        file[0x36] = 56;
        file[0x38] = u8::try_from(kinds.len()).expect("few headers");
        for kind in kinds {
            file.push(*kind);
            file.resize(file.len() + 55, 0);
        }
        file
    }

    #[test]
    fn a_loader_among_the_headers_means_dynamic() {
        assert_eq!(Linkage::of(&elf(&[6, 3, 1])), Linkage::Dynamic);
        assert_eq!(Linkage::of(&elf(&[6, 1])), Linkage::Static);
    }

    #[test]
    fn other_formats_and_cut_files_are_unknown() {
        assert_eq!(Linkage::of(b"\xcf\xfa\xed\xfe rest"), Linkage::Unknown);
        assert_eq!(Linkage::of(b"\x7fELF\x02\x01"), Linkage::Unknown);
        assert_eq!(Linkage::of(b""), Linkage::Unknown);
    }
}
