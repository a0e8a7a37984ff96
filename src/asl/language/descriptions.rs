//! A sentence about every field, type, error name and function. It is one table of text, which is parsed when it is needed.

/// The table: sections of lines `name|sentence`, where functions have their parameters in the name.
static DESCRIPTIONS: &str = include_str!("descriptions.txt");

/// The sections of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Fields,
    Types,
    Errors,
    Jsonata,
    Paths,
}

fn lines(section: Section) -> impl Iterator<Item = (&'static str, &'static str)> {
    let title = match section {
        Section::Fields => "# fields",
        Section::Types => "# types",
        Section::Errors => "# errors",
        Section::Jsonata => "# jsonata",
        Section::Paths => "# paths",
    };
    let rest = DESCRIPTIONS.lines().skip_while(move |line| *line != title).skip(1);
    rest.take_while(|line| !line.starts_with("# ")).filter_map(|line| line.split_once('|'))
}

/// Returns the entry of a name: the name with its parameters, and the sentence.
pub(super) fn about(section: Section, name: &str) -> Option<(&'static str, &'static str)> {
    lines(section).find(|(known, _)| *known == name || known.split_once('(').is_some_and(|(head, _)| head == name))
}

#[cfg(test)]
mod tests {
    use super::super::super::complete::{ERRORS, operators};
    use super::super::super::shape;
    use super::*;
    use crate::expr::jsonata::function_names;

    #[test]
    fn every_name_has_a_description() {
        let shapes = [
            &shape::MACHINE,
            &shape::BRANCH,
            &shape::PROCESSOR,
            &shape::PROCESSOR_CONFIG,
            &shape::ITEM_READER,
            &shape::READER_CONFIG,
            &shape::ITEM_BATCHER,
            &shape::RESULT_WRITER,
            &shape::WRITER_CONFIG,
            &shape::RETRIER,
            &shape::CATCHER,
            &shape::JSONPATH_RULE,
            &shape::JSONATA_RULE,
        ];
        for row in shapes.into_iter().chain(&shape::STATES).flat_map(shape::Shape::fields) {
            assert!(about(Section::Fields, row.name).is_some(), "field {}", row.name);
        }
        for name in operators() {
            let comparison = ["String", "Numeric", "Timestamp", "Boolean"].iter().any(|family| name.starts_with(family));
            assert!(comparison || about(Section::Fields, &name).is_some(), "operator {name}");
        }
        for name in shape::STATE_TYPES {
            assert!(about(Section::Types, name).is_some(), "type {name}");
        }
        for name in function_names().filter(|name| *name != "eval") {
            assert!(about(Section::Jsonata, name).is_some(), "${name}");
        }
        // The table has no entries for functions that do not exist.
        assert!(lines(Section::Jsonata).all(|(name, _)| function_names().any(|known| name.starts_with(&format!("{known}(")))));
        assert!(lines(Section::Errors).all(|(name, _)| ERRORS.iter().all(|(known, _)| *known != name)));
    }
}
