//! Texts of other people on our screen: nothing in them may move the cursor or hide a line, and none
//! may be wider than its place.

mod fit_width;
mod fold;
mod sanitize;

pub use fit_width::{shortened, wrapped};
pub use fold::{chopped, folded, folds};
pub use sanitize::{is_control_character, sanitize, visible, visible_lines};
