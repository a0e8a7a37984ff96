//! The port: the results of a step in the instance's memory, where JavaScript reads them directly. They are a few numbers at a
//! fixed address and one text.
//!
//! A fact costs microseconds, so fixed costs matter: what the numbers say needs no object, there is no text if there are no
//! commands, and texts about a task come in through a permanent buffer. An ordinary Invoke command, which is the common case,
//! consists of its numbers and the text of its input. A payload that has just crossed, in either direction, does not cross
//! again: both sides keep the last one, here as a value and in JavaScript as its text. A retry has the input of the attempt
//! before, a chain passes on results, and mocks often repeat an answer.

use super::convert;
use crate::base::Value;
use crate::base::json::{self, SharedNames};
use crate::engine::{CallPurpose, Command, Engine, Invocation, Page, Step};
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The positions of the numbers; js/core/border/instance.ts has the same.
const KIND: usize = 0;
const TEXT_AT: usize = 1;
const TEXT_LENGTH: usize = 2;
/// Milliseconds since the epoch; -1 if there is none.
const DEADLINE: usize = 3;
const EVENTS: usize = 4;
const MORE: usize = 5;
const TASK: usize = 6;
const STATE: usize = 7;
const ATTEMPT: usize = 8;
/// The number of running chains of states.
const RUNNING: usize = 9;
/// Whether the value of the text that crossed last, in either direction, is kept.
const KNOWN: usize = 10;
/// The number of bytes of payloads since a page of the history was taken; for a page, the number of bytes of its text without
/// marks.
const PAYLOADS: usize = 11;
/// The id of the event with which the state was entered.
const ENTERED: usize = 12;
const NUMBERS: usize = 13;

/// The numbers, by their positions.
type Head = [f64; NUMBERS];

/// The content of the text.
#[derive(Clone, Copy)]
enum Kind {
    /// There is no text.
    Nothing = 0,
    /// The input of the one Invoke command.
    Invoke = 1,
    /// A JSON array of commands.
    Commands = 2,
    /// `{"code", "message"}`: the fact was refused.
    Refused = 3,
    /// There is no text: the input of the one Invoke command is the value of the text that crossed last.
    Echo = 4,
}

/// Maximum size of a buffer, in bytes, that is kept for the next text.
const MAX_KEPT_BUFFER: usize = 1 << 20;

/// Maximum length of a text, in bytes, whose value is kept beyond its own step.
const MAX_KEPT_TEXT: usize = 1 << 16;

/// A length that means: the text is the one that crossed last, and does not come in again.
const SAME_TEXT: usize = u32::MAX as usize;

/// A length that means: there is no text.
const NONE: i32 = -1;

/// A length for both texts of a failure that means: they are those that crossed last.
const SAME: i32 = -2;

/// The value of the text that crossed last.
struct LastValue {
    value: Value,
    /// The length of the text, in bytes.
    length: usize,
}

thread_local! {
    static HEAD: Cell<Head> = const { Cell::new([0.0; NUMBERS]) };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static INBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// `None` if JavaScript must not assume that its text has this value.
    static LAST_VALUE: RefCell<Option<LastValue>> = const { RefCell::new(None) };
    /// The names that occurred in texts from JavaScript, which are shared.
    static NAMES: RefCell<SharedNames> = const { RefCell::new(SharedNames::new()) };
    /// The error and cause that crossed last.
    static FAILURE: RefCell<[Option<Arc<str>>; 2]> = const { RefCell::new([None, None]) };
}

/// Returns the instance's memory.
#[wasm_bindgen(js_name = sharedMemory)]
pub fn shared_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// Returns the address of the numbers in the memory.
#[wasm_bindgen(js_name = headAddress)]
pub fn head_address() -> usize {
    HEAD.with(|head| head.as_ptr() as usize)
}

/// Returns where to write a text of at most `length` bytes before the call that reads it.
#[wasm_bindgen]
pub fn inbox(length: usize) -> usize {
    INBOX.with_borrow_mut(|bytes| {
        if bytes.len() < length || bytes.len() > MAX_KEPT_BUFFER {
            // A large buffer is used for one text only.
            *bytes = vec![0; if length > MAX_KEPT_BUFFER { length } else { length.next_power_of_two() }];
        }
        bytes.as_mut_ptr() as usize
    })
}

/// A text that arrives in parts, because writing a long one in one go would block the host.
#[derive(Default)]
pub(super) struct Parts(String);

impl Parts {
    /// Starts a text and reserves this many bytes.
    pub(super) fn begin(&mut self, bytes: usize) {
        self.0 = String::with_capacity(bytes);
    }

    /// Adds the next part, from `length` bytes in the inbox.
    pub(super) fn take(&mut self, length: usize) {
        INBOX.with_borrow(|bytes| {
            // The capacity is not doubled, as a String would do itself, because a file may need most of the memory.
            if self.0.capacity() - self.0.len() < length {
                self.0.reserve_exact(length.max(self.0.len() / 4));
            }
            self.0.push_str(text_at(bytes, 0, length));
        });
    }

    /// Returns the text after all of its parts have arrived.
    pub(super) fn whole(&mut self) -> String {
        LAST_VALUE.take();
        std::mem::take(&mut self.0)
    }
}

/// Returns the JSON value whose text of `length` bytes is in the inbox, or for [`SAME_TEXT`] the one that is kept; refuses the call
/// if there is none.
pub(super) fn read_value(length: usize) -> Option<Value> {
    if length == SAME_TEXT
        && let Some(value) = LAST_VALUE.with_borrow(|known| known.as_ref().map(|known| known.value.clone()))
    {
        return Some(value);
    }
    let parsed =
        INBOX.with_borrow(|bytes| NAMES.with_borrow_mut(|names| json::parse_noting_escapes(text_at(bytes, 0, length), names)));
    match parsed {
        Ok((value, escaped)) => {
            // An escape may be half of a surrogate pair, which is a different character here than in JavaScript.
            LAST_VALUE.set((!escaped).then(|| LastValue { value: value.clone(), length }));
            Some(value)
        }
        Err(error) => {
            write_refusal("NOT_JSON", format_args!("{} at offset {}", error.message, error.offset));
            None
        }
    }
}

/// Returns an error and its cause, whose texts with these lengths are in the inbox one after the other; [`NONE`] if one is
/// missing, [`SAME`] for those of the last failure.
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

/// Returns a text that JavaScript's encoder has written in UTF-8.
fn text_at(bytes: &[u8], at: usize, length: usize) -> &str {
    bytes.get(at..at.saturating_add(length)).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Leaves the results of a step: its numbers and the commands to execute.
pub(super) fn write_step(engine: &mut Engine, step: Step) {
    let mut head = HEAD.get();
    head[KIND] = f64::from(Kind::Nothing as u8);
    head[DEADLINE] = engine.deadline().map_or(-1.0, |at| at.0 as f64);
    head[EVENTS] = engine.history().len() as f64;
    head[MORE] = f64::from(step.more);
    head[RUNNING] = engine.running() as f64;
    head[PAYLOADS] = engine.payloads() as f64;
    LAST_VALUE.with_borrow_mut(|known| {
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
                    *known = Some(LastValue { value: call.input.clone(), length });
                }
            }
            commands => {
                text(&mut head, Kind::Commands, |out| convert::commands(out, commands));
            }
        }
        if known.as_ref().is_some_and(|known| known.length > MAX_KEPT_TEXT) {
            *known = None;
        }
        head[KNOWN] = f64::from(known.is_some());
    });
    engine.clear_commands();
    HEAD.set(head);
}

/// Leaves a page of the history, and returns the number of its events.
pub(super) fn write_page(page: Page) -> usize {
    let mut head = HEAD.get();
    head[PAYLOADS] = page.whole as f64;
    text(&mut head, Kind::Nothing, |out| *out = page.text);
    HEAD.set(head);
    page.count
}

/// Leaves the reason why a fact was refused.
pub(super) fn write_refusal(code: &str, message: impl Display) {
    LAST_VALUE.take();
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

/// Whether the numbers and the input say everything about the call.
fn is_plain(call: &Invocation) -> bool {
    let Invocation { purpose, token, timeout, heartbeat, credentials, iterations, .. } = call;
    *purpose == CallPurpose::Task
        && token.is_none()
        && timeout.is_none()
        && heartbeat.is_none()
        && credentials.is_none()
        && iterations.is_empty()
}

/// Writes the step's text and returns its length.
fn text(head: &mut Head, kind: Kind, write: impl FnOnce(&mut String)) -> usize {
    TEXT.with_borrow_mut(|out| {
        out.clear();
        out.shrink_to(MAX_KEPT_BUFFER);
        write(out);
        head[KIND] = f64::from(kind as u8);
        head[TEXT_AT] = out.as_ptr() as usize as f64;
        head[TEXT_LENGTH] = out.len() as f64;
        out.len()
    })
}
