//! The head of a request to the proxy.

/// Headers that concern only the connection to the proxy.
const HOP_HEADERS: [&str; 4] =
    ["connection", "proxy-connection", "proxy-authorization", "keep-alive"];

/// A request to the proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProxyRequest {
    pub(super) host: String,
    pub(super) port: u16,
    /// The head for the host; `None` if the client asked for a tunnel.
    pub(super) head: Option<Vec<u8>>,
}

impl ProxyRequest {
    /// Parses a head, which ends in an empty line. `None` if it is not a request to a proxy.
    pub(super) fn parse(head: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(head).ok()?;
        let (line, headers) = text.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        if method == "CONNECT" {
            let (host, port) = split_authority(target, None)?;
            return Some(Self { host, port, head: None });
        }
        let rest = target.strip_prefix("http://")?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (host, port) = split_authority(authority, Some(80))?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        let mut forwarded = format!("{method} {slash}{path} {version}\r\n");
        for header in headers.split("\r\n").filter(|header| !header.is_empty()) {
            let name = header.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
            if !HOP_HEADERS.contains(&name.as_str()) {
                forwarded.push_str(header);
                forwarded.push_str("\r\n");
            }
        }
        // One request for each connection: the next one may be for another host.
        forwarded.push_str("Connection: close\r\n\r\n");
        Some(Self { host, port, head: Some(forwarded.into_bytes()) })
    }
}

/// The host and port of `host:port`.
fn split_authority(authority: &str, usual: Option<u16>) -> Option<(String, u16)> {
    if authority.contains('@') {
        return None;
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (authority, usual?),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(head: &str) -> Option<(String, u16, Option<String>)> {
        let ProxyRequest { host, port, head } = ProxyRequest::parse(head.as_bytes())?;
        Some((host, port, head.map(|head| String::from_utf8_lossy(&head).into_owned())))
    }

    #[test]
    fn tunnels_and_plain_requests_are_recognised() {
        assert_eq!(
            parsed("CONNECT a.org:443 HTTP/1.1\r\nHost: b.org\r\n\r\n"),
            Some(("a.org".to_owned(), 443, None))
        );
        assert_eq!(parsed("CONNECT [::1]:22 HTTP/1.1\r\n\r\n"), Some(("::1".to_owned(), 22, None)));
        assert_eq!(
            parsed("GET http://a.org/x?y HTTP/1.1\r\nHost: a.org\r\nProxy-Connection: x\r\n\r\n"),
            Some((
                "a.org".to_owned(),
                80,
                Some("GET /x?y HTTP/1.1\r\nHost: a.org\r\nConnection: close\r\n\r\n".to_owned())
            ))
        );
        assert_eq!(
            parsed("POST http://a.org:8080?q HTTP/1.1\r\n\r\n"),
            Some((
                "a.org".to_owned(),
                8080,
                Some("POST /?q HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned())
            ))
        );
        for bad in [
            "",
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT a.org HTTP/1.1\r\n\r\n",
            "CONNECT u@a.org:443 HTTP/1.1\r\n\r\n",
            "CONNECT :443 HTTP/1.1\r\n\r\n",
            "CONNECT a.org:99999 HTTP/1.1\r\n\r\n",
            "CONNECT a.org:443 x HTTP/1.1\r\n\r\n",
            "GET http://u:p@a.org/ HTTP/1.1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\n",
        ] {
            assert_eq!(parsed(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed(head in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = ProxyRequest::parse(&head);
        }

        #[test]
        fn any_request_line_is_parsed(line in "(CONNECT|GET) (http://)?[a-z:@/?\\[\\]0-9.]{0,30} HTTP/1.[01]\r\n\r\n") {
            let _ = ProxyRequest::parse(line.as_bytes());
        }
    }
}
