//! What a step leaves behind, where JavaScript reads it by itself: a few numbers at a fixed address and one text.
//!
//! A fact costs microseconds, so what is fixed counts: no object is made for what the numbers tell, there is no text where
//! there is nothing to do, and what is said of a task comes in through a buffer that stays. An Invoke command with nothing
//! special about it, the common one, is its numbers and the text of its input. And a payload that has just crossed, in either
//! direction, does not cross again: both sides keep the last one, here as a value and there as its text. A retry has the
//! input of the attempt before it, a chain hands results on, and mocks give the same answer many times.

use super::convert;
use crate::base::Value;
use crate::base::json::{self, SharedNames};
use crate::engine::{CallPurpose, Command, Engine, Invocation, Page, Step};
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The places of the numbers; js/border/instance.ts has the same.
const KIND: usize = 0;
const TEXT_AT: usize = 1;
const TEXT_LENGTH: usize = 2;
/// Milliseconds since the epoch; -1 for none.
const DEADLINE: usize = 3;
const EVENTS: usize = 4;
const MORE: usize = 5;
const TASK: usize = 6;
const STATE: usize = 7;
const ATTEMPT: usize = 8;
/// How many chains of states run.
const RUNNING: usize = 9;
/// Whether the value of the text that crossed last, be it in or out, is kept.
const KNOWN: usize = 10;
/// Bytes of payloads that have come up since a page of the history was taken; of a page, of its text without marks.
const PAYLOADS: usize = 11;
/// The event of the state's entry.
const ENTERED: usize = 12;
const NUMBERS: usize = 13;

/// The numbers, by their places.
type Head = [f64; NUMBERS];

/// What the text is.
#[derive(Clone, Copy)]
enum Kind {
    /// There is none.
    Nothing = 0,
    /// The input of the one Invoke command.
    Invoke = 1,
    /// A JSON array of commands.
    Commands = 2,
    /// `{"code", "message"}`: the fact was refused.
    Refused = 3,
    /// There is none: the input of the one Invoke command is the value of the text that crossed last.
    Echo = 4,
}

/// Buffers that have grown beyond this many bytes are not kept.
const KEPT: usize = 1 << 20;

/// Nor is a value whose text is longer than this kept beyond its own step.
const SHORT: usize = 1 << 16;

/// Stands for the length of a text that does not come in, because it is the one that crossed last.
const AGAIN: usize = u32::MAX as usize;

/// For the length of a text: there is none.
const NONE: i32 = -1;

/// For the lengths of both texts of a failure: it is the one that crossed last.
const SAME: i32 = -2;

/// The value of the text that crossed last.
struct Known {
    value: Value,
    /// The text's length.
    length: usize,
}

thread_local! {
    static HEAD: Cell<Head> = const { Cell::new([0.0; NUMBERS]) };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static INBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// `None` where JavaScript must not take its text for the value.
    static KNOWN_VALUE: RefCell<Option<Known>> = const { RefCell::new(None) };
    /// Of what has come in.
    static NAMES: RefCell<SharedNames> = const { RefCell::new(SharedNames::new()) };
    /// Error and cause that crossed last.
    static FAILURE: RefCell<[Option<Arc<str>>; 2]> = const { RefCell::new([None, None]) };
}

/// The instance's memory.
#[wasm_bindgen(js_name = sharedMemory)]
pub fn shared_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// Where the numbers stand in it.
#[wasm_bindgen(js_name = headAddress)]
pub fn head_address() -> usize {
    HEAD.with(|head| head.as_ptr() as usize)
}

/// Where to write a text of at most `length` bytes before the call that takes it.
#[wasm_bindgen]
pub fn inbox(length: usize) -> usize {
    INBOX.with_borrow_mut(|bytes| {
        if bytes.len() < length || bytes.len() > KEPT {
            // A large one is for one text only.
            *bytes = vec![0; if length > KEPT { length } else { length.next_power_of_two() }];
        }
        bytes.as_mut_ptr() as usize
    })
}

/// A text that comes in parts: a host that wrote a long one at once would be held up.
#[derive(Default)]
pub(super) struct Parts(String);

impl Parts {
    /// Begins anew, with room for so many bytes.
    pub(super) fn begin(&mut self, bytes: usize) {
        self.0 = String::with_capacity(bytes);
    }

    /// Takes the next part, of `length` bytes in the inbox.
    pub(super) fn take(&mut self, length: usize) {
        INBOX.with_borrow(|bytes| {
            // Not twice the room, as a text would take by itself: a file may need most of the memory.
            if self.0.capacity() - self.0.len() < length {
                self.0.reserve_exact(length.max(self.0.len() / 4));
            }
            self.0.push_str(text_at(bytes, 0, length));
        });
    }

    /// The text, all of whose parts have come.
    pub(super) fn whole(&mut self) -> String {
        KNOWN_VALUE.take();
        std::mem::take(&mut self.0)
    }
}

/// The JSON value whose text of `length` bytes is in the inbox, or of [`AGAIN`] the one that is known; refused if it is none.
pub(super) fn received(length: usize) -> Option<Value> {
    if length == AGAIN
        && let Some(value) = KNOWN_VALUE.with_borrow(|known| known.as_ref().map(|known| known.value.clone()))
    {
        return Some(value);
    }
    let parsed =
        INBOX.with_borrow(|bytes| NAMES.with_borrow_mut(|names| json::parse_noting_escapes(text_at(bytes, 0, length), names)));
    match parsed {
        Ok((value, escaped)) => {
            // An escape may be half a surrogate pair, which is another character here than it is there.
            KNOWN_VALUE.set((!escaped).then(|| Known { value: value.clone(), length }));
            Some(value)
        }
        Err(error) => {
            refuse("NOT_JSON", format_args!("{} at offset {}", error.message, error.offset));
            None
        }
    }
}

/// An error and its cause, whose texts of so many bytes follow one another in the inbox; [`NONE`] for one that is not given,
/// [`SAME`] for what the last failure said.
pub(super) fn failure(error: i32, cause: i32) -> [Option<Arc<str>>; 2] {
    FAILURE.with_borrow_mut(|last| {
        if error != SAME {
            *last = INBOX.with_borrow(|bytes| {
                let text = |at: usize, length: i32| (length != NONE).then(|| text_at(bytes, at, length as usize).into());
                [text(0, error), text(error.max(0) as usize, cause)]
            });
        }
        last.clone()
    })
}

/// A text that JavaScript's encoder has written: UTF-8.
fn text_at(bytes: &[u8], at: usize, length: usize) -> &str {
    bytes.get(at..at.saturating_add(length)).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Leaves a step with the commands that are to be done.
pub(super) fn leave(engine: &mut Engine, step: Step) {
    let mut head = HEAD.get();
    head[KIND] = f64::from(Kind::Nothing as u8);
    head[DEADLINE] = engine.deadline().map_or(-1.0, |at| at.0 as f64);
    head[EVENTS] = engine.history().len() as f64;
    head[MORE] = f64::from(step.more);
    head[RUNNING] = engine.running() as f64;
    head[PAYLOADS] = engine.payloads() as f64;
    KNOWN_VALUE.with_borrow_mut(|known| {
        match engine.commands() {
            [] => {}
            [Command::Invoke(call)] if is_plain(call) => {
                head[TASK] = f64::from(call.task.0);
                head[STATE] = f64::from(call.state.0);
                head[ATTEMPT] = f64::from(call.attempt);
                head[ENTERED] = call.entered as f64;
                if known.as_ref().is_some_and(|known| convert::shared(&call.input, &known.value)) {
                    head[KIND] = f64::from(Kind::Echo as u8);
                } else {
                    let length = text(&mut head, Kind::Invoke, |out| json::write(out, &call.input));
                    *known = Some(Known { value: call.input.clone(), length });
                }
            }
            commands => {
                text(&mut head, Kind::Commands, |out| convert::commands(out, commands));
            }
        }
        if known.as_ref().is_some_and(|known| known.length > SHORT) {
            *known = None;
        }
        head[KNOWN] = f64::from(known.is_some());
    });
    engine.clear_commands();
    HEAD.set(head);
}

/// Leaves a page of the history; how many events it has.
pub(super) fn leave_page(page: Page) -> usize {
    let mut head = HEAD.get();
    head[PAYLOADS] = page.whole as f64;
    text(&mut head, Kind::Nothing, |out| *out = page.text);
    HEAD.set(head);
    page.count
}

/// Leaves the reason why a fact was refused.
pub(super) fn refuse(code: &str, message: impl Display) {
    KNOWN_VALUE.take();
    let message = message.to_string();
    let mut head = HEAD.get();
    head[KNOWN] = 0.0;
    text(&mut head, Kind::Refused, |out| {
        out.push_str("{\"code\":");
        json::write_str(out, code);
        out.push_str(",\"message\":");
        json::write_str(out, &message);
        out.push('}');
    });
    HEAD.set(head);
}

/// Whether the call's numbers and input are all that there is to it.
fn is_plain(call: &Invocation) -> bool {
    let Invocation { purpose, token, timeout, heartbeat, credentials, iterations, .. } = call;
    *purpose == CallPurpose::Task
        && token.is_none()
        && timeout.is_none()
        && heartbeat.is_none()
        && credentials.is_none()
        && iterations.is_empty()
}

/// Writes the step's text; how long it is.
fn text(head: &mut Head, kind: Kind, write: impl FnOnce(&mut String)) -> usize {
    TEXT.with_borrow_mut(|out| {
        out.clear();
        out.shrink_to(KEPT);
        write(out);
        head[KIND] = f64::from(kind as u8);
        head[TEXT_AT] = out.as_ptr() as usize as f64;
        head[TEXT_LENGTH] = out.len() as f64;
        out.len()
    })
}
