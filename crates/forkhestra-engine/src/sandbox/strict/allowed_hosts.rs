//! The hosts that can be reached from a sandbox.

use forkhestra_core::config::Backend;

use crate::sandbox::sandbox_paths::ProcessVariables;

/// Ports of a host that is allowed without a port.
const WEB_PORTS: [u16; 2] = [80, 443];

/// Hosts of package registries.
pub(in crate::sandbox) const REGISTRIES: [&str; 22] = [
    "crates.io",
    "static.rust-lang.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "jsr.io",
    "deno.land",
    "pypi.org",
    "files.pythonhosted.org",
    "proxy.golang.org",
    "sum.golang.org",
    "repo.maven.apache.org",
    "repo1.maven.org",
    "maven.google.com",
    "dl.google.com",
    "plugins.gradle.org",
    "services.gradle.org",
    "rubygems.org",
    "api.nuget.org",
    "packagist.org",
    "pub.dev",
    "hackage.haskell.org",
    "hex.pm",
];

/// Variables with the address of a provider or a gateway.
const ADDRESS_VARIABLES: [&str; 7] = [
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "GEMINI_BASE_URL",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
    "CODEX_BASE_URL",
];

/// Hosts of the providers of an agent program.
const fn provider_hosts(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Claude => &["anthropic.com", "claude.ai", "claude.com"],
        Backend::Codex => &["openai.com", "chatgpt.com"],
        Backend::Gemini => &[
            "generativelanguage.googleapis.com",
            "cloudcode-pa.googleapis.com",
            "aiplatform.googleapis.com",
            "*-aiplatform.googleapis.com",
            "oauth2.googleapis.com",
            "accounts.google.com",
        ],
        Backend::Opencode => &[
            "opencode.ai",
            "models.dev",
            "anthropic.com",
            "openai.com",
            "openrouter.ai",
            "generativelanguage.googleapis.com",
            "aiplatform.googleapis.com",
            "*-aiplatform.googleapis.com",
            "oauth2.googleapis.com",
        ],
    }
}

/// The hosts of the providers of an agent program, and those that variables of the user name.
pub(in crate::sandbox) fn hosts_of(backend: Backend, user: &ProcessVariables<'_>) -> Vec<String> {
    let known = provider_hosts(backend).iter().map(|host| (*host).to_owned());
    let named = ADDRESS_VARIABLES.iter().filter_map(|name| address(user.get(name)?.to_str()?));
    known.chain(named).collect()
}

/// The host and port of a URL.
fn address(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let usual = if scheme == "http" { 80 } else { 443 };
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    (!host.is_empty() && !host.contains('*'))
        .then(|| if has_port { host.to_owned() } else { format!("{host}:{usual}") })
}

/// The hosts that can be reached. A name also stands for the names below it, and `*` at its start for
/// any text; without a port it stands for the ports of the web.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::sandbox) struct AllowedHosts(Vec<(String, Option<u16>)>);

impl AllowedHosts {
    pub(in crate::sandbox) fn new<H: AsRef<str>>(hosts: impl IntoIterator<Item = H>) -> Self {
        Self(hosts.into_iter().map(|host| split(host.as_ref())).collect())
    }

    /// Whether a host can be reached at a port.
    pub(super) fn allows(&self, host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.0.iter().any(|(allowed, only)| {
            let is_below =
                host.strip_suffix(allowed.as_str()).is_some_and(|rest| rest.ends_with('.'));
            let is_any = allowed.strip_prefix('*').is_some_and(|end| host.ends_with(end));
            let is_numeric = allowed.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            (host == *allowed || is_any || (is_below && !is_numeric))
                && only.map_or(WEB_PORTS.contains(&port), |only| only == port)
        })
    }

    /// Whether an allowed host is this machine, so that loopback has to go through the proxy.
    pub(super) fn has_loopback(&self) -> bool {
        self.0.iter().any(|(host, _)| host == "localhost" || host.starts_with("127."))
    }
}

fn split(text: &str) -> (String, Option<u16>) {
    let text = text.trim().trim_start_matches("*.");
    match text.rsplit_once(':').map(|(host, port)| (host, port.parse())) {
        Some((host, Ok(port))) => (host.to_ascii_lowercase(), Some(port)),
        _ => (text.to_ascii_lowercase(), None),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    #[test]
    fn names_stand_for_the_names_below_them() {
        let hosts = AllowedHosts::new(["anthropic.com", "*.x.org", "127.0.0.1:8080", "h:22"]);
        let table = [
            ("anthropic.com", 443, true),
            ("api.anthropic.com", 443, true),
            ("API.Anthropic.com.", 80, true),
            ("api.anthropic.com", 22, false),
            ("notanthropic.com", 443, false),
            ("anthropic.com.evil.org", 443, false),
            ("a.x.org", 443, true),
            ("127.0.0.1", 8080, true),
            ("127.0.0.1", 443, false),
            ("5.127.0.0.1", 8080, false),
            ("h", 22, true),
            ("h", 443, false),
            ("", 443, false),
        ];
        for (host, port, expected) in table {
            assert_eq!(hosts.allows(host, port), expected, "{host}:{port}");
        }
        assert!(hosts.has_loopback());
        assert!(!AllowedHosts::new(REGISTRIES).has_loopback());
    }

    #[test]
    fn an_address_in_a_variable_is_allowed() {
        let variables =
            [(OsString::from("ANTHROPIC_BASE_URL"), OsString::from("http://u:p@127.0.0.1:99/v1"))];
        let hosts = hosts_of(Backend::Claude, &ProcessVariables(&variables));
        assert!(AllowedHosts::new(&hosts).allows("127.0.0.1", 99), "{hosts:?}");
        assert!(AllowedHosts::new(&hosts).allows("api.anthropic.com", 443));
        assert!(!AllowedHosts::new(&hosts).allows("api.openai.com", 443));
        assert_eq!(address("https://gateway.example/x").as_deref(), Some("gateway.example:443"));
        assert_eq!(address("nonsense"), None);
    }
}
