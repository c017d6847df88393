//! A folder has a limited number of files.

use std::collections::BTreeMap;

use crate::workspace::finding::Finding;

const MAX_FILES: usize = 16;

pub(crate) fn findings<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<Finding> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, _) in paths.into_iter().filter_map(|path| path.rsplit_once('/')) {
        *sizes.entry(folder).or_default() += 1;
    }
    let large = sizes.into_iter().filter(|(_, files)| *files > MAX_FILES);
    large
        .map(|(folder, files)| Finding {
            path: folder.to_owned(),
            line: 1,
            message: format!("{files} Rust files in one folder; group them (at most {MAX_FILES})"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(files: usize) -> Vec<String> {
        let paths: Vec<String> = (0..files).map(|file| format!("c/src/{file}.rs")).collect();
        let paths = paths.iter().map(String::as_str).chain(["c/src/below/a.rs", "lone.rs"]);
        findings(paths).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_folder_above_the_limit_is_found() {
        let message = "c/src:1: 17 Rust files in one folder; group them (at most 16)";
        assert_eq!(shown(17), [message]);
        assert_eq!(shown(16), [""; 0]);
    }
}
