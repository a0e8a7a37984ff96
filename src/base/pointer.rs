//! JSON Pointers (RFC 6901): the address of a value inside a document.

use std::fmt;

/// A JSON Pointer; the empty one is the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    pub fn root() -> Pointer {
        Pointer::default()
    }

    /// The member `key` of the value here.
    #[must_use]
    pub fn key(&self, key: &str) -> Pointer {
        let mut text = String::with_capacity(self.0.len() + key.len() + 1);
        text.push_str(&self.0);
        text.push('/');
        escape(&mut text, key);
        Pointer(text)
    }

    /// The element `index` of the value here.
    #[must_use]
    pub fn index(&self, index: usize) -> Pointer {
        Pointer(format!("{}/{index}", self.0))
    }

    /// The pointer as text, such as `/States/Ship/Next`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The unescaped steps.
    pub fn steps(&self) -> impl Iterator<Item = String> + '_ {
        steps(&self.0)
    }
}

/// The unescaped steps of a pointer's text.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(unescape)
}

/// Returns the name in a step.
pub fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Appends a name as a step.
pub fn escape(out: &mut String, name: &str) {
    for c in name.chars() {
        match c {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            _ => out.push(c),
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
