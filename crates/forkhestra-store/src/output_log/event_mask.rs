//! Masks secrets in events, before they are recorded and shown.

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::plan::Plan;
use serde_json::Value;

use super::redact::Secrets;

/// Members of a plan with which a resumed run finds its files and programs. They are the user's own
/// words. A part of a path that is by chance the value of a variable must not make a resume
/// impossible.
const PATHS_OF_A_PLAN: [&str; 13] = [
    "workingDirectory",
    "stateDirectory",
    "taskDatabase",
    "record",
    "replay",
    "file",
    "location",
    "source",
    "mcpConfig",
    "settings",
    "patterns",
    "keep",
    "runner",
];

/// Members of a plan that no run executes: a mask in them does no harm.
const DESCRIPTIONS_OF_A_PLAN: [&str; 3] = ["description", "definition", "programs"];

impl Secrets {
    /// The event with its secrets masked; `None` if it has none.
    ///
    /// All texts of an event are searched, so that a new member of an event cannot be forgotten.
    /// Words of a closed set, such as the kind of an end, stay as they are. A masked plan says that it
    /// is masked: the mask is a pattern of the shell, and must not be executed.
    pub fn masked_event(&self, event: &Event) -> Option<Event> {
        if self.is_empty() {
            return None;
        }
        let members = serde_json::to_string(&event.kind).expect("events are JSON");
        // A text that was cut may end with the beginning of a secret.
        if !self.is_in(members.as_bytes()) && !members.contains('…') {
            return None;
        }
        let members: Value = serde_json::from_str(&members).expect("it was just written");
        let mut found = Vec::new();
        self.find_texts(&members, &mut String::new(), &mut found);
        let mut kind = masked_kind(event.kind.name(), members, &found)?;
        note_masked_plan(&mut kind, &event.kind);
        Some(Event::new(event.at, event.elapsed, kind))
    }

    /// Collects the texts with a secret: where they are, and the masked text.
    fn find_texts(&self, value: &Value, place: &mut String, found: &mut Vec<(String, String)>) {
        let length = place.len();
        match value {
            Value::String(text) => {
                let masked = self.masked(text);
                if masked != *text {
                    found.push((place.clone(), masked));
                }
            }
            Value::Array(values) => {
                for (number, value) in values.iter().enumerate() {
                    place.push_str(&format!("/{number}"));
                    self.find_texts(value, place, found);
                    place.truncate(length);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    if is_path_of_a_plan(place, name) {
                        continue;
                    }
                    // As a JSON pointer writes it.
                    let name = name.replace('~', "~0").replace('/', "~1");
                    place.push_str(&format!("/{name}"));
                    self.find_texts(value, place, found);
                    place.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn is_path_of_a_plan(place: &str, name: &str) -> bool {
    let is_inside_plan = place.starts_with("/plan");
    if is_inside_plan && name == "command" {
        // A check has a command as well, which is a text.
        return place.ends_with("/agent");
    }
    is_inside_plan && PATHS_OF_A_PLAN.contains(&name)
        || place.is_empty() && name == "workingDirectory"
}

/// The event with these texts replaced; `None` if none of them can be. A word of a closed set that
/// happens to be a secret cannot: it is not the text of another program.
fn masked_kind(name: &str, members: Value, found: &[(String, String)]) -> Option<EventKind> {
    let read = |members: &Value| EventKind::read(name, &members.to_string())?.ok();
    let replaced = |mut members: Value, texts: &[(String, String)]| {
        for (place, masked) in texts {
            if let Some(text) = members.pointer_mut(place) {
                *text = Value::String(masked.clone());
            }
        }
        members
    };
    if found.is_empty() {
        return None;
    }
    let all = replaced(members.clone(), found);
    if let Some(kind) = read(&all) {
        return Some(kind);
    }
    let mut masked = members;
    for text in found {
        let next = replaced(masked.clone(), std::slice::from_ref(text));
        if read(&next).is_some() {
            masked = next;
        }
    }
    read(&masked)
}

/// Notes in a masked plan that something which a run executes is masked.
fn note_masked_plan(masked: &mut EventKind, original: &EventKind) {
    let (EventKind::RunStarted { plan, .. }, EventKind::RunStarted { plan: original, .. }) =
        (masked, original)
    else {
        return;
    };
    plan.is_masked |= executed_members(plan) != executed_members(original);
}

/// The members of a plan from which its commands and prompts are made, as they are recorded.
fn executed_members(plan: &Plan) -> Value {
    let mut members = serde_json::to_value(plan).expect("plans are JSON");
    if let Value::Object(members) = &mut members {
        members.retain(|name, _| !DESCRIPTIONS_OF_A_PLAN.contains(&name.as_str()));
    }
    members
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use forkhestra_core::event::{OperatorMessage, RunEnd, StepEnd};
    use forkhestra_core::time::Timestamp;

    use super::*;

    fn masked(secrets: &[&str], kind: EventKind) -> Option<EventKind> {
        let event = Event::new(Timestamp::default(), Duration::ZERO, kind);
        Secrets::new(secrets).masked_event(&event).map(|event| event.kind)
    }

    fn warning(message: &str) -> EventKind {
        EventKind::Warning { message: message.to_owned() }
    }

    #[test]
    fn texts_of_events_are_masked() {
        let found = masked(&["hunter2-key"], warning("it is \"hunter2-key\""));
        assert_eq!(found, Some(warning("it is \"***********\"")));
        let message = |text: &str| EventKind::MessageQueued {
            message: OperatorMessage { number: 1, text: text.to_owned(), lane: None },
        };
        let found = masked(&["hunter2-key"], message("use hunter2-key"));
        assert_eq!(found, Some(message("use ***********")));
    }

    #[test]
    fn an_event_without_a_secret_is_not_copied() {
        assert_eq!(masked(&["hunter2-key"], warning("nothing")), None);
        assert_eq!(masked(&["hunter2-key"], warning("cut…")), None);
        assert_eq!(masked(&[], warning("hunter2-key")), None);
    }

    #[test]
    fn the_beginning_of_a_secret_at_a_cut_is_masked() {
        let found = masked(&["hunter2-key"], warning("it is hunter2…"));
        assert_eq!(found, Some(warning("it is *******…")));
    }

    #[test]
    fn a_word_of_ours_is_no_secret() {
        let end = |why: &str| EventKind::RunFinished {
            end: RunEnd::Incomplete { step: 1, end: StepEnd::CannotCheck(why.to_owned()) },
        };
        let found = masked(&["incomplete", "cannot_check"], end("it is incomplete"));
        assert_eq!(found, Some(end("it is **********")));
    }
}
