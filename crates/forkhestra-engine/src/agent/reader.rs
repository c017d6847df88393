//! Listening to an agent: from its bytes to notices.

use forkhestra_core::config::Backend;
use forkhestra_core::marker::NotAMarker;
use memchr::memchr;

use super::dialect::{Dialect, LineKind, Signal, dialect};
use super::event::AgentEventKind;
use super::interpreter::Interpreter;
use super::lines::{Content, LONGEST, Line, Lines};
use super::listen::{Findings, Listen, Notice};
use super::non_finite::quoted_non_finite;
use super::open_calls::OpenCalls;
use super::rules::Rules;
use super::stand_in::StandIn;
use super::surrogates::mended;

/// Understands the stream of an agent program. It fails only for a marker that is none.
pub fn listener(backend: Backend, rules: Rules) -> Result<Box<dyn Listen>, NotAMarker> {
    let understanding = Understanding {
        dialect: dialect(backend),
        stand_in: StandIn::new(&rules)?,
        interpreter: Interpreter::new(rules, OpenCalls::of(backend))?,
        understood: false,
    };
    Ok(Box::new(Reader { lines: Lines::up_to(LONGEST), understanding }))
}

/// Listens to an agent.
struct Reader {
    lines: Lines,
    understanding: Understanding,
}

/// Understands lines.
struct Understanding {
    dialect: Box<dyn Dialect>,
    interpreter: Interpreter,
    /// Whether an event was seen that the agent is known to have.
    understood: bool,
    /// Whoever it may be until then.
    stand_in: StandIn,
}

impl Listen for Reader {
    fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Notice<'_>)) {
        let mut rest = bytes;
        // Any line may be the first that is understood, and no byte of it is a stand-in's.
        while !self.understanding.understood
            && let Some(newline) = memchr(b'\n', rest)
        {
            let (line, others) = rest.split_at(newline + 1);
            self.take(line, tell);
            rest = others;
        }
        self.take(rest, tell);
    }

    fn finish(self: Box<Self>, tell: &mut dyn FnMut(Notice<'_>)) -> Findings {
        let Self { lines, mut understanding } = *self;
        lines.finish(&mut |line| understanding.take(line, tell));
        if understanding.understood {
            return understanding.interpreter.finish(tell);
        }
        Findings { sighting: understanding.stand_in.finish(), ..Findings::default() }
    }
}

impl Reader {
    fn take(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Notice<'_>)) {
        self.lines.feed(bytes, &mut |line| self.understanding.take(line, tell));
        if !self.understanding.understood {
            self.understanding.stand_in.print(bytes, tell);
        }
    }
}

impl Understanding {
    fn take(&mut self, line: Line<'_>, tell: &mut dyn FnMut(Notice<'_>)) {
        let Content::Whole(bytes) = line.content else {
            if let Content::Skipped { bytes } = line.content {
                tell(Notice::Said(AgentEventKind::Skipped { bytes }.into()));
            }
            return;
        };
        // Nothing else can be an object, and all of it would be copied if it is no text.
        let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
        let kind =
            if is_object { self.understand(bytes, line.offset, tell) } else { LineKind::Plain };
        match kind {
            LineKind::Event => {
                self.understood = true;
                self.interpreter.understand();
            }
            LineKind::Unknown => {}
            LineKind::Plain => tell(Notice::Said(AgentEventKind::Plain(bytes).into())),
        }
    }

    fn understand(
        &mut self,
        bytes: &[u8],
        offset: u64,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> LineKind {
        let text = String::from_utf8_lossy(bytes);
        let text = mended(&text);
        let Self { dialect, interpreter, stand_in, .. } = self;
        let mut hear = |signal: Signal<'_>| {
            // Whatever an event says holds, so what was said before is taken back before that.
            if !signal.is_unknown() {
                stand_in.take_back(tell);
            }
            interpreter.take(signal, offset, tell);
        };
        let mut kind = dialect.line(&text, &mut hear);
        if kind == LineKind::Plain
            && let Some(quoted) = quoted_non_finite(&text)
        {
            kind = dialect.line(&quoted, &mut hear);
        }
        if kind == LineKind::Event {
            stand_in.take_back(tell);
        }
        kind
    }
}
