//! The payload of a notification for each service.

use forkhestra_core::config::{NotifyTarget, NotifyTrigger};
use forkhestra_core::text::cut;
use serde_json::json;

use super::notification::Notification;

/// Format version of the webhook payload.
const VERSION: &str = "1.1";

/// Discord's limit for a message, in characters.
const MAX_DISCORD_CHARS: usize = 2000;

/// Body and headers of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotifyPayload {
    pub(super) content_type: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
}

/// Builds the payload for a service.
pub(super) fn payload_for(to: NotifyTarget, notice: &Notification) -> NotifyPayload {
    let Notification { title, text, .. } = notice;
    let json = |body: serde_json::Value| NotifyPayload {
        content_type: "application/json",
        headers: Vec::new(),
        body: body.to_string(),
    };
    match to {
        NotifyTarget::Ntfy => ntfy(notice),
        NotifyTarget::Slack => json(json!({ "text": for_slack(&format!("{title}\n{text}")) })),
        NotifyTarget::Discord => json(json!({
            "content": cut(&format!("{title}\n{text}"), MAX_DISCORD_CHARS),
            "allowed_mentions": { "parse": [] },
        })),
        NotifyTarget::Webhook | NotifyTarget::Terminal | NotifyTarget::Desktop => {
            json(for_webhook(notice))
        }
    }
}

fn ntfy(notice: &Notification) -> NotifyPayload {
    let (priority, tag) = match notice.kind {
        NotifyTrigger::Complete => ("default", "white_check_mark"),
        NotifyTrigger::Limit => ("default", "hourglass"),
        NotifyTrigger::Failure => ("high", "x"),
        NotifyTrigger::Attention => ("high", "warning"),
    };
    NotifyPayload {
        content_type: "text/plain; charset=utf-8",
        headers: vec![
            ("Title", for_header(&notice.title)),
            ("Priority", priority.to_owned()),
            ("Tags", tag.to_owned()),
        ],
        body: notice.text.clone(),
    }
}

fn for_webhook(notice: &Notification) -> serde_json::Value {
    json!({
        "version": VERSION,
        "kind": notice.kind.word(),
        "run": notice.run,
        "chain": notice.chain,
        "definition": notice.definition,
        "directory": notice.directory,
        "title": notice.title,
        "text": notice.text,
        "end": notice.end,
        "waitsUntil": notice.waits_until.map(|until| until.to_string()),
        "question": notice.question,
        "iterations": notice.iterations,
        "elapsedMs": u64::try_from(notice.elapsed.as_millis()).unwrap_or(u64::MAX),
        "costUsd": notice.cost,
    })
}

/// Escapes angle brackets: Slack interprets text such as `<!channel>`.
fn for_slack(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Headers are ASCII. Other text is encoded as in RFC 2047, which ntfy decodes.
fn for_header(text: &str) -> String {
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    // Text that looks encoded would be decoded, so it is encoded as well.
    if text.bytes().all(is_plain) && !text.contains("=?") {
        return text.to_owned();
    }
    let encoded = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        byte => format!("={byte:02X}"),
    });
    format!("=?UTF-8?Q?{}?=", encoded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(title: &str, text: &str) -> Notification {
        Notification { title: title.to_owned(), text: text.to_owned(), ..Notification::example() }
    }

    #[test]
    fn ntfy_gets_the_text_and_headers() {
        let payload = payload_for(NotifyTarget::Ntfy, &notice("build in p: complete", "Done"));
        assert_eq!(payload.body, "Done");
        let expected = [("Title", "build in p: complete"), ("Priority", "high"), ("Tags", "x")];
        assert_eq!(payload.headers, expected.map(|(name, value)| (name, value.to_owned())));
    }

    #[test]
    fn a_title_that_is_not_ascii_is_encoded() {
        assert_eq!(for_header("a b"), "a b");
        assert_eq!(for_header("é a"), "=?UTF-8?Q?=C3=A9=20a?=");
        assert_eq!(for_header("a=?b"), "=?UTF-8?Q?a=3D=3Fb?=");
        assert_eq!(for_header("a\r\nb"), "=?UTF-8?Q?a=0D=0Ab?=");
    }

    #[test]
    fn slack_and_discord_messages_mention_no_user() {
        let notice = notice("t", "<!channel> & @everyone");
        let slack = payload_for(NotifyTarget::Slack, &notice).body;
        assert_eq!(slack, r#"{"text":"t\n&lt;!channel&gt; &amp; @everyone"}"#);
        let discord = payload_for(NotifyTarget::Discord, &notice).body;
        assert!(discord.contains(r#""allowed_mentions":{"parse":[]}"#), "{discord}");
    }

    #[test]
    fn discord_text_is_cut_to_its_limit() {
        let payload = payload_for(NotifyTarget::Discord, &notice("t", &"é".repeat(5000)));
        let body: serde_json::Value = serde_json::from_str(&payload.body).expect("JSON");
        let content = body["content"].as_str().expect("a text");
        assert_eq!(content.chars().count(), MAX_DISCORD_CHARS);
        assert!(content.ends_with("é…"));
    }

    #[test]
    fn a_webhook_gets_everything() {
        let payload = payload_for(NotifyTarget::Webhook, &notice("t", "x"));
        let body: serde_json::Value = serde_json::from_str(&payload.body).expect("JSON");
        assert_eq!(
            body,
            json!({
                "version": "1.1", "kind": "failure", "run": "abcdefgh", "chain": "build",
                "definition": "builder:3", "directory": "/p", "title": "t", "text": "x",
                "end": { "kind": "complete" }, "waitsUntil": null, "question": null, "iterations": 3,
                "elapsedMs": 1500, "costUsd": 0.25,
            })
        );
    }
}
