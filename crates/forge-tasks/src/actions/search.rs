//! Finding tasks by words.

use crate::database::StoredFile;
use crate::document::Task;

/// Words that must all occur in a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    words: Vec<String>,
}

/// The rank of a task in the results, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SearchRank {
    /// The title has the words as they were typed, in a row.
    PhraseInTitle,
    /// The title has all words.
    WordsInTitle,
    /// The words are in the title, the description, the criteria, the plan or the notes.
    Elsewhere,
}

impl SearchQuery {
    /// Splits a query into words; `None` if it has none.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// The rank of a task; `None` if it does not match.
    pub fn fit(&self, task: &Task) -> Option<SearchRank> {
        let title = task.front.title.to_lowercase();
        if self.words.iter().all(|word| title.contains(word)) {
            let title_words = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let has_phrase = title_words.contains(&self.words.join(" "));
            return Some(if has_phrase {
                SearchRank::PhraseInTitle
            } else {
                SearchRank::WordsInTitle
            });
        }
        let body = &task.body;
        let texts = [&body.description, &body.plan, &body.notes];
        let mut texts: Vec<String> =
            texts.into_iter().flatten().map(|text| text.to_lowercase()).collect();
        texts.extend(body.criteria.iter().map(|criterion| criterion.text.to_lowercase()));
        texts.push(title);
        let occurs = |word: &String| texts.iter().any(|text| text.contains(word));
        self.words.iter().all(occurs).then_some(SearchRank::Elsewhere)
    }
}

/// The matching tasks, the best first. The order of equal ranks stays.
pub fn search(tasks: Vec<StoredFile<Task>>, query: &SearchQuery) -> Vec<StoredFile<Task>> {
    let fits = tasks.into_iter().filter_map(|task| Some((query.fit(&task.content)?, task)));
    let mut fits: Vec<(SearchRank, StoredFile<Task>)> = fits.collect();
    fits.sort_by_key(|(fit, _)| *fit);
    fits.into_iter().map(|(_, task)| task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing;
    use crate::database::TaskDirectory;
    use crate::document::{Criterion, TaskBody};

    fn task(id: &str, title: &str) -> Task {
        let mut front = testing::task(id).content;
        front.title = title.to_owned();
        Task { front, body: TaskBody::default(), raw: String::new() }
    }

    fn sample(id: &str, title: &str, description: &str) -> StoredFile<Task> {
        let mut content = task(id, title);
        content.body.description = Some(description.to_owned());
        StoredFile { directory: TaskDirectory::Tasks, file: format!("{id}.md"), content }
    }

    fn found(query: &str) -> Vec<String> {
        let tasks = vec![
            sample("TASK-001", "Docs", "About the Parser and its line ends"),
            sample("TASK-002", "Ends of a line", ""),
            sample("TASK-003", "Fix LINE  ends", "ÄPFEL"),
            sample("TASK-004", "Parser", "line"),
        ];
        let query = SearchQuery::parse(query).expect("there are words");
        let found = search(tasks, &query).into_iter();
        found.map(|task| task.content.front.id.to_string()).collect()
    }

    #[test]
    fn titles_with_the_phrase_come_first_then_titles_with_the_words_then_the_rest() {
        assert_eq!(found("line ends"), ["TASK-003", "TASK-002", "TASK-001"]);
    }

    #[test]
    fn every_word_must_occur_somewhere_in_any_case() {
        assert_eq!(found("PARSER line"), ["TASK-001", "TASK-004"]);
        assert_eq!(found("äpfel"), ["TASK-003"]);
        assert!(found("parser zebra").is_empty());
    }

    #[test]
    fn criteria_plan_and_notes_are_searched_and_labels_are_not() {
        let query = SearchQuery::parse("zebra").expect("there is a word");
        let mut task = task("TASK-001", "x");
        task.front.labels = vec!["zebra".to_owned()];
        assert_eq!(query.fit(&task), None);
        task.body.plan = Some("a zebra".to_owned());
        assert_eq!(query.fit(&task), Some(SearchRank::Elsewhere));
        task.body.plan = None;
        let text = "A zebra is drawn".to_owned();
        task.body.criteria = vec![Criterion { index: 1, text, checked: false }];
        assert_eq!(query.fit(&task), Some(SearchRank::Elsewhere));
        task.body.criteria.clear();
        task.body.notes = Some("Zebras".to_owned());
        assert_eq!(query.fit(&task), Some(SearchRank::Elsewhere));
    }

    #[test]
    fn a_blank_text_is_no_query() {
        assert_eq!(SearchQuery::parse(" \n"), None);
    }
}
