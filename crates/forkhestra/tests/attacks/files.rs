//! Links, special files, and files of other users in the places of ours.
