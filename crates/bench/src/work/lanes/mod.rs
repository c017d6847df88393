//! The cost of lanes.

mod lane_costs;

pub(crate) use self::lane_costs::measure;
