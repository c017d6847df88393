//! The keys of `config.json`, in the order of new files.

pub(in crate::database) const PREFIX: &str = "prefix";
pub(in crate::database) const ZERO_PADDING: &str = "zeroPadding";
pub(in crate::database) const PROJECT_NAME: &str = "projectName";
pub(in crate::database) const DEFAULT_PRIORITY: &str = "defaultPriority";
pub(in crate::database) const DEFAULT_LABELS: &str = "defaultLabels";
pub(in crate::database) const LAST_ID_NUMBER: &str = "lastIdNumber";
