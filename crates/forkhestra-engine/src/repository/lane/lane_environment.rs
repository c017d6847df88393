//! What an agent and the set-up of a lane find in their environment.

use forkhestra_core::id::LaneNumber;

/// The number of the lane.
pub const LANE_VARIABLE: &str = "FORKHESTRA_LANE";

/// How many lanes there are.
pub const LANES_VARIABLE: &str = "FORKHESTRA_LANES";

/// The first of the ports that belong to the lane alone.
pub const PORT_VARIABLE: &str = "FORKHESTRA_PORT";

/// The variables of a lane, with their values.
pub fn lane_variables(
    lane: LaneNumber,
    lanes: usize,
    first_port: u16,
) -> [(&'static str, String); 3] {
    [
        (LANE_VARIABLE, lane.to_string()),
        (LANES_VARIABLE, lanes.to_string()),
        (PORT_VARIABLE, first_port.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_knows_its_lane_the_number_of_lanes_and_its_port() {
        let lane = LaneNumber::from_index(1).expect("it is small");
        let variables =
            lane_variables(lane, 4, 20_010).map(|(name, value)| format!("{name}={value}"));
        let expected = ["FORKHESTRA_LANE=2", "FORKHESTRA_LANES=4", "FORKHESTRA_PORT=20010"];
        assert_eq!(variables, expected);
    }
}
