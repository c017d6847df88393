//! Detail screens of iterations and tasks.

pub(crate) mod checks;
pub(crate) mod detail_screen;
pub(crate) mod diff_screen;
pub(crate) mod iteration_detail;
pub(crate) mod task_detail;
