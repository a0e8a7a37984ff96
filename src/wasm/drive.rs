//! A driver in Rust, for hosts that do not use the JavaScript driver: it has one handler for all tasks, and real time.

use super::convert::{invocation_text, status_text};
use super::engine::{Engine, millis, refused};
use crate::base::json;
use crate::engine::{self, Command, Event, StepError, TaskId};
use js_sys::{Date, Function, Promise, Reflect};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use wasm_bindgen::prelude::{Closure, JsCast, JsValue, wasm_bindgen};
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};

/// The facts that have arrived, and the resolver that waits for them.
#[derive(Default)]
struct Inbox {
    facts: VecDeque<Event>,
    waker: Option<Waker>,
}

/// Runs a started engine to its end. `handler` gets an Invoke command as JSON text and returns the output's JSON text or a
/// promise of it. If it throws, the task fails with the thrown value's `name` and `message`. The promise resolves to the JSON
/// text of `engine.status()`.
#[wasm_bindgen]
pub fn drive(engine: &Engine, handler: Function) -> Promise {
    let engine = engine.shared();
    future_to_promise(async move {
        let inbox = Rc::new(RefCell::new(Inbox::default()));
        // The calls are taken first, because no borrow may exist while the handler runs.
        let pending = engine.borrow().pending();
        for call in &pending {
            invoke(&handler, call.task, &invocation_text(call), &inbox);
        }
        while engine.borrow().outcome().is_none() {
            let fact = next(&engine, &inbox).await;
            let commands = step(&engine, fact).map_err(|error| refused(&error))?;
            for command in commands {
                if let Command::Invoke(call) = command {
                    invoke(&handler, call.task, &invocation_text(&call), &inbox);
                }
            }
        }
        Ok(JsValue::from_str(&status_text(&engine.borrow())))
    })
}

/// Waits for the next fact: one that has arrived, or a tick at the deadline.
async fn next(engine: &Rc<RefCell<engine::Engine>>, inbox: &Rc<RefCell<Inbox>>) -> Event {
    let deadline = engine.borrow().deadline();
    let timer = deadline.map(|at| Timer::set((at.0 as f64 - Date::now()).max(0.0), inbox));
    let fact = poll_fn(|context| {
        let mut inbox = inbox.borrow_mut();
        match inbox.facts.pop_front() {
            Some(fact) => Poll::Ready(fact),
            None => {
                inbox.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    })
    .await;
    drop(timer);
    fact
}

fn step(engine: &Rc<RefCell<engine::Engine>>, fact: Event) -> Result<Vec<Command>, StepError> {
    let mut engine = engine.borrow_mut();
    engine.step(millis(Date::now()), fact)?;
    Ok(engine.take_commands())
}

/// Calls the handler, whose answer is put into the inbox.
fn invoke(handler: &Function, task: TaskId, command: &str, inbox: &Rc<RefCell<Inbox>>) {
    let answer = handler.call1(&JsValue::NULL, &JsValue::from_str(command));
    let inbox = inbox.clone();
    spawn_local(async move {
        let answer = match answer {
            Ok(value) => JsFuture::from(Promise::resolve(&value)).await,
            Err(thrown) => Err(thrown),
        };
        let fact = match answer {
            Ok(output) => success(task, &output),
            Err(thrown) => failure(task, text_of(&thrown, "name"), text_of(&thrown, "message")),
        };
        deliver(&inbox, fact);
    });
}

fn success(task: TaskId, output: &JsValue) -> Event {
    match json::parse(output.as_string().as_deref().unwrap_or("null")) {
        Ok(output) => Event::TaskSucceeded { task, output },
        Err(error) => {
            failure(task, Some("States.TaskFailed".into()), Some(format!("the handler's answer is not JSON text: {error:?}")))
        }
    }
}

fn failure(task: TaskId, error: Option<String>, cause: Option<String>) -> Event {
    Event::TaskFailed { task, error: error.or(Some("Error".into())).map(Arc::from), cause: cause.map(Arc::from) }
}

fn text_of(thrown: &JsValue, name: &str) -> Option<String> {
    Reflect::get(thrown, &JsValue::from_str(name)).ok()?.as_string()
}

fn deliver(inbox: &Rc<RefCell<Inbox>>, fact: Event) {
    let waker = {
        let mut inbox = inbox.borrow_mut();
        inbox.facts.push_back(fact);
        inbox.waker.take()
    };
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// A `setTimeout` that delivers a tick; cleared when dropped.
struct Timer {
    id: JsValue,
    _ring: Closure<dyn FnMut()>,
}

/// Maximum delay of `setTimeout`, in milliseconds. The tick of a capped delay comes early, which is harmless.
const LONGEST: f64 = 2_147_483_647.0;

impl Timer {
    fn set(delay: f64, inbox: &Rc<RefCell<Inbox>>) -> Timer {
        let inbox = inbox.clone();
        let ring = Closure::<dyn FnMut()>::new(move || deliver(&inbox, Event::Tick));
        let delay = JsValue::from_f64(delay.min(LONGEST).ceil());
        let id = global("setTimeout")
            .and_then(|set| set.call2(&JsValue::UNDEFINED, ring.as_ref(), &delay).ok())
            .unwrap_or(JsValue::UNDEFINED);
        Timer { id, _ring: ring }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(clear) = global("clearTimeout") {
            // A host without timers has none to clear.
            let _ = clear.call1(&JsValue::UNDEFINED, &self.id);
        }
    }
}

fn global(name: &str) -> Option<Function> {
    Reflect::get(&js_sys::global(), &JsValue::from_str(name)).ok()?.dyn_into().ok()
}
