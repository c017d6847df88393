//! What was asked.

use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path, with what stands after a `?`.
    pub path: String,
    /// The headers, in their order, with names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body; null where there is none or it is not JSON.
    pub body: Value,
    /// Whether it offers tools to the model, and so takes a turn of the script.
    pub is_main: bool,
}

impl Request {
    /// The value of a header, by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path without what stands after a `?`.
    pub(crate) fn place(&self) -> &str {
        self.path.split_once('?').map_or(self.path.as_str(), |(place, _)| place)
    }
}
