//! Asks runs for what a person wants, one thing after the other.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::outlet::Outlet;
use crate::msg::{Cmd, Msg};
use crate::world::World;

/// Asks runs for what a person wants.
pub(super) struct Asker {
    world: Arc<dyn World>,
    outlet: Outlet,
}

impl Asker {
    pub(super) fn new(world: Arc<dyn World>, outlet: Outlet) -> Self {
        Self { world, outlet }
    }

    /// Asks until nobody wants anything any more.
    pub(super) fn work(&self, requests: &Receiver<Cmd>) {
        while let Ok(command) = requests.recv() {
            let message = match command {
                Cmd::Ask { run, request } => {
                    let result = self.world.ask(&run, request.clone());
                    Msg::Answered { run, request, result }
                }
                Cmd::Resume(run) => {
                    let result = self.world.resume(&run);
                    Msg::Resumed { run, result }
                }
                _ => continue,
            };
            if self.outlet.tell(message).is_err() {
                return;
            }
        }
    }
}
