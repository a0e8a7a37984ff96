//! The surroundings of a value: the shape of the object, the query language, the scope.

use super::super::ir::QueryLanguage;
use super::super::shape::{self, Shape};
use super::document::Document;

/// The surroundings of a position.
#[derive(Clone, Copy)]
pub(in crate::asl) struct Surroundings {
    /// The fields that the object may have; `None` in a payload.
    pub shape: Option<&'static Shape>,
    pub language: QueryLanguage,
    /// The `States` object whose states transitions can lead to.
    pub states: Option<usize>,
    /// The enclosing state.
    pub state: Option<usize>,
    /// Whether it is a Choice rule.
    pub rule: bool,
    /// Whether it is a list of error names.
    pub errors: bool,
}

impl Document<'_> {
    /// The field of a state that contains a value; `None` for the state itself and for values elsewhere.
    pub(crate) fn field_of(&self, state: usize, node: usize) -> Option<&str> {
        self.path_to(node).iter().skip_while(|id| **id != state).nth(1).map(|id| self.name(*id))
    }

    /// Determines the surroundings of an object or list by following the path to it from the root.
    pub(crate) fn surroundings(&self, level: usize) -> Surroundings {
        let path = self.path_to(level);
        let language = |text: Option<&str>| match text {
            Some("JSONata") => Some(QueryLanguage::Jsonata),
            Some("JSONPath") => Some(QueryLanguage::JsonPath),
            _ => None,
        };
        let own = path.first().and_then(|root| language(self.text_of(*root, "QueryLanguage"))).unwrap_or(QueryLanguage::JsonPath);
        let mut place =
            Surroundings { shape: Some(&shape::MACHINE), language: own, states: None, state: None, rule: false, errors: false };
        let mut in_states = false;
        for (depth, &level) in path.iter().enumerate() {
            if depth == 0 {
                place.states = self.child(level, "States");
                continue;
            }
            if std::mem::take(&mut in_states) {
                place.shape = self.text_of(level, "Type").and_then(shape::state).or(Some(&shape::UNTYPED));
                place.state = Some(level);
                place.language = language(self.text_of(level, "QueryLanguage")).unwrap_or(own);
                continue;
            }
            let listed = path.get(depth - 1).map_or("", |parent| self.name(*parent));
            place.rule = false;
            // Names within a payload are not fields.
            if place.shape.is_none() && !matches!(listed, "Branches" | "Retry" | "Catch" | "Choices" | "And" | "Or" | "Not") {
                continue;
            }
            match (self.name(level), listed) {
                ("States", _) => {
                    in_states = true;
                    place.shape = None;
                    place.states = Some(level);
                }
                ("ItemProcessor" | "Iterator", _) => {
                    place.shape = Some(&shape::PROCESSOR);
                    place.states = self.child(level, "States");
                    place.language = own;
                }
                ("ProcessorConfig", _) => place.shape = Some(&shape::PROCESSOR_CONFIG),
                ("ItemReader", _) => place.shape = Some(&shape::ITEM_READER),
                ("ReaderConfig", _) => place.shape = Some(&shape::READER_CONFIG),
                ("ItemBatcher", _) => place.shape = Some(&shape::ITEM_BATCHER),
                ("ResultWriter", _) => place.shape = Some(&shape::RESULT_WRITER),
                ("WriterConfig", _) => place.shape = Some(&shape::WRITER_CONFIG),
                ("ErrorEquals", _) => {
                    place.shape = None;
                    place.errors = true;
                }
                ("", "Branches") => {
                    place.shape = Some(&shape::BRANCH);
                    place.states = self.child(level, "States");
                    place.language = own;
                }
                ("", "Retry") => place.shape = Some(&shape::RETRIER),
                ("", "Catch") => place.shape = Some(&shape::CATCHER),
                ("", "Choices" | "And" | "Or") | ("Not", _) => {
                    place.rule = true;
                    place.shape =
                        Some(if place.language == QueryLanguage::Jsonata { &shape::JSONATA_RULE } else { &shape::JSONPATH_RULE });
                }
                _ => place.shape = None,
            }
        }
        place
    }
}
