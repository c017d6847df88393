//! Messages of threads to one place of work.

use forkhestra_core::cost::UnusableFigure;
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::Input;

use crate::agent::StreamFact;
use crate::output::{OutputOwner, PumpMessage};
use crate::run_loop::agents::redact_outcome;
use crate::run_loop::loop_context::LoopContext;
use crate::run_loop::loop_message::LoopMessage;
use crate::run_loop::workplace_executor::WorkplaceExecutor;

impl WorkplaceExecutor {
    /// Handles a message of one of the threads of this place.
    pub(crate) fn take_message(&mut self, message: LoopMessage, context: &mut LoopContext<'_>) {
        match message {
            LoopMessage::Input(input) => context.push(input),
            LoopMessage::AuxJobResultReady { aux_job, answer } => {
                self.aux_job_result_ready(aux_job, answer, context);
            }
            LoopMessage::RecordingBegun { unit } => self.recording_begun(unit),
            LoopMessage::CleanRoomPrepared { unit, room } => {
                self.room_prepared(unit, room, context);
            }
            LoopMessage::Output(message) => self.take_output(message, context),
        }
    }

    fn take_output(&mut self, message: PumpMessage, context: &mut LoopContext<'_>) {
        match message {
            PumpMessage::Marker { owner: OutputOwner::Agent(unit), marker_match } => {
                context.push(Input::Marker { unit, marker_match });
            }
            PumpMessage::Fact { owner: OutputOwner::Agent(unit), fact } => {
                let input = input_of_fact(unit, fact, context);
                context.push(input);
            }
            // The output of aux jobs is not scanned for markers or facts. Failures of the sink concern
            // the whole run.
            PumpMessage::Marker { owner: OutputOwner::AuxJob(_), .. }
            | PumpMessage::Fact { owner: OutputOwner::AuxJob(_), .. }
            | PumpMessage::SinkClosed(_)
            | PumpMessage::SinkFailed(..) => {}
            PumpMessage::Ended(ended) => self.output_ended(ended, context),
        }
    }
}

fn input_of_fact(unit: UnitId, fact: StreamFact, context: &LoopContext<'_>) -> Input {
    match fact {
        StreamFact::Marker(marker_match) => Input::Marker { unit, marker_match },
        StreamFact::Concluded(marker_match) => Input::Concluded { unit, marker_match },
        StreamFact::WentOn => Input::WentOn { unit },
        StreamFact::Spent(spend) => Input::Spent { unit, spend },
        StreamFact::Quota(reading) => Input::QuotaReported { unit, reading },
        StreamFact::UnusableFigure(figure) => {
            let value = context.ports.logs.redact(&figure.value);
            Input::UnusableFigure { unit, figure: UnusableFigure { value, ..figure } }
        }
        StreamFact::Futile(outcome) => {
            Input::Futile { unit, outcome: redact_outcome(outcome, &*context.ports.logs) }
        }
    }
}
