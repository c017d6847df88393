//! `system` events of Claude Code.

use std::borrow::Cow;
use std::time::Duration;

use forkhestra_core::quota::{QuotaReading, QuotaWindow};
use forkhestra_core::time::Timestamp;
use serde::Deserialize;

use crate::agent::json::{Lenient, LenientString};
use crate::agent::stream::agent_event::{AgentEventKind, AgentReady, LimitNotice, ProviderRetry};

/// Frequent events that are not displayed, and whether they show progress of the model, a subagent
/// or a hook.
const IGNORED_SUBTYPES: [(&str, bool); 13] = [
    ("background_tasks_changed", false),
    ("compact_boundary", true),
    ("files_persisted", false),
    ("hook_progress", true),
    ("hook_response", true),
    ("hook_started", true),
    ("status", false),
    ("task_notification", true),
    ("task_progress", true),
    ("task_started", true),
    ("task_updated", true),
    ("thinking_tokens", true),
    ("ui_invalidate", false),
];

/// Whether a `system` event of this kind shows progress.
pub(super) fn is_progress(subtype: &str) -> bool {
    IGNORED_SUBTYPES.contains(&(subtype, true))
}

/// A `system` event of any kind.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct ClaudeSystemEvent<'a> {
    session_id: LenientString<'a>,
    model: LenientString<'a>,
    #[serde(rename = "apiKeySource")]
    api_key_source: LenientString<'a>,
    attempt: Lenient<u32>,
    max_retries: Lenient<u32>,
    retry_delay_ms: Lenient<f64>,
    error_status: Lenient<u16>,
    error: LenientString<'a>,
    content: LenientString<'a>,
    pub(super) tool_name: LenientString<'a>,
    pub(super) tool_use_id: LenientString<'a>,
    pub(super) message: LenientString<'a>,
}

impl<'a> ClaudeSystemEvent<'a> {
    /// The event for other parts of the engine, if there is one.
    pub(super) fn interpret(self, subtype: &LenientString<'a>) -> Option<AgentEventKind<'a>> {
        match subtype.get().unwrap_or_default() {
            "init" => Some(AgentEventKind::Begun(AgentReady {
                session: self.session_id.0,
                model: self.model.0,
                key_source: self.api_key_source.0,
            })),
            "api_retry" => Some(AgentEventKind::Retry(ProviderRetry {
                attempt: self.attempt.0.unwrap_or(1),
                max_attempts: self.max_retries.0,
                delay: self.retry_delay_ms.0.and_then(milliseconds),
                status: self.error_status.0,
                why: self.error.or_empty(),
                unanswered: None,
            })),
            "informational" | "model_fallback" | "model_refusal_no_fallback" => {
                let content = self.content.or_empty();
                (!content.is_empty()).then_some(AgentEventKind::Error(content))
            }
            name if IGNORED_SUBTYPES.iter().any(|(silent, _)| *silent == name) => None,
            name => Some(AgentEventKind::Unknown(Cow::Owned(format!("system/{name}")))),
        }
    }
}

/// The state of the account's rate limit.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct RateLimitInfo<'a> {
    pub(super) status: LenientString<'a>,
    /// In seconds since 1970.
    #[serde(rename = "resetsAt")]
    resets_at: Lenient<f64>,
    #[serde(rename = "rateLimitType")]
    window: LenientString<'a>,
    utilization: Lenient<f64>,
    #[serde(rename = "unifiedWindows")]
    windows: Lenient<UnifiedWindows>,
}

/// The windows of a subscription. Newer versions tell all of them in each event.
#[derive(Default, Deserialize)]
#[serde(default)]
struct UnifiedWindows {
    five_hour: Lenient<UnifiedWindow>,
    seven_day: Lenient<UnifiedWindow>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct UnifiedWindow {
    utilization: Lenient<f64>,
    #[serde(rename = "resetsAt")]
    resets_at: Lenient<f64>,
}

impl<'a> RateLimitInfo<'a> {
    pub(super) fn is_reached(&self) -> bool {
        self.status.is("rejected")
    }

    pub(super) fn resets(&self) -> Option<Timestamp> {
        timestamp(self.resets_at.0?)
    }

    /// How full the windows of the account are, as far as it is told.
    pub(super) fn readings(&self) -> impl Iterator<Item = QuotaReading> {
        QuotaWindow::ALL.into_iter().filter_map(|window| self.reading(window))
    }

    fn reading(&self, window: QuotaWindow) -> Option<QuotaReading> {
        let all = self.windows.0.as_ref();
        let (name, unified) = match window {
            QuotaWindow::FiveHours => ("five_hour", all.map(|all| &all.five_hour)),
            QuotaWindow::SevenDays => ("seven_day", all.map(|all| &all.seven_day)),
        };
        let unified = unified.and_then(|unified| unified.0.as_ref());
        let told = unified.and_then(|unified| {
            let resets = timestamp(unified.resets_at.0?)?;
            QuotaReading::of_share(window, unified.utilization.0?, resets)
        });
        // A limit that is reached is one whose window is used up.
        let reached = || self.is_reached().then_some(1.0);
        told.or_else(|| {
            let share = self.utilization.0.or_else(reached).filter(|_| self.window.is(name))?;
            QuotaReading::of_share(window, share, self.resets()?)
        })
    }

    pub(super) fn notice(self) -> LimitNotice<'a> {
        LimitNotice {
            is_reached: self.is_reached(),
            resets: self.resets(),
            window: self.window.0,
            used: self.utilization.0,
        }
    }
}

/// A `rate_limit_event`.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct RateLimitEvent<'a> {
    pub(super) rate_limit_info: Lenient<RateLimitInfo<'a>>,
}

/// A time in seconds since 1970. Implausible values are ignored.
fn timestamp(seconds: f64) -> Option<Timestamp> {
    #[expect(clippy::cast_possible_truncation, reason = "it is in the range by then")]
    (0.0..1e11).contains(&seconds).then(|| Timestamp::from_milliseconds((seconds * 1e3) as i64))
}

fn milliseconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number / 1e3).ok()
}
