//! CSV as Step Functions reads it (spec §7.6): fields are strings, quotes may hold delimiters and newlines, a backslash
//! escapes.

use crate::base::{Map, Value};
use std::sync::Arc;

/// The rows as objects. Short rows are filled with `""`, what a long row has too much is dropped.
pub(super) fn parse(text: &str, config: Option<&Value>) -> Result<Vec<Value>, String> {
    let setting = |name: &str| config.and_then(|c| c.get(name));
    let delimiter = match setting("CSVDelimiter").and_then(Value::as_str) {
        Some("PIPE") => '|',
        Some("SEMICOLON") => ';',
        Some("SPACE") => ' ',
        Some("TAB") => '\t',
        _ => ',',
    };
    let mut rows = Rows { chars: text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable(), delimiter };
    let headers: Vec<Arc<str>> = if setting("CSVHeaderLocation").and_then(Value::as_str) == Some("GIVEN") {
        let given = setting("CSVHeaders").and_then(Value::as_array).unwrap_or_default();
        given.iter().filter_map(Value::as_str).map(Arc::from).collect()
    } else {
        rows.next().unwrap_or_default().into_iter().map(Arc::from).collect()
    };
    for (i, header) in headers.iter().enumerate() {
        if headers[..i].contains(header) {
            return Err("CSV headers cannot contain duplicates.".into());
        }
    }
    let item = |row: Vec<String>| {
        let mut fields = row.into_iter();
        Value::from(headers.iter().map(|h| (h.clone(), Value::from(fields.next().unwrap_or_default()))).collect::<Map>())
    };
    Ok(rows.map(item).collect())
}

struct Rows<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    delimiter: char,
}

impl Iterator for Rows<'_> {
    type Item = Vec<String>;

    /// The next row; a line end at the end of the file begins no further one.
    fn next(&mut self) -> Option<Vec<String>> {
        self.chars.peek()?;
        let (mut row, mut field, mut quoted) = (Vec::new(), String::new(), false);
        while let Some(c) = self.chars.next() {
            match c {
                '"' if quoted && self.chars.peek() == Some(&'"') => {
                    self.chars.next();
                    field.push('"');
                }
                '"' if quoted => quoted = false,
                '"' if field.is_empty() => quoted = true,
                // Before anything else than these a backslash just goes.
                '\\' => {
                    if let Some(&next) = self.chars.peek()
                        && (next == '\\' || next == '"' || next == self.delimiter)
                    {
                        self.chars.next();
                        field.push(next);
                    }
                }
                c if quoted => field.push(c),
                c if c == self.delimiter => row.push(std::mem::take(&mut field)),
                '\r' if self.chars.peek() == Some(&'\n') => {}
                '\n' => {
                    row.push(field);
                    return Some(row);
                }
                c => field.push(c),
            }
        }
        row.push(field);
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    #[test]
    fn rows() {
        let check = |text: &str, config: &str, expected: &str| {
            let items = parse(text, Some(&json::parse(config).unwrap())).map(Value::from);
            assert_eq!(items.map_or_else(|e| e, |v| v.to_string()), expected, "{text:?}");
        };
        let first = r#"{"CSVHeaderLocation":"FIRST_ROW"}"#;
        check("a,b\n1,2\n", first, r#"[{"a":"1","b":"2"}]"#);
        check("a,b\r\n1\r\n1,2,3\r\n", first, r#"[{"a":"1","b":""},{"a":"1","b":"2"}]"#);
        check("a\n\"x,\"\"y\"\"\nz\"\n", first, r#"[{"a":"x,\"y\"\nz"}]"#);
        check("a,b\n\\\"q\\\\,w\\,x\n", first, r#"[{"a":"\"q\\","b":"w,x"}]"#);
        check("1|2\n", r#"{"CSVHeaderLocation":"GIVEN","CSVHeaders":["x","y"],"CSVDelimiter":"PIPE"}"#, r#"[{"x":"1","y":"2"}]"#);
        check("1\n", r#"{"CSVHeaderLocation":"GIVEN","CSVHeaders":["x","x"]}"#, "CSV headers cannot contain duplicates.");
        check("", first, "[]");
    }
}
