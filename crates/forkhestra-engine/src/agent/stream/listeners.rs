//! Creates the listeners for the agents of a plan.

use std::ffi::OsString;
use std::sync::Arc;

use forkhestra_core::config::{AgentSetting, Backend, SettingSupport};
use forkhestra_core::cost::PriceTable;
use forkhestra_core::event::{AgentEnd, StreamSummary};
use forkhestra_core::marker::MarkerParseError;
use forkhestra_core::plan::{DirectSpawn, Plan, PlanStep};
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;
use jiff::tz::TimeZone;

use crate::agent::{
    ListenerConfig, ProgramReader, ProgressGauge, ResetContext, StreamListener, StreamResult,
};

/// The listener for the stream of a step's agent.
pub(crate) fn listener(
    direct: &DirectSpawn,
    step: &PlanStep,
    plan: &Plan,
    progress: Arc<ProgressGauge>,
) -> Result<Box<dyn StreamListener>, MarkerParseError> {
    crate::agent::listener(direct.backend, rules(direct, step, plan, progress))
}

/// The reader for the output of a step's program.
pub(crate) fn program_reader(
    step: &PlanStep,
    plan: &Plan,
) -> Result<ProgramReader, MarkerParseError> {
    ProgramReader::new(ListenerConfig {
        markers: step.markers.value.clone(),
        looks_for_markers: step.iterations.is_some(),
        prices: PriceTable::shipped().with(&plan.prices),
        ..ListenerConfig::default()
    })
}

fn rules(
    direct: &DirectSpawn,
    step: &PlanStep,
    plan: &Plan,
    progress: Arc<ProgressGauge>,
) -> ListenerConfig {
    let by_us = AgentSetting::MaxTurns.support(direct.backend) == SettingSupport::Ourselves;
    ListenerConfig {
        markers: step.markers.value.clone(),
        // Only loops need a completion marker.
        looks_for_markers: step.iterations.is_some(),
        max_turns: direct.max_turns.map(Count::get).filter(|_| by_us),
        billing: direct.billing,
        prices: PriceTable::shipped().with(&plan.prices),
        model: direct.model.clone().or_else(|| step.priced_model.clone()),
        progress,
    }
}

/// The summary of an agent that has ended. Times without a zone are in the zone in which it was
/// started.
pub(crate) fn conclude(
    backend: Backend,
    findings: &StreamResult,
    (end, complaint): (&AgentEnd, &str),
    (now, zone): (Timestamp, Option<&OsString>),
) -> Option<StreamSummary> {
    let moment = ResetContext { now, utc_offset: utc_offset(now, zone) };
    crate::agent::conclude(backend, findings, end, complaint, moment)
}

/// The offset of the local time from UTC, in seconds; zero if the zone is unknown.
fn utc_offset(now: Timestamp, zone: Option<&OsString>) -> i32 {
    let named = zone.and_then(|zone| zone.to_str()).filter(|zone| !zone.is_empty());
    let zone = match named.map(|name| name.trim_start_matches(':')) {
        Some(name) => TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok(),
        None => Some(TimeZone::system()),
    };
    let instant = jiff::Timestamp::from_millisecond(now.milliseconds()).unwrap_or_default();
    zone.map_or(0, |zone| zone.to_offset(instant).seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_names_or_rules() {
        let winter = Timestamp::parse("2026-11-15T12:00:00.000Z").expect("a moment");
        let summer = Timestamp::parse("2026-07-15T12:00:00.000Z").expect("a moment");
        for (zone, at, offset) in [
            ("UTC", winter, 0),
            ("EST5EDT,M3.2.0,M11.1.0", winter, -5 * 3600),
            ("EST5EDT,M3.2.0,M11.1.0", summer, -4 * 3600),
            ("IST-5:30", winter, 19_800),
            ("nowhere at all", winter, 0),
        ] {
            assert_eq!(utc_offset(at, Some(&zone.into())), offset, "{zone}");
        }
    }
}
