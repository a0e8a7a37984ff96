//! Errors with JSONata's codes and the messages of the reference implementation.

use super::{JsonataError, codes};
use crate::base::json;

/// An error that is being thrown. Its origin sets the code; callers may add the location and the token.
#[derive(Debug)]
pub(super) struct Fault {
    pub code: &'static str,
    pub at: Option<u32>,
    pub token: Option<String>,
    /// The value of `{{value}}`, as JSON.
    value: Option<String>,
    value2: Option<String>,
    index: usize,
    /// The complete message, if it is free text.
    message: Option<String>,
}

pub(super) type Thrown = Box<Fault>;

/// Returns an error without details.
pub(super) fn fault(code: &'static str) -> Thrown {
    Box::new(Fault { code, at: None, token: None, value: None, value2: None, index: 0, message: None })
}

/// Returns an error with a location in the text.
pub(super) fn fault_at(code: &'static str, at: u32) -> Thrown {
    fault(code).at(at)
}

impl Fault {
    pub(super) fn at(mut self: Box<Self>, at: u32) -> Box<Self> {
        self.at.get_or_insert(at);
        self
    }

    pub(super) fn token(mut self: Box<Self>, token: &str) -> Box<Self> {
        if self.token.is_none() {
            self.token = Some(token.into());
        }
        self
    }

    /// Sets the value in the message, as JSON text.
    pub(super) fn json(mut self: Box<Self>, value: impl Into<String>) -> Box<Self> {
        self.value = Some(value.into());
        self
    }

    pub(super) fn json2(mut self: Box<Self>, value: impl Into<String>) -> Box<Self> {
        self.value2 = Some(value.into());
        self
    }

    /// Sets the value in the message, as a string.
    pub(super) fn text(self: Box<Self>, value: &str) -> Box<Self> {
        let json = quoted(value);
        self.json(json)
    }

    pub(super) fn index(mut self: Box<Self>, index: usize) -> Box<Self> {
        self.index = index;
        self
    }

    pub(super) fn message(mut self: Box<Self>, message: impl Into<String>) -> Box<Self> {
        self.message = Some(message.into());
        self
    }

    /// Returns the error for users.
    pub(super) fn finish(self) -> JsonataError {
        let message = match self.message {
            Some(message) => message,
            None => {
                let token = quoted(self.token.as_deref().unwrap_or(""));
                let bare = self.token.as_deref().unwrap_or("");
                let missing = || "undefined".to_string();
                codes::message(self.code)
                    .replace("{{index}}", &self.index.to_string())
                    .replace("${token}", &format!("${bare}"))
                    .replace("{{token}}", &token)
                    .replace("{{value2}}", &self.value2.unwrap_or_else(missing))
                    .replace("{{value}}", &self.value.unwrap_or_else(missing))
            }
        };
        JsonataError { code: self.code, message, offset: self.at.unwrap_or(0) as usize }
    }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::write_str(&mut out, text);
    out
}
