//! Formats a definition's text. Only white space changes, so a broken text is as safe as a valid one.

use super::Edit;
use crate::base::{Span, json};

/// Objects and lists that are on one line stay on it up to this length, in characters.
const LINE: usize = 100;

struct Token {
    span: Span,
    /// The first character.
    first: u8,
    /// For an opening bracket: whether its content stays on the same line.
    inline: bool,
}

/// Returns the edits that indent a text by this number of spaces for each level.
pub(super) fn format(text: &str, indent: usize) -> Vec<Edit> {
    let mut tokens = tokens(text);
    decide(text, &mut tokens);
    let mut edits = Vec::new();
    let mut put = |from: usize, to: usize, wanted: String| {
        if text.get(from..to).is_some_and(|found| found != wanted) {
            edits.push(Edit { span: Span::new(from, to), text: wanted });
        }
    };
    let mut open: Vec<bool> = Vec::new();
    let mut before: Option<&Token> = None;
    for token in &tokens {
        let closes = matches!(token.first, b'}' | b']');
        let inline = open.last().copied().unwrap_or(false);
        if closes {
            open.pop();
        }
        let from = before.map_or(0, |before| before.span.end);
        let wanted = match before.map(|before| before.first) {
            None => String::new(),
            Some(b'{' | b'[') if closes => String::new(),
            Some(b':') => " ".into(),
            _ if matches!(token.first, b':' | b',') => String::new(),
            Some(before) if inline => if closes || matches!(before, b'{' | b'[') { "" } else { " " }.into(),
            // This also applies where only the comma between two values is missing. The limit is for brackets that are never
            // closed.
            Some(_) => format!("\n{:1$}", "", indent * open.len().min(json::MAX_DEPTH)),
        };
        put(from, token.span.start, wanted);
        if matches!(token.first, b'{' | b'[') {
            open.push(token.inline);
        }
        before = Some(token);
    }
    if let Some(last) = before {
        put(last.span.end, text.len(), "\n".into());
    }
    edits
}

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => at + 1,
            b'"' => {
                let mut end = at + 1;
                while let Some(byte) = bytes.get(end) {
                    match byte {
                        b'"' => break,
                        b'\n' => break,
                        b'\\' => end += 2,
                        _ => end += 1,
                    }
                }
                (end + usize::from(bytes.get(end) == Some(&b'"'))).min(bytes.len())
            }
            _ => {
                let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | '"');
                text.get(at..).map_or(bytes.len(), |rest| at + rest.find(ends).unwrap_or(rest.len()).max(1))
            }
        };
        tokens.push(Token { span: Span::new(at, end), first: byte, inline: false });
        at = end;
    }
    tokens
}

/// Decides which objects and lists stay on one line: those that are on one line and short enough.
fn decide(text: &str, tokens: &mut [Token]) {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut length = 0;
    for i in 0..tokens.len() {
        // Invariant: i is within the tokens, and `open` holds indices of earlier ones.
        let token = &tokens[i];
        length += token.span.end - token.span.start + usize::from(matches!(token.first, b',' | b':'));
        match token.first {
            b'{' | b'[' => open.push((i, length)),
            b'}' | b']' => {
                if let Some((start, before)) = open.pop() {
                    let from = tokens[start].span.start;
                    let whole = text.get(from..tokens[i].span.end).unwrap_or("\n");
                    tokens[start].inline = !whole.contains('\n') && length - before <= LINE && start > 0;
                }
            }
            _ => {}
        }
    }
}
