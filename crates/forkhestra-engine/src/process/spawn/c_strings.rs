//! Lists of strings as the system wants them.

use std::ffi::{CString, NulError, c_char};
use std::ptr;

/// Texts that end with a zero byte, and the list of their addresses that ends with a null.
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

    /// The list. It holds as long as this does.
    pub(crate) fn as_ptr(&self) -> *const *mut c_char {
        self.addresses.as_ptr()
    }

    /// What the system counts when it says that there is too much of it.
    pub(crate) fn size(&self) -> usize {
        let addresses = size_of_val(self.addresses.as_slice());
        self.lengths().sum::<usize>() + addresses
    }

    /// The length of the longest text.
    pub(crate) fn longest(&self) -> usize {
        self.lengths().max().unwrap_or(0)
    }

    fn lengths(&self) -> impl Iterator<Item = usize> {
        self.texts.iter().map(|text| text.as_bytes_with_nul().len())
    }
}
