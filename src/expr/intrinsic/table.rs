//! The table of the intrinsic functions. Each has one row here, and one arm of `Node::apply`.

use super::Function;

/// The kind of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Any,
    String,
    Number,
    Boolean,
    Null,
    Array,
    /// An array of numbers, of strings.
    Numbers,
    Strings,
    Object,
}

/// The facts about a function that are known without running it.
#[derive(Debug)]
pub(crate) struct Intrinsic {
    pub(super) function: Function,
    /// Its name, with `States.`.
    pub(crate) name: &'static str,
    /// The names of its parameters, as an editor shows them.
    pub(crate) parameters: &'static str,
    /// A sentence that says what it returns.
    pub(crate) sentence: &'static str,
    /// The kinds of its parameters.
    pub(super) kinds: &'static [Kind],
    /// The number of optional parameters, which are the last ones.
    optional: usize,
    /// Whether any number of further arguments may follow.
    variadic: bool,
    pub(super) result: Kind,
}

const fn row(
    function: Function,
    name: &'static str,
    parameters: &'static str,
    sentence: &'static str,
    kinds: &'static [Kind],
    result: Kind,
) -> Intrinsic {
    Intrinsic { function, name, parameters, sentence, kinds, optional: 0, variadic: false, result }
}

impl Intrinsic {
    const fn variadic(self) -> Intrinsic {
        Intrinsic { variadic: true, ..self }
    }

    const fn optional(self, optional: usize) -> Intrinsic {
        Intrinsic { optional, ..self }
    }

    /// Returns the function with this name, which includes `States.`.
    pub(crate) fn named(name: &str) -> Option<&'static Intrinsic> {
        INTRINSICS.iter().find(|row| row.name == name)
    }

    /// The minimum and the maximum number of arguments.
    pub(super) fn arity(&self) -> (usize, Option<usize>) {
        (self.kinds.len() - self.optional, (!self.variadic).then_some(self.kinds.len()))
    }

    /// Whether ErrorPath and CausePath may call it: it returns a string, or an item that may be one (spec §1.4).
    pub(crate) fn may_give_a_string(&self) -> bool {
        self.result == Kind::String || self.function == Function::ArrayGetItem
    }
}

use Kind::{Any, Array, Boolean, Number, Numbers, Object, String, Strings};

/// The functions of AWS (spec §4), in the order of its documentation.
#[rustfmt::skip]
pub(crate) static INTRINSICS: &[Intrinsic] = &[
    row(Function::Format, "States.Format", "template, value…", "Puts the values in place of each `{}`.", &[String], String).variadic(),
    row(Function::StringToJson, "States.StringToJson", "text", "The value of a JSON text.", &[String], Any),
    row(Function::JsonToString, "States.JsonToString", "value", "The JSON text of a value.", &[Any], String),
    row(Function::Array, "States.Array", "value…", "The list of its arguments.", &[], Array).variadic(),
    row(Function::ArrayPartition, "States.ArrayPartition", "list, size", "The list, split into lists of at most this size.", &[Array, Number], Array),
    row(Function::ArrayContains, "States.ArrayContains", "list, value", "Whether the list contains the value.", &[Array, Any], Boolean),
    row(Function::ArrayRange, "States.ArrayRange", "first, last, step", "The numbers from first to last; at most 1,000.", &[Number, Number, Number], Numbers),
    row(Function::ArrayGetItem, "States.ArrayGetItem", "list, index", "The item at an index, from 0.", &[Array, Number], Any),
    row(Function::ArrayLength, "States.ArrayLength", "list", "How many items the list has.", &[Array], Number),
    row(Function::ArrayUnique, "States.ArrayUnique", "list", "The list without duplicates.", &[Array], Array),
    row(Function::Base64Encode, "States.Base64Encode", "text", "The text in Base64.", &[String], String),
    row(Function::Base64Decode, "States.Base64Decode", "text", "The text that is encoded in Base64.", &[String], String),
    row(Function::Hash, "States.Hash", "data, algorithm", "The hash as hexadecimal digits: MD5, SHA-1, SHA-256, SHA-384 or SHA-512.", &[Any, String], String),
    row(Function::JsonMerge, "States.JsonMerge", "first, second, false", "The members of both objects; those of the second override those of the first.", &[Object, Object, Any], Object),
    row(Function::MathRandom, "States.MathRandom", "from, to, seed?", "A random integer, from included, to excluded.", &[Number, Number, Number], Number).optional(1),
    row(Function::MathAdd, "States.MathAdd", "a, b", "The sum of two integers.", &[Number, Number], Number),
    row(Function::StringSplit, "States.StringSplit", "text, delimiters", "The parts of the text between any of these characters.", &[String, String], Strings),
    row(Function::Uuid, "States.UUID", "", "A random version 4 UUID.", &[], String),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_one_row() {
        for (i, row) in INTRINSICS.iter().enumerate() {
            assert!(INTRINSICS[..i].iter().all(|other| other.function != row.function && other.name != row.name), "{}", row.name);
            assert_eq!(row.function.name(), row.name);
            let shown = if row.parameters.is_empty() { 0 } else { row.parameters.split(", ").count() };
            let (least, most) = row.arity();
            assert!(least <= shown && most.is_none_or(|most| most == shown), "{}: {}", row.name, row.parameters);
            assert!(row.sentence.ends_with('.'), "{}", row.name);
        }
    }
}
