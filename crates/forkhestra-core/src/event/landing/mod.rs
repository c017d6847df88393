//! Work of lanes on its way to the integration ref.

pub(super) mod landing_refusal;
pub(super) mod lane_work;
