//! Replaces secrets in output.

use std::fmt;
use std::sync::Arc;

use memchr::memmem::Finder;

/// The replacement for each byte of a secret.
const MASK: u8 = b'*';

/// Texts that must not be stored in any file.
#[derive(Clone, Default)]
pub struct Secrets {
    finders: Vec<Finder<'static>>,
}

impl Secrets {
    /// Every non-empty text is a secret. Short secrets also match harmless output; the caller has
    /// to leave them out.
    pub fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let finder = |text: T| Finder::new(text.as_ref()).into_owned();
        let mut finders: Vec<_> = texts.into_iter().map(finder).collect();
        finders.retain(|finder| !finder.needle().is_empty());
        Self { finders }
    }

    /// Whether there are no secrets.
    pub const fn is_empty(&self) -> bool {
        self.finders.is_empty()
    }

    /// Whether a secret is in these bytes.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.finders.iter().any(|finder| finder.find(bytes).is_some())
    }

    /// Masks secrets in a text. A truncated text, which ends with `…`, may end with the beginning
    /// of a secret; that is masked, too.
    pub fn masked(&self, text: &str) -> String {
        let (body, end) = match text.strip_suffix('…') {
            Some(body) => (body, "…"),
            None => (text, ""),
        };
        let mut shown = body.as_bytes().to_vec();
        self.mask(body.as_bytes(), &mut shown);
        if !end.is_empty() {
            let from = shown.len() - self.unfinished(body.as_bytes());
            shown[from..].fill(MASK);
        }
        String::from_utf8_lossy(&shown).into_owned() + end
    }

    /// Masks in `shown` every secret of `raw`, even where secrets overlap.
    fn mask(&self, raw: &[u8], shown: &mut [u8]) {
        for finder in &self.finders {
            let length = finder.needle().len();
            let mut from = 0;
            while let Some(found) = finder.find(&raw[from..]) {
                let start = from + found;
                shown[start..start + length].fill(MASK);
                from = start + 1;
            }
        }
    }

    /// The number of last bytes that may be the beginning of a secret.
    fn unfinished(&self, raw: &[u8]) -> usize {
        let unfinished = |finder: &Finder<'_>| {
            let secret = finder.needle();
            let limit = raw.len().min(secret.len() - 1);
            (1..=limit).rev().find(|&length| raw.ends_with(&secret[..length])).unwrap_or(0)
        };
        self.finders.iter().map(unfinished).max().unwrap_or(0)
    }
}

/// Shows only their number.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.finders.len())
    }
}

/// Replaces secrets in a stream of bytes, without changing its length.
#[derive(Debug)]
pub(crate) struct Redactor {
    secrets: Arc<Secrets>,
    /// The bytes of the current window.
    raw: Vec<u8>,
    /// The same bytes, masked.
    shown: Vec<u8>,
    /// The number of bytes that the last call returned.
    returned: usize,
}

impl Redactor {
    pub(crate) const fn new(secrets: Arc<Secrets>) -> Self {
        Self { secrets, raw: Vec::new(), shown: Vec::new(), returned: 0 }
    }

    /// Takes bytes and returns masked ones. Bytes at the end that may begin a secret are held back.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> &[u8] {
        self.forget();
        self.raw.extend_from_slice(bytes);
        self.shown.extend_from_slice(bytes);
        self.secrets.mask(&self.raw, &mut self.shown);
        self.returned = self.raw.len() - self.secrets.unfinished(&self.raw);
        &self.shown[..self.returned]
    }

    /// Returns the bytes that were held back, at the end of the stream.
    pub(crate) fn finish(&mut self) -> &[u8] {
        self.forget();
        self.returned = self.raw.len();
        &self.shown
    }

    fn forget(&mut self) {
        self.raw.drain(..self.returned);
        self.shown.drain(..self.returned);
        self.returned = 0;
    }
}
