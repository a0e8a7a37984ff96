//! The current position of the compiler in the definition: a chain on the stack that becomes text only for a diagnostic.

use crate::base::Pointer;

/// The address of a value as a chain of steps that ends at the document.
#[derive(Clone, Copy)]
pub(crate) struct Position<'a> {
    parent: Option<&'a Position<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> Position<'a> {
    /// The whole document.
    pub(crate) const ROOT: Position<'static> = Position { parent: None, step: Step::Root };

    /// The position of the member `name` of the value here.
    pub(crate) fn key<'b>(&'b self, name: &'b str) -> Position<'b>
    where
        'a: 'b,
    {
        Position { parent: Some(self), step: Step::Key(name) }
    }

    /// The position of the element `index` of the value here.
    pub(crate) fn index<'b>(&'b self, index: usize) -> Position<'b>
    where
        'a: 'b,
    {
        Position { parent: Some(self), step: Step::Index(index) }
    }

    /// The position as a JSON Pointer.
    pub(crate) fn pointer(&self) -> Pointer {
        self.steps().into_iter().fold(Pointer::root(), |pointer, step| match step {
            Step::Root => pointer,
            Step::Key(name) => pointer.key(name),
            Step::Index(index) => pointer.index(index),
        })
    }

    /// The position as AWS writes it: `/States/Ship/Choices[0]/Next`; `/` for the document.
    pub(crate) fn location(&self) -> String {
        let mut text = String::new();
        for step in self.steps() {
            match step {
                Step::Root => {}
                Step::Key(name) => {
                    text.push('/');
                    text.push_str(name);
                }
                Step::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        if text.is_empty() {
            text.push('/');
        }
        text
    }

    /// The name of the member at this position; empty for elements and the document.
    pub(crate) fn name(&self) -> &'a str {
        match self.step {
            Step::Key(name) => name,
            Step::Root | Step::Index(_) => "",
        }
    }

    fn steps(&self) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(position) = at {
            steps.push(position.step);
            at = position.parent;
        }
        steps.reverse();
        steps
    }
}
