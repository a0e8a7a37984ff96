//! CSV as Step Functions reads it (spec §7.6): fields are strings, quotes may contain delimiters and newlines, and a backslash
//! escapes.

use crate::base::{Map, Value};
use std::sync::Arc;

/// Returns how to read the rows of a file: the headers, the delimiter, and the byte offset of the first row.
pub(super) fn open(text: &str, config: Option<&Value>) -> Result<(Vec<Arc<str>>, char, usize), String> {
    let setting = |name: &str| config.and_then(|c| c.get(name));
    let delimiter = match setting("CSVDelimiter").and_then(Value::as_str) {
        Some("PIPE") => '|',
        Some("SEMICOLON") => ';',
        Some("SPACE") => ' ',
        Some("TAB") => '\t',
        _ => ',',
    };
    let begin = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let (headers, begin): (Vec<Arc<str>>, usize) = if setting("CSVHeaderLocation").and_then(Value::as_str) == Some("GIVEN") {
        let given = setting("CSVHeaders").and_then(Value::as_array).unwrap_or_default();
        (given.iter().filter_map(Value::as_str).map(Arc::from).collect(), begin)
    } else {
        let (first, end) = row(text, begin, delimiter).unwrap_or_default();
        (first.into_iter().map(Arc::from).collect(), end.max(begin))
    };
    for (i, header) in headers.iter().enumerate() {
        if headers[..i].contains(header) {
            return Err("CSV headers cannot contain duplicates.".into());
        }
    }
    Ok((headers, delimiter, begin))
}

/// Returns a row as an object. Missing fields are `""`, and surplus fields are dropped.
pub(super) fn item(headers: &[Arc<str>], row: Vec<String>) -> Value {
    let mut fields = row.into_iter();
    Value::from(headers.iter().map(|h| (h.clone(), Value::from(fields.next().unwrap_or_default()))).collect::<Map>())
}

/// Returns the row that begins at a byte offset, and the offset of the next one. A line end at the end of the file does not
/// begin another row.
pub(super) fn row(text: &str, at: usize, delimiter: char) -> Option<(Vec<String>, usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let mut chars = rest.char_indices().peekable();
    let (mut row, mut field, mut quoted) = (Vec::new(), String::new(), false);
    while let Some((place, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match c {
            // A doubled quote is one quote inside of quotes, and after the first character of an unquoted field. At the
            // beginning of an unquoted field, two quotes are an empty quoted field.
            '"' if next == Some('"') && (quoted || !field.is_empty()) => {
                chars.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            // Before any other character the backslash is dropped.
            '\\' => {
                if let Some(next) = next.filter(|next| *next == '\\' || *next == '"' || *next == delimiter) {
                    chars.next();
                    field.push(next);
                }
            }
            c if quoted => field.push(c),
            c if c == delimiter => row.push(std::mem::take(&mut field)),
            '\r' if next == Some('\n') => {}
            '\n' => {
                row.push(field);
                return Some((row, at + place + 1));
            }
            c => field.push(c),
        }
    }
    row.push(field);
    Some((row, text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    #[test]
    fn rows() {
        let check = |text: &str, config: &str, expected: &str| {
            let items = open(text, Some(&json::parse(config).unwrap())).map(|(headers, delimiter, begin)| {
                let rows = std::iter::successors(row(text, begin, delimiter), |(_, end)| row(text, *end, delimiter));
                Value::from(rows.map(|(row, _)| item(&headers, row)).collect::<Vec<_>>())
            });
            assert_eq!(items.map_or_else(|e| e, |v| v.to_string()), expected, "{text:?}");
        };
        let first = r#"{"CSVHeaderLocation":"FIRST_ROW"}"#;
        check("a,b\n1,2\n", first, r#"[{"a":"1","b":"2"}]"#);
        check("a,b\r\n1\r\n1,2,3\r\n", first, r#"[{"a":"1","b":""},{"a":"1","b":"2"}]"#);
        check("a\n\"x,\"\"y\"\"\nz\"\n", first, r#"[{"a":"x,\"y\"\nz"}]"#);
        check("a,b\nx \"\"y\"\" z,5\"\"\n", first, r#"[{"a":"x \"y\" z","b":"5\""}]"#);
        check("a,b\n\"\",\"\"\"q\"\"\"\n", first, r#"[{"a":"","b":"\"q\""}]"#);
        check("a,b\n5\" x,6\n", first, r#"[{"a":"5\" x","b":"6"}]"#);
        check("a,b\n\\\"q\\\\,w\\,x\n", first, r#"[{"a":"\"q\\","b":"w,x"}]"#);
        check("1|2\n", r#"{"CSVHeaderLocation":"GIVEN","CSVHeaders":["x","y"],"CSVDelimiter":"PIPE"}"#, r#"[{"x":"1","y":"2"}]"#);
        check("1\n", r#"{"CSVHeaderLocation":"GIVEN","CSVHeaders":["x","x"]}"#, "CSV headers cannot contain duplicates.");
        check("", first, "[]");
    }
}
