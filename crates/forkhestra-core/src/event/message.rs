//! What a person has to say to an agent.

/// A message for the next agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its number in the run, from one.
    pub number: u32,
    /// What it says.
    pub text: String,
}
