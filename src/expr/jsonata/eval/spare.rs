//! What calls leave behind for the next ones: most of the time of a short function went into the allocator.

use crate::expr::jsonata::ast::LambdaDef;
use crate::expr::jsonata::value::{Frame, Val};
use std::rc::Rc;
use std::sync::Arc;

/// So many scopes, and so many lists of arguments, are kept.
const MOST: usize = 16;

/// Longer lists of arguments are given back to the allocator.
const LONGEST: usize = 8;

/// Scopes and lists of arguments of calls that have ended. None of them holds a value.
#[derive(Default)]
pub(super) struct Spare {
    frames: Vec<Rc<Frame>>,
    args: Vec<Vec<Val>>,
}

impl Spare {
    /// An empty list of arguments.
    pub(super) fn args(&mut self) -> Vec<Val> {
        self.args.pop().unwrap_or_default()
    }

    /// Takes the list of a call that has ended.
    pub(super) fn take_args(&mut self, mut args: Vec<Val>) {
        args.clear();
        if self.args.len() < MOST && (1..=LONGEST).contains(&args.capacity()) {
            self.args.push(args);
        }
    }

    /// The scope of a call.
    pub(super) fn frame(&mut self, parent: Rc<Frame>, def: Arc<LambdaDef>, args: Vec<Val>) -> Rc<Frame> {
        if let Some(mut frame) = self.frames.pop()
            && let Some(unused) = Rc::get_mut(&mut frame)
        {
            unused.begin_call(parent, def, args);
            return frame;
        }
        Frame::of_call(parent, def, args)
    }

    /// Takes the scope of a call that has ended, unless something else holds it.
    pub(super) fn take_frame(&mut self, mut frame: Rc<Frame>) {
        if self.frames.len() < MOST
            && let Some(unused) = Rc::get_mut(&mut frame)
        {
            let args = unused.end_call();
            self.take_args(args);
            self.frames.push(frame);
        }
    }
}
