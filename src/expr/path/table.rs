//! Which form of a path AWS supports in which field. All differences between the fields are in this table: the parser records
//! the forms of a path, the evaluation looks them up here, and docs/jsonpath.md has a copy of the table, which a test compares.

use std::fmt::Write;

/// A form of a path that AWS does not treat alike in all fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `$` if the input is null.
    NullRoot,
    /// Any longer path if the input is null.
    NullDocument,
    /// `$.a.b`, `$['a']`
    Name,
    /// `$.a[0]`
    Index,
    /// `$.a[5]` for a shorter array.
    IndexBeyond,
    /// `$.a[-1]`
    NegativeIndex,
    /// `$.a[(@.length-1)]`
    FromEnd,
    /// `$.a[0,1]`
    Indexes,
    /// `$.a[1:]`
    Slice,
    /// `$.a[*]`
    Wildcard,
    /// `$..a`
    Descend,
    /// `$.a[?(@.b > 1)]`
    Filter,
    /// `$.a[?(!@.b)]`, with `b` null
    NullNegation,
    /// `$['a','b']`
    LeafNames,
    /// `$['a','b'].v`
    InnerNames,
    /// `.length()`, `.size()`
    Length,
    /// `.sum()` and the other functions
    Function,
}

/// The reader of a path. All fields with the same reader treat paths alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reader {
    /// InputPath and OutputPath.
    #[default]
    Path,
    /// A `.$` member of a payload template.
    Template,
    /// An argument of an intrinsic function.
    Argument,
    /// Every field that takes a Reference Path.
    Reference,
}

impl Reader {
    pub(super) const ALL: [Reader; 4] = [Reader::Path, Reader::Template, Reader::Argument, Reader::Reference];

    /// The reader's name, for tools.
    pub(super) fn name(self) -> &'static str {
        match self {
            Reader::Path => "path",
            Reader::Template => "template",
            Reader::Argument => "argument",
            Reader::Reference => "reference",
        }
    }
}

/// The outcome of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It selects the named values.
    Selects,
    /// It is null.
    Null,
    /// It fails like a path that finds nothing in that field.
    NotFound,
    /// It fails: `Multi properties can only be used as path leafs`.
    LeafsOnly,
    /// It fails: `Unable to apply Path transformation to null or empty input.`
    NullInput,
    /// The definition is refused.
    Refused,
}

/// How certain a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Certainty {
    /// The fact is AWS's own answer in a recording, or has several sources.
    High,
    /// The fact is AWS's own answer, published by one source.
    Medium,
    /// The fact is from another tool, or from one user's statement.
    Low,
}

/// A column of the table for readers of the documentation, who search for a field and not for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    InputPath,
    OutputPath,
    ResultPath,
    ItemsPath,
    Variable,
    OtherPaths,
    Parameters,
    ResultSelector,
    Arguments,
}

/// The evidence for a fact: the field, how certain it is, and the source.
type Evidence = (Field, Certainty, &'static str);

struct Row {
    form: Form,
    /// An example of the form, for the documentation.
    example: &'static str,
    path: Outcome,
    template: Outcome,
    argument: Outcome,
    reference: Outcome,
    evidence: &'static [Evidence],
}

use Certainty::{High, Low, Medium};
use Outcome::{LeafsOnly, NotFound, Null, NullInput, Refused, Selects};

const RECORDED: &str = "recordings";
const SPECIFICATION: &str = "the specification's examples";
const GUIDE: &str = "AWS's developer guide";

/// Creates a row with the outcomes for InputPath, payload templates, intrinsic arguments and Reference Paths.
const fn row(form: Form, example: &'static str, outcomes: [Outcome; 4], evidence: &'static [Evidence]) -> Row {
    let [path, template, argument, reference] = outcomes;
    Row { form, example, path, template, argument, reference, evidence }
}

/// The rows, in the order of [`Form`].
static ROWS: [Row; 17] = [
    row(
        Form::NullRoot,
        "`$`, the input is null",
        [Selects, NullInput, NullInput, NullInput],
        &[
            (Field::InputPath, High, RECORDED),
            (Field::OutputPath, High, RECORDED),
            (Field::Variable, Medium, "states-language 29"),
            (Field::Parameters, Medium, "a public question"),
        ],
    ),
    row(Form::NullDocument, "`$.a`, the input is null", [NullInput, NullInput, NullInput, NullInput], &[]),
    row(
        Form::Name,
        "`$.a.b`, `$['a']`",
        [Selects, Selects, Selects, Selects],
        &[
            (Field::InputPath, High, RECORDED),
            (Field::OutputPath, High, RECORDED),
            (Field::ResultPath, High, RECORDED),
            (Field::ItemsPath, High, RECORDED),
            (Field::Variable, High, RECORDED),
            (Field::OtherPaths, High, RECORDED),
            (Field::Parameters, High, RECORDED),
            (Field::ResultSelector, High, RECORDED),
            (Field::Arguments, High, RECORDED),
        ],
    ),
    row(
        Form::Index,
        "`$.a[0]`",
        [Selects, Selects, Selects, Selects],
        &[(Field::Parameters, High, RECORDED), (Field::ItemsPath, Medium, SPECIFICATION)],
    ),
    row(
        Form::IndexBeyond,
        "`$.a[5]` of a shorter array",
        [NotFound, Null, NotFound, NotFound],
        &[(Field::Parameters, Medium, "floci 3167"), (Field::Arguments, Medium, "floci 3167")],
    ),
    row(
        Form::NegativeIndex,
        "`$.a[-1]`",
        [Selects, NotFound, NotFound, Selects],
        &[(Field::Parameters, Medium, "an article of 2024")],
    ),
    row(
        Form::FromEnd,
        "`$.a[(@.length-1)]`",
        [Selects, Selects, Selects, Refused],
        &[(Field::OutputPath, High, "asl-validator 90"), (Field::Parameters, High, "an article of 2024")],
    ),
    row(
        Form::Indexes,
        "`$.a[0,1]`",
        [Selects, Selects, Selects, Refused],
        &[
            (Field::InputPath, High, SPECIFICATION),
            (Field::OutputPath, High, SPECIFICATION),
            (Field::ResultPath, High, GUIDE),
            (Field::ItemsPath, High, GUIDE),
        ],
    ),
    row(
        Form::Slice,
        "`$.a[1:]`, `$.a[:1]`",
        [Selects, Selects, Selects, Refused],
        &[
            (Field::InputPath, High, GUIDE),
            (Field::Parameters, High, RECORDED),
            (Field::ResultPath, High, GUIDE),
            (Field::ItemsPath, High, GUIDE),
        ],
    ),
    row(Form::Wildcard, "`$.a[*]`", [Selects, Selects, Selects, Refused], &[(Field::Parameters, High, RECORDED)]),
    row(
        Form::Descend,
        "`$..a`",
        [Selects, Selects, Selects, Refused],
        &[(Field::Parameters, High, "recordings of Assign"), (Field::ResultPath, High, GUIDE), (Field::ItemsPath, High, GUIDE)],
    ),
    row(
        Form::Filter,
        "`$.a[?(@.b > 1)]`",
        [Selects, Selects, Selects, Refused],
        &[(Field::Parameters, High, RECORDED), (Field::ResultPath, High, GUIDE), (Field::ItemsPath, High, GUIDE)],
    ),
    row(
        Form::NullNegation,
        "`$.a[?(!@.b)]`, `b` is null",
        [Selects, Selects, Selects, Refused],
        &[(Field::Parameters, Low, "floci 3480")],
    ),
    row(
        Form::LeafNames,
        "`$['a','b']`",
        [Selects, Selects, Selects, Refused],
        &[(Field::InputPath, Medium, "a gist of 2023"), (Field::ResultPath, High, GUIDE), (Field::ItemsPath, High, GUIDE)],
    ),
    row(
        Form::InnerNames,
        "`$['a','b'].v`",
        [LeafsOnly, Selects, Selects, Refused],
        &[(Field::InputPath, Medium, "a gist of 2023"), (Field::ResultPath, High, GUIDE), (Field::ItemsPath, High, GUIDE)],
    ),
    row(
        Form::Length,
        "`$.a.length()`",
        [Selects, Selects, Selects, Refused],
        &[(Field::ResultPath, High, GUIDE), (Field::ItemsPath, High, GUIDE)],
    ),
    row(
        Form::Function,
        "`$.a.sum()`, also `min`, `max`, `avg`, `stddev`, `first`, `last`, `index`, `concat`, `append`, `keys`",
        [Selects, NotFound, NotFound, Refused],
        &[(Field::Parameters, Medium, "re:Post"), (Field::ResultPath, High, GUIDE), (Field::ItemsPath, High, GUIDE)],
    ),
];

/// Returns the outcome of a form in the fields of a reader.
pub(super) fn outcome(form: Form, reader: Reader) -> Outcome {
    // Invariant: there is a row for every form, in the order of the forms; a test checks this.
    let Some(row) = ROWS.get(form as usize) else { return Selects };
    match reader {
        Reader::Path => row.path,
        Reader::Template => row.template,
        Reader::Argument => row.argument,
        Reader::Reference => row.reference,
    }
}

impl Field {
    const ALL: [Field; 9] = [
        Field::InputPath,
        Field::OutputPath,
        Field::ResultPath,
        Field::ItemsPath,
        Field::Variable,
        Field::OtherPaths,
        Field::Parameters,
        Field::ResultSelector,
        Field::Arguments,
    ];

    fn title(self) -> &'static str {
        match self {
            Field::InputPath => "InputPath",
            Field::OutputPath => "OutputPath",
            Field::ResultPath => "ResultPath",
            Field::ItemsPath => "ItemsPath",
            Field::Variable => "Variable",
            Field::OtherPaths => "other `…Path`",
            Field::Parameters => "Parameters",
            Field::ResultSelector => "ResultSelector",
            Field::Arguments => "intrinsic argument",
        }
    }

    fn reader(self) -> Reader {
        match self {
            Field::InputPath | Field::OutputPath => Reader::Path,
            Field::Parameters | Field::ResultSelector => Reader::Template,
            Field::Arguments => Reader::Argument,
            Field::ResultPath | Field::ItemsPath | Field::Variable | Field::OtherPaths => Reader::Reference,
        }
    }
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Selects => "yes",
            Null => "null",
            NotFound => "not found",
            LeafsOnly => "leafs only",
            NullInput => "null input",
            Refused => "refused",
        }
    }
}

/// Returns which form of a path AWS supports in which field, and how certain that is, as a table in Markdown. docs/jsonpath.md
/// explains it.
///
/// ```
/// assert!(stepglass::expr::path::forms_by_field().contains("| `$.a[-1]` |"));
/// ```
pub fn forms_by_field() -> String {
    let mut text = String::from("| form |");
    for field in Field::ALL {
        // Writing to a String cannot fail.
        let _ = write!(text, " {} |", field.title());
    }
    text.push_str(" source |\n|");
    text.push_str(&"---|".repeat(Field::ALL.len() + 2));
    text.push('\n');
    for row in &ROWS {
        let _ = write!(text, "| {} |", row.example);
        for field in Field::ALL {
            // A ResultPath is written and not read, so reading forms do not apply; and a null input is not an array.
            let unasked = match field {
                Field::ResultPath => matches!(row.form, Form::NullRoot | Form::NullDocument | Form::IndexBeyond),
                Field::ItemsPath => row.form == Form::NullRoot,
                _ => false,
            };
            if unasked {
                text.push_str(" – |");
                continue;
            }
            let word = outcome(row.form, field.reader()).word();
            let mark = match row.evidence.iter().find(|(of, ..)| *of == field) {
                Some((_, High, _)) => "",
                Some((_, Medium, _)) => " (M)",
                Some((_, Low, _)) => " (L)",
                None => " ?",
            };
            let _ = write!(text, " {word}{mark} |");
        }
        let mut sources: Vec<&str> = Vec::new();
        for (.., source) in row.evidence {
            if !sources.contains(source) {
                sources.push(source);
            }
        }
        let _ = writeln!(text, " {} |", sources.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_its_row() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.form as usize, i, "{:?}", row.form);
        }
        assert_eq!(Form::Function as usize + 1, ROWS.len());
    }

    /// Run with `UPDATE_EXPECT=1` to write the page.
    #[test]
    fn the_documentation_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/jsonpath.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (before, rest) = page.split_once("<!-- table -->\n").unwrap();
        let (_, after) = rest.split_once("<!-- /table -->").unwrap();
        let expected = format!("{before}<!-- table -->\n{}<!-- /table -->{after}", forms_by_field());
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, &expected).unwrap();
        } else {
            assert_eq!(page, expected, "UPDATE_EXPECT=1 cargo test --lib path::table writes the table");
        }
    }
}
