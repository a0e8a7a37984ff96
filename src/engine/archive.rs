//! The history in pages: a host that has much of it takes it out of the engine as text, or reads it piece by piece.

use super::history::HistoryEvent;
use super::{Engine, SNAPSHOT_DEPTH, snapshot};
use crate::base::number::write_int;
use crate::base::{Value, json};

/// A payload whose JSON text is at least so long is written once in a page.
const LARGE: usize = 512;
/// Before and after a large payload.
const WHOLE: char = '\u{1}';
/// Before and after the number of a large payload that was written before.
const AGAIN: char = '\u{2}';

/// The large payloads of a page: a state's input is most often the output before it.
#[derive(Default)]
pub(super) struct Seen {
    payloads: Vec<(usize, usize)>,
    /// Bytes that were not written because of that.
    spared: usize,
    /// Memory for the text of a payload.
    text: String,
}

impl Seen {
    /// Writes a payload's JSON text as a JSON string.
    pub(super) fn write(&mut self, out: &mut String, value: &Value) {
        let place = match value {
            Value::Object(members) => std::sync::Arc::as_ptr(members) as usize,
            Value::Array(items) => std::sync::Arc::as_ptr(items) as usize,
            Value::String(text) => text.as_ptr() as usize,
            _ => return json::write_str(out, &json::to_string(value)),
        };
        if let Some(n) = self.payloads.iter().rposition(|(known, _)| *known == place) {
            self.spared += self.payloads.get(n).map_or(0, |(_, length)| *length);
            out.push(AGAIN);
            write_int(out, n as i64);
            return out.push(AGAIN);
        }
        self.text.clear();
        json::write(&mut self.text, value);
        if self.text.len() < LARGE {
            return json::write_str(out, &self.text);
        }
        out.push(WHOLE);
        let before = out.len();
        json::write_str(out, &self.text);
        self.payloads.push((place, out.len() - before));
        out.push(WHOLE);
    }
}

/// A page of the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// `[[milliseconds, event], …]` with marks: U+0001 around the JSON text of a large payload, U+0002 around the number of
    /// one that the page has before, from 0 on. JSON has neither character.
    pub text: String,
    /// How many events it has.
    pub count: usize,
    /// Bytes of its text without marks.
    pub whole: usize,
}

impl Engine {
    /// Events from the `from`-th kept on, up to about so many bytes of them and at least one (getter).
    pub fn page(&self, from: usize, bytes: usize) -> Page {
        let mut seen = Seen::default();
        let (mut text, mut count) = (String::from("["), 0);
        // Many events have one time, whose texts cost as much as all else in them.
        let (mut time, mut begin) = (None, String::new());
        for event in self.history().iter().skip(from) {
            if text.len() >= bytes && count > 0 {
                break;
            }
            if count > 0 {
                text.push(',');
            }
            if time != Some(event.timestamp) {
                time = Some(event.timestamp);
                begin.clear();
                write_times(event, &mut begin);
            }
            text.push_str(&begin);
            event.write_rest(&mut text, Some(&mut seen));
            text.push(']');
            count += 1;
        }
        text.push(']');
        let whole = text.len() + seen.spared;
        Page { text, count, whole }
    }

    /// Takes the first events out of the engine (output): for hosts that keep them elsewhere. Ids go on.
    pub fn take_page(&mut self, bytes: usize) -> Page {
        let page = self.page(0, bytes);
        if let Some(execution) = self.executions.get_mut(&0) {
            execution.recorder.events.drain(..page.count);
        }
        if self.history().is_empty() {
            self.work.begin_payloads();
        }
        page
    }

    /// How many events there were in all, also those that were taken or forgotten, or not kept (getter): the next one has the
    /// id that follows.
    pub fn event_count(&self) -> u64 {
        self.executions.get(&0).map_or(0, |execution| execution.recorder.last)
    }

    /// Forgets the first events (output): a replay has made them again, and the host has them already.
    pub fn forget_events(&mut self, count: usize) {
        if let Some(execution) = self.executions.get_mut(&0) {
            let events = &mut execution.recorder.events;
            events.drain(..count.min(events.len()));
        }
    }

    /// About how many bytes of payloads have come up since a page was taken (getter).
    pub fn payloads(&self) -> u64 {
        self.work.payloads()
    }
}

/// Whether a JSON text is a page as an engine writes it, without marks: for hosts that restore an engine and keep its events
/// themselves.
pub fn is_page(text: &str) -> bool {
    let events = json::parse_within(text, SNAPSHOT_DEPTH).ok();
    events.as_ref().and_then(Value::as_array).is_some_and(|events| events.iter().all(|event| snapshot::event_in(event).is_some()))
}

/// An event with its instant, which is in it as text only.
pub(super) fn stamped(event: &HistoryEvent, out: &mut String) {
    write_times(event, out);
    event.write_rest(out, None);
    out.push(']');
}

/// What an event with its instant begins with.
#[inline(never)]
fn write_times(event: &HistoryEvent, out: &mut String) {
    out.push('[');
    write_int(out, event.timestamp.0 as i64);
    out.push(',');
    event.write_time(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asl;
    use crate::base::{Millis, json};
    use crate::engine::{Event, ExecutionInfo, Options};
    use std::sync::Arc;

    /// What a page says, with the marks replaced.
    fn read(page: &Page) -> String {
        let (mut payloads, mut out) = (Vec::new(), String::new());
        for (n, part) in page.text.split([WHOLE, AGAIN]).enumerate() {
            if n % 2 == 0 {
                out.push_str(part);
            } else if part.starts_with('"') {
                payloads.push(part);
                out.push_str(part);
            } else {
                out.push_str(payloads[part.parse::<usize>().unwrap()]);
            }
        }
        out
    }

    #[test]
    fn pages_say_what_the_history_says_and_large_payloads_once() {
        let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Pass","Result":"other","ResultPath":"$.b","End":true}}}"#;
        let machine = asl::compile(definition, &asl::CompileOptions::default()).machine.unwrap();
        let mut engine = Engine::new(Arc::new(machine), Options::default());
        let input = json::parse(&format!(r#"{{"text":"{}\"é\u0001"}}"#, "x".repeat(20_000))).unwrap();
        engine.step(Millis(7), Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed: 1 }).unwrap();
        let whole = engine.page(0, usize::MAX);
        assert_eq!((whole.count, whole.text.matches("xxxxx").count() > 0), (engine.history().len(), true));
        assert!(whole.text.len() < 60_000 && whole.whole > 100_000, "{} of {}", whole.text.len(), whole.whole);
        assert!(read(&whole).len().abs_diff(whole.whole) < 100);
        let plain = engine.snapshot();
        assert!(plain.contains(&format!(r#""events":{}"#, read(&whole))));
        assert!(is_page(&read(&whole)) && !is_page(&whole.text) && !is_page(r#"[[1,{"type":"X"}]]"#));

        let (mut texts, mut events) = (Vec::new(), 0);
        while !engine.history().is_empty() {
            let page = engine.take_page(10_000);
            events += page.count;
            let text = read(&page);
            texts.push(text[1..text.len() - 1].to_string());
        }
        assert_eq!((events, engine.payloads()), (whole.count, 0));
        assert!(texts.len() > 1);
        assert_eq!(format!("[{}]", texts.join(",")), read(&whole));
        assert_eq!(plain.replace(&read(&whole), "[]"), engine.snapshot());
    }
}
