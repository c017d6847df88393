//! Tasks that can be reached from others, without reading all of them.

use std::collections::{HashMap, HashSet};

use super::files::file_name::id_of;
use super::files::list_files::{TaskFileName, TaskFileNames};
use super::read::FrontReader;
use super::{Database, DatabaseError, DatabaseWriter, DirectoryListing, StoredFile, TaskScope};
use crate::IdQuery;
use crate::document::FrontMatter;

impl DatabaseWriter {
    /// These tasks, the tasks that they refer to, and so on. The result may contain others.
    ///
    /// Files are found by their names. If a name does not match its id, or a number has no file,
    /// all files are read.
    pub fn reachable(
        &self,
        from: &[IdQuery],
        references: fn(&FrontMatter) -> Vec<&str>,
    ) -> Result<DirectoryListing<FrontMatter>, DatabaseError> {
        if from.is_empty() {
            return Ok(DirectoryListing { tasks: Vec::new(), broken: Vec::new() });
        }
        let database = self.database();
        match database.follow(from, references)? {
            Some(listing) => Ok(listing),
            None => database.fronts(TaskScope::All),
        }
    }
}

impl Database {
    fn follow(
        &self,
        from: &[IdQuery],
        references: fn(&FrontMatter) -> Vec<&str>,
    ) -> Result<Option<DirectoryListing<FrontMatter>>, DatabaseError> {
        let look = TaskFileNames::at_all(&self.folder)?;
        let mut by_number: HashMap<u64, Vec<&TaskFileName>> =
            HashMap::with_capacity(look.names.len());
        for name in &look.names {
            let Some(id) = id_of(&name.file) else { return Ok(None) };
            by_number.entry(id.number()).or_default().push(name);
        }
        let mut reader = FrontReader::new();
        let mut tasks = Vec::new();
        let mut seen: HashSet<u64> = HashSet::new();
        let mut wanted: Vec<u64> = from.iter().map(IdQuery::number).collect();
        while let Some(number) = wanted.pop() {
            if !seen.insert(number) {
                continue;
            }
            let Some(names) = by_number.get(&number) else { return Ok(None) };
            for name in names {
                let folder = look.folder(name.shelf).expect("it is where the name was found");
                let Ok(front) = reader.read(folder, name) else { return Ok(None) };
                if front.id.number() != number {
                    return Ok(None);
                }
                let referred = references(&front).into_iter();
                wanted
                    .extend(referred.filter_map(|text| Some(IdQuery::parse(text).ok()?.number())));
                tasks.push(StoredFile {
                    shelf: name.shelf,
                    file: name.file.clone(),
                    content: front,
                });
            }
        }
        tasks.sort_by(|one, other| {
            (&one.content.id, &one.file).cmp(&(&other.content.id, &other.file))
        });
        Ok(Some(DirectoryListing { tasks, broken: Vec::new() }))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn dependencies(task: &FrontMatter) -> Vec<&str> {
        task.dependencies.iter().map(String::as_str).collect()
    }

    fn from_one(writer: &DatabaseWriter) -> Result<DirectoryListing<FrontMatter>, DatabaseError> {
        writer.reachable(&[IdQuery::parse("1").expect("it is one")], dependencies)
    }

    /// The ids reachable from `TASK-1` in a directory of files with these dependencies.
    fn reached(files: &[(&str, &str, &str)]) -> Vec<String> {
        let directory = tempfile::tempdir().expect("there is room");
        for (name, id, depends_on) in files {
            let text =
                format!("---\nid: {id}\ntitle: T\nstatus: todo\ndependencies: {depends_on}\n---\n");
            fs::write(directory.path().join(name), text).expect("there is room");
        }
        let writer = DatabaseWriter::open(directory.path()).expect("it is ours");
        let found = from_one(&writer).expect("it can be read");
        found.tasks.iter().map(|task| task.content.id.to_string()).collect()
    }

    #[test]
    fn only_what_is_referred_to_is_read() {
        let files = [
            ("TASK-1 - a.md", "TASK-1", "[TASK-3]"),
            ("TASK-2 - b.md", "TASK-2", "[]"),
            ("TASK-3 - c.md", "TASK-3", "['1', 4]"),
            ("TASK-4.md", "TASK-4", "[]"),
            ("TASK-5 - broken.md", "not an id", "[]"),
        ];
        assert_eq!(reached(&files), ["TASK-1", "TASK-3", "TASK-4"]);
    }

    #[test]
    fn nothing_is_said_of_what_is_there_if_the_archive_cannot_be_opened() {
        let directory = tempfile::tempdir().expect("there is room");
        fs::write(directory.path().join("archive"), "").expect("there is room");
        let writer = DatabaseWriter::open(directory.path()).expect("it is ours");
        assert!(matches!(from_one(&writer), Err(DatabaseError::NotAFolder { .. })));
    }

    #[test]
    fn all_are_read_if_names_prove_nothing() {
        let misnamed = [
            ("TASK-1 - a.md", "TASK-1", "[TASK-3]"),
            ("TASK-2 - b.md", "TASK-2", "[]"),
            ("mine.md", "TASK-3", "[]"),
        ];
        assert_eq!(reached(&misnamed), ["TASK-1", "TASK-2", "TASK-3"]);
        let wrong = [("TASK-1 - a.md", "TASK-7", "[]"), ("TASK-2 - b.md", "TASK-1", "[]")];
        assert_eq!(reached(&wrong), ["TASK-1", "TASK-7"]);
        let hidden = [("TASK-1 - a.md", "TASK-1", "[TASK-3]"), ("TASK-2 - b.md", "TASK-3", "[]")];
        assert_eq!(reached(&hidden), ["TASK-1", "TASK-3"]);
    }
}
