//! Null-terminated lists of C strings.

use std::ffi::{CString, NulError, c_char};
use std::ptr;

/// C strings and the null-terminated list of their addresses.
pub(crate) struct CStrings {
    texts: Vec<CString>,
    addresses: Vec<*mut c_char>,
}

impl CStrings {
    pub(crate) fn new(texts: impl Iterator<Item = Vec<u8>>) -> Result<Self, NulError> {
        let texts: Vec<CString> = texts.map(CString::new).collect::<Result<_, _>>()?;
        let addresses = texts.iter().map(|text| text.as_ptr().cast_mut());
        let addresses = addresses.chain([ptr::null_mut()]).collect();
        Ok(Self { texts, addresses })
    }

    /// The list. It is valid as long as this value.
    pub(crate) fn as_ptr(&self) -> *const *mut c_char {
        self.addresses.as_ptr()
    }

    /// The size that counts towards the system's limit on arguments.
    pub(crate) fn size(&self) -> usize {
        let addresses = size_of_val(self.addresses.as_slice());
        self.lengths().sum::<usize>() + addresses
    }

    /// The length of the longest string.
    pub(crate) fn longest(&self) -> usize {
        self.lengths().max().unwrap_or(0)
    }

    fn lengths(&self) -> impl Iterator<Item = usize> {
        self.texts.iter().map(|text| text.as_bytes_with_nul().len())
    }
}
