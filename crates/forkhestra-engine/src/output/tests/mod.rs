//! Pumps between real pipes.

mod abandon;
mod exact;
mod gauge;
mod losses;
mod markers;
mod parts;
