//! What the streams of real agents mean, and those of a corpus of our own.

mod captured;
mod corpus;
mod laws;
mod listening;
mod order;
mod progress;
mod rules;
mod shown;
mod stand_ins;
mod startup;
