//! HTTP requests to notification services.

use std::io;
use std::time::Duration;

use forkhestra_core::config::{NotifyTarget, ServiceUrl};
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body, Error, Proxy};

use super::notification::Notification;
use super::notify_payload::{NotifyPayload, payload_for};
use super::retry::DeliveryAttempt;
use crate::cli::version;

/// Timeout of a whole request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Client for one service.
pub(super) struct WebhookPost {
    agent: Agent,
    to: NotifyTarget,
    address: ServiceUrl,
}

impl WebhookPost {
    /// Creates the client without connecting.
    pub(super) fn new(to: NotifyTarget, address: ServiceUrl) -> Self {
        let proxy = if is_local_host(address.host()) { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .proxy(proxy)
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            // Redirects are refused: the user trusts only the configured host with the payload.
            .max_redirects(0)
            .user_agent(format!("forkhestra/{}", version::CURRENT))
            .build();
        Self { agent: config.new_agent(), to, address }
    }

    /// Makes one delivery attempt.
    pub(super) fn send(&self, notice: &Notification) -> DeliveryAttempt {
        let NotifyPayload { content_type, headers, body } = payload_for(self.to, notice);
        let mut request = self.agent.post(self.address.secret());
        request = request.header(header::CONTENT_TYPE, content_type);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        match request.send(body) {
            Ok(response) => judge_response(&response),
            Err(error) => transport_error(&error),
        }
    }
}

/// Whether the host is this machine, which must not be reached through a proxy.
fn is_local_host(host: &str) -> bool {
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    name.eq_ignore_ascii_case("localhost") || name.starts_with("127.") || host.starts_with("[::1]")
}

fn judge_response(response: &Response<Body>) -> DeliveryAttempt {
    let status = response.status();
    let retry_after =
        format!("it answered {}", status.to_string().trim_end_matches(" <unknown status code>"));
    if status.is_success() {
        DeliveryAttempt::Delivered
    } else if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        let after = response.headers().get(header::RETRY_AFTER);
        let after = after.and_then(|after| after.to_str().ok()?.trim().parse().ok());
        DeliveryAttempt::Retry(retry_after, after.map(Duration::from_secs))
    } else if status.is_redirection() {
        DeliveryAttempt::Failed(format!("{retry_after}; redirects are not followed"))
    } else {
        DeliveryAttempt::Failed(retry_after)
    }
}

/// The error text without the address, which some errors quote.
fn transport_error(error: &Error) -> DeliveryAttempt {
    let text = |text: &str| text.to_owned();
    match error {
        // An untrusted certificate or a server without TLS: a retry would fail as well.
        Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            DeliveryAttempt::Failed(error.to_string())
        }
        Error::Io(error) => DeliveryAttempt::Retry(error.to_string(), None),
        Error::Timeout(_) => DeliveryAttempt::Retry(text("it did not answer in time"), None),
        Error::HostNotFound => DeliveryAttempt::Retry(text("its host is not found"), None),
        Error::ConnectionFailed => DeliveryAttempt::Retry(text("no connection can be made"), None),
        Error::ConnectProxyFailed(_) => {
            DeliveryAttempt::Retry(text("the proxy does not let us through"), None)
        }
        Error::Protocol(_) => DeliveryAttempt::Retry(text("its answer is no HTTP"), None),
        Error::Tls(why) => DeliveryAttempt::Failed((*why).to_owned()),
        Error::Rustls(error) => DeliveryAttempt::Failed(error.to_string()),
        Error::InvalidProxyUrl => {
            DeliveryAttempt::Failed(text("the proxy of the environment is not a URL"))
        }
        Error::BadUri(_) => DeliveryAttempt::Failed(text("its address is not a URL")),
        _ => DeliveryAttempt::Failed(text("the request failed")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn this_machine_is_never_behind_a_proxy() {
        for (host, expected) in [
            ("localhost", true),
            ("LOCALHOST:8080", true),
            ("127.0.0.1:80", true),
            ("[::1]:80", true),
            ("localhost.example.com", false),
            ("example.com:127", false),
            ("[::2]:80", false),
        ] {
            assert_eq!(is_local_host(host), expected, "{host}");
        }
    }

    #[test]
    fn a_server_without_tls_is_a_final_failure_without_the_url() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("the loopback interface");
        let url = format!("https://{}/hush", listener.local_addr().expect("it is bound"));
        let server = thread::spawn(move || {
            let (mut connection, _) = listener.accept().expect("a client connects");
            let mut hello = [0; 4096];
            let _ = connection.read(&mut hello).expect("they say hello");
            connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("they listen");
            // Reads until the client closes the connection.
            while !matches!(connection.read(&mut hello), Ok(0) | Err(_)) {}
        });
        let post =
            WebhookPost::new(NotifyTarget::Webhook, ServiceUrl::parse(&url).expect("an address"));
        let attempt = post.send(&Notification::example());
        let DeliveryAttempt::Failed(why) = attempt else { panic!("{attempt:?}") };
        assert!(!why.contains("hush"), "{why}");
        drop(post);
        server.join().expect("it serves");
    }
}
