//! What a step leaves behind, where JavaScript reads it by itself: a few numbers at a fixed address and one text.
//!
//! A fact costs microseconds, so what is fixed counts: no object is made for what the numbers tell, there is no text where
//! there is nothing to do, and the result of a task comes in through a buffer that stays. An Invoke command with nothing
//! special about it, the common one, is its numbers and the text of its input.

use super::convert;
use crate::base::Value;
use crate::base::json;
use crate::engine::{CallPurpose, Command, Engine, Invocation, Step};
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The places of the numbers; src/js/instance.js has the same.
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
const NUMBERS: usize = 10;

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
    /// There is none: the input of the one Invoke command is the very value that came in.
    Echo = 4,
}

/// Buffers that have grown beyond this many bytes are not kept.
const KEPT: usize = 1 << 20;

thread_local! {
    static HEAD: [Cell<f64>; NUMBERS] = const { [const { Cell::new(0.0) }; NUMBERS] };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static INBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// What came in with the present fact.
    static RECEIVED: RefCell<Value> = const { RefCell::new(Value::Null) };
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
            *bytes = vec![0; length.next_power_of_two()];
        }
        bytes.as_mut_ptr() as usize
    })
}

/// The text of `length` bytes in the inbox, which is gone from there: a large one is not held twice.
pub fn taken(length: usize) -> String {
    RECEIVED.take();
    let mut bytes = INBOX.take();
    bytes.truncate(length);
    // JavaScript's encoder writes UTF-8 only.
    String::from_utf8(bytes).unwrap_or_default()
}

/// The JSON value whose text of `length` bytes is in the inbox; refused if it is none.
pub fn received(length: usize) -> Option<Value> {
    INBOX.with_borrow(|bytes| {
        let text = bytes.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        match json::parse_noting_escapes(text) {
            Ok((value, escaped)) => {
                // An escape may be half a surrogate pair, which is another character here than it is there.
                RECEIVED.set(if escaped { Value::Null } else { value.clone() });
                Some(value)
            }
            Err(error) => {
                refuse("NOT_JSON", format_args!("{} at offset {}", error.message, error.offset));
                None
            }
        }
    })
}

/// Leaves a step with the commands that are to be done.
pub fn leave(engine: &mut Engine, step: Step) {
    let commands = engine.take_commands();
    let received = RECEIVED.take();
    set(DEADLINE, engine.deadline().map_or(-1.0, |at| at.0 as f64));
    set(EVENTS, engine.history().len() as f64);
    set(MORE, f64::from(step.more));
    set(RUNNING, engine.running() as f64);
    match commands.as_slice() {
        [] => set(KIND, f64::from(Kind::Nothing as u8)),
        [Command::Invoke(call)] if is_plain(call) => {
            set(TASK, f64::from(call.task.0));
            set(STATE, f64::from(call.state.0));
            set(ATTEMPT, f64::from(call.attempt));
            // The next state of a chain has the last one's result as its input: JavaScript has that text.
            if shared(&call.input, &received) {
                set(KIND, f64::from(Kind::Echo as u8));
            } else {
                text(Kind::Invoke, |out| json::write(out, &call.input));
            }
        }
        commands => text(Kind::Commands, |out| convert::commands(out, commands)),
    }
}

/// Leaves the reason why a fact was refused.
pub fn refuse(code: &str, message: impl Display) {
    RECEIVED.take();
    let message = message.to_string();
    text(Kind::Refused, |out| {
        out.push_str("{\"code\":");
        json::write_str(out, code);
        out.push_str(",\"message\":");
        json::write_str(out, &message);
        out.push('}');
    });
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

/// Whether both are one and the same, without looking into them.
fn shared(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Arc::ptr_eq(a, b),
        (Value::String(a), Value::String(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

fn text(kind: Kind, write: impl FnOnce(&mut String)) {
    TEXT.with_borrow_mut(|out| {
        out.clear();
        out.shrink_to(KEPT);
        write(out);
        set(KIND, f64::from(kind as u8));
        set(TEXT_AT, out.as_ptr() as usize as f64);
        set(TEXT_LENGTH, out.len() as f64);
    });
}

fn set(place: usize, number: f64) {
    HEAD.with(|head| {
        if let Some(cell) = head.get(place) {
            cell.set(number);
        }
    });
}
