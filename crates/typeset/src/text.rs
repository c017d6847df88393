//! Makes foreign texts safe to print and as narrow as needed: they can neither move the cursor nor
//! hide a line.

mod fit_width;
mod fold;
mod sanitize;

pub use fit_width::{shortened, shortened_keeping_end, wrapped};
pub use fold::{folded, folds, hard_wrapped};
pub use sanitize::{escaped_json, is_control_character, sanitize, visible, visible_lines};
