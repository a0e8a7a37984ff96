//! A pool of allocations that calls reuse: a short function spent most of its time in the allocator.

use crate::expr::jsonata::ast::LambdaDef;
use crate::expr::jsonata::value::{Frame, Val};
use std::rc::Rc;
use std::sync::Arc;

/// Maximum number of pooled scopes, and of pooled argument lists.
const MAX_POOLED: usize = 16;

/// Maximum capacity of a pooled argument list; longer ones are freed.
const MAX_CAPACITY: usize = 8;

/// Scopes and argument lists of finished calls. They contain no values.
#[derive(Default)]
pub(super) struct Pool {
    frames: Vec<Rc<Frame>>,
    args: Vec<Vec<Val>>,
}

impl Pool {
    /// Returns an empty argument list.
    pub(super) fn args(&mut self) -> Vec<Val> {
        self.args.pop().unwrap_or_default()
    }

    /// Returns the argument list of a finished call to the pool.
    pub(super) fn take_args(&mut self, mut args: Vec<Val>) {
        args.clear();
        if self.args.len() < MAX_POOLED && (1..=MAX_CAPACITY).contains(&args.capacity()) {
            self.args.push(args);
        }
    }

    /// Returns the scope of a call.
    pub(super) fn frame(&mut self, parent: Rc<Frame>, def: Arc<LambdaDef>, args: Vec<Val>) -> Rc<Frame> {
        if let Some(mut frame) = self.frames.pop()
            && let Some(unused) = Rc::get_mut(&mut frame)
        {
            unused.begin_call(parent, def, args);
            return frame;
        }
        Frame::of_call(parent, def, args)
    }

    /// Returns the scope of a finished call to the pool, unless there are other references to it.
    pub(super) fn take_frame(&mut self, mut frame: Rc<Frame>) {
        if self.frames.len() < MAX_POOLED
            && let Some(unused) = Rc::get_mut(&mut frame)
        {
            let args = unused.end_call();
            self.take_args(args);
            self.frames.push(frame);
        }
    }
}
