//! Runs on a real disk, and other processes that hold locks or are killed.

mod damage;
mod event_schema;
mod follow;
mod format;
mod full_disk;
mod golden;
mod helper;
mod journal;
mod lines;
mod lock;
mod moving;
mod old_views;
mod overviews;
mod removing;
mod repair;
mod runs;
mod samples;
mod simulation;
mod strategies;
mod temporary;
mod views;
