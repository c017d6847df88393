//! The config entries of notifications.

use std::fmt;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::decode::decoder::{Decode, Decoder, ObjectKeys};
use super::decode::record::{choice, inline_schema, record};
use super::decode::shorthand::{Shorthand, ShorthandObject};
use crate::diagnostic::source::Spanned;

record! {
    /// A notification target, with settings.
    pub struct NotifyEntry is "a notification",
        validated by check_address, constrained by address_schema {
        /// Where to send it.
        "to" => to: Spanned<NotifyTarget>,
        /// The address of the service; a secret, so better kept in an environment variable.
        "url" => url: Option<Spanned<ServiceUrl>>,
        /// The environment variable that holds the address; `FORKHESTRA_SLACK_URL` for `slack` by
        /// default, and so on.
        "urlEnv" => url_env: Option<Spanned<VariableName>>,
        /// Which events to report; all by default.
        "on" => on: Option<Spanned<NotifyTriggers>>,
    }
}

choice! {
    /// Where a notification can be sent.
    pub enum NotifyTarget {
        /// The terminal that the run prints to.
        Terminal = "terminal",
        /// The desktop.
        Desktop = "desktop",
        /// An ntfy topic.
        Ntfy = "ntfy",
        /// A Slack channel.
        Slack = "slack",
        /// A Discord channel.
        Discord = "discord",
        /// Any other server.
        Webhook = "webhook",
    }
}

impl NotifyTarget {
    /// The environment variable that holds the URL of a service, unless the config names another;
    /// none for targets without a URL.
    pub const fn variable(self) -> Option<&'static str> {
        match self {
            Self::Terminal | Self::Desktop => None,
            Self::Ntfy => Some("FORKHESTRA_NTFY_URL"),
            Self::Slack => Some("FORKHESTRA_SLACK_URL"),
            Self::Discord => Some("FORKHESTRA_DISCORD_URL"),
            Self::Webhook => Some("FORKHESTRA_WEBHOOK_URL"),
        }
    }
}

choice! {
    /// Which events cause a notification.
    pub enum NotifyTrigger {
        /// The run is complete.
        Complete = "complete",
        /// The run ended without being complete.
        Failure = "failure",
        /// A limit ended the run, or delays it.
        Limit = "limit",
        /// The run needs a user's action to go on.
        Attention = "attention",
    }
}

/// A list of at least one trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifyTriggers(pub Vec<NotifyTrigger>);

impl Decode for NotifyTriggers {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let moments = Vec::decode(value, decoder)?;
        if moments.is_empty() {
            decoder.invalid(value, "is empty, so no notification would ever be sent");
            return None;
        }
        Some(Self(moments))
    }
}

impl JsonSchema for NotifyTriggers {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Moments".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<NotifyTrigger>();
        json_schema!({ "type": "array", "minItems": 1, "items": one })
    }
}

/// The name of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableName(pub String);

/// The URL of a service. It grants write access, so only its host is ever shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceUrl(String);

/// Why a text is not the URL of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceUrlError {
    /// Its scheme is neither `http` nor `https`.
    Scheme,
    Host,
    /// It holds a character that no URL may hold.
    Character,
}

impl fmt::Display for ServiceUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "must begin with https:// or http://",
            Self::Host => "names no host",
            Self::Character => "holds a character that no URL has",
        })
    }
}

impl ServiceUrl {
    /// Parses a URL.
    pub fn parse(text: &str) -> Result<Self, ServiceUrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(ServiceUrlError::Scheme)?;
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err(ServiceUrlError::Scheme);
        }
        if !text.chars().all(|c| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c)) {
            return Err(ServiceUrlError::Character);
        }
        let host = host_of(rest);
        let has_name = !host.is_empty() && !host.starts_with(':');
        if has_name { Ok(Self(text.to_owned())) } else { Err(ServiceUrlError::Host) }
    }

    /// The whole URL, for the connection.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// The part that may be shown.
    pub fn host(&self) -> &str {
        self.0.split_once("://").map_or("", |(_, rest)| host_of(rest))
    }
}

/// The host and port behind the scheme, without user name and password.
fn host_of(rest: &str) -> &str {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

impl fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServiceUrl").field(&self.host()).finish()
    }
}

inline_schema! {
    ServiceUrl => {
        "type": "string",
        // User name and password, a non-empty host, a port, and the rest.
        "pattern": "^[hH][tT][tT][pP][sS]?://([!$-.0-;=@-\\[\\]_a-z~]*@)?[!$-.0-9;=A-\\[\\]_a-z~][!$-.0-;=A-\\[\\]_a-z~]*([/?#][!#-;=?-\\[\\]_a-z~]*)?$",
    },
    VariableName => { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
}

impl Decode for ServiceUrl {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a URL")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

impl Decode for VariableName {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let name = decoder.string(value, "the name of an environment variable")?;
        let may_begin = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(may_begin) && name.chars().all(|c| may_begin(c) || c.is_ascii_digit());
        if !is_name {
            decoder.invalid(value, "is not the name of an environment variable");
        }
        is_name.then_some(Self(name))
    }
}

impl ShorthandObject for NotifyEntry {
    type Brief = NotifyTarget;

    fn from_shorthand(to: Spanned<NotifyTarget>) -> Self {
        Self { to, url: None, url_env: None, on: None }
    }
}

/// Refuses a URL for a target without one, and two URLs for one target.
fn check_address(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let to = keys.text("to");
    let named = NotifyTarget::ALL.into_iter().find(|known| Some(known.word()) == to);
    let is_here = named.is_some_and(|to| to.variable().is_none());
    for key in ["url", "urlEnv"].into_iter().filter(|_| is_here) {
        let Some(span) = keys.span(key) else { continue };
        let message = format!("`{}` is for services", decoder.path_to(key));
        let label = format!("`{}` has no address", to.unwrap_or_default());
        decoder.error(span, message, label);
    }
    if let (Some(_), Some(span), false) = (keys.span("url"), keys.span("urlEnv"), is_here) {
        let message = format!("`{}` is given beside `url`", decoder.path_to("urlEnv"));
        let error = decoder.error(span, message, "one of the two is enough");
        error.hints.push("the address is a secret, so prefer `urlEnv`".to_owned());
    }
}

/// The part of the same rules that the schema can express.
fn address_schema() -> Schema {
    let here: Vec<&str> = NotifyTarget::ALL
        .into_iter()
        .filter(|to| to.variable().is_none())
        .map(NotifyTarget::word)
        .collect();
    let is_here = json!({ "properties": { "to": { "enum": here } }, "required": ["to"] });
    let has_address = json!({ "anyOf": [{ "required": ["url"] }, { "required": ["urlEnv"] }] });
    let both = json!({ "required": ["url", "urlEnv"] });
    json_schema!({ "not": { "anyOf": [both, { "allOf": [is_here, has_address] }] } })
}

/// All notification targets of a config file.
pub type NotifyEntries = Vec<Spanned<Shorthand<NotifyEntry>>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_its_host_and_nothing_else() {
        for (text, host) in [
            ("https://hooks.example.com/services/T0/B0/secret", "hooks.example.com"),
            ("HTTP://127.0.0.1:8080/?token=secret", "127.0.0.1:8080"),
            ("https://me:secret@ntfy.example.com/topic", "ntfy.example.com"),
            ("https://ntfy.example.com#secret", "ntfy.example.com"),
            ("http://[::1]:80/secret", "[::1]:80"),
        ] {
            let address = ServiceUrl::parse(text).expect(text);
            assert_eq!(address.host(), host);
            assert_eq!(format!("{address:?}"), format!("ServiceUrl({host:?})"));
            assert_eq!(address.secret(), text);
        }
    }

    #[test]
    fn an_invalid_url_is_refused() {
        for (text, why) in [
            ("", ServiceUrlError::Scheme),
            ("hooks.example.com/x", ServiceUrlError::Scheme),
            ("ftp://example.com", ServiceUrlError::Scheme),
            ("https://", ServiceUrlError::Host),
            ("https:///path", ServiceUrlError::Host),
            ("https://me@/path", ServiceUrlError::Host),
            ("https://:80/path", ServiceUrlError::Host),
            ("https://example.com/a b", ServiceUrlError::Character),
            ("https://example.com/\n", ServiceUrlError::Character),
            ("https://exämple.com/", ServiceUrlError::Character),
        ] {
            assert_eq!(ServiceUrl::parse(text), Err(why), "{text}");
        }
    }
}
