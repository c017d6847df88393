//! Texts of other people on our screen: nothing in them may move the cursor or hide a line, and none
//! may be wider than its place.

mod fold;
mod harmless;
mod narrow;

pub use fold::{chopped, folded, folds};
pub use harmless::{is_control_character, sanitize, visible, visible_lines};
pub use narrow::{shortened, wrapped};
