//! The history in pages. A host with long histories takes them out of the engine as text, or reads them page by page.

use super::event_type::EventType;
use super::history::{Details, HistoryEvent};
use super::{Engine, SNAPSHOT_DEPTH, snapshot};
use crate::base::number::write_int;
use crate::base::{Millis, Value, json};

/// Minimum length of a payload's JSON text, written as a JSON string, for which a page shares repeated payloads.
const LARGE: usize = 512;
/// The mark before and after a large payload.
const WHOLE: char = '\u{1}';
/// The mark before and after the number of a large payload that was written before.
const AGAIN: char = '\u{2}';
/// The approximate number of bytes of an event that a page leaves out.
const LEFT_OUT: usize = 150;
/// The approximate number of bytes of the shortest events of a page.
const SHORTEST: usize = 40;

/// The parts that a page contains already and later events refer to.
#[derive(Default)]
pub(super) struct Seen {
    time: Option<Millis>,
    types: Vec<EventType>,
    /// The number of bytes that define shared times and types.
    shared: usize,
    /// The address and length of each large payload. A state's input is usually the output of the previous state.
    payloads: Vec<(usize, usize)>,
    /// The number of bytes of payloads that were replaced by a reference.
    saved: usize,
}

impl Seen {
    /// Appends an event, preceded by a comma.
    fn write_event(&mut self, out: &mut String, event: &HistoryEvent) {
        let begin = out.len();
        if self.time != Some(event.timestamp) {
            self.time = Some(event.timestamp);
            out.push_str(",[");
            write_int(out, event.timestamp.0 as i64);
            out.push_str(",\"");
            event.timestamp.write(out);
            out.push_str("\"]");
        }
        let known = self.types.iter().position(|known| *known == event.event_type);
        let number = known.unwrap_or_else(|| {
            out.push_str(",[\"");
            out.push_str(event.event_type.name());
            out.push_str("\",\"");
            event.event_type.write_member(out);
            out.push_str("\"]");
            self.types.push(event.event_type);
            self.types.len() - 1
        });
        self.shared += out.len() - begin;
        out.push_str(",[");
        write_int(out, number as i64);
        out.push(',');
        write_int(out, event.id.wrapping_sub(event.previous_event_id) as i64);
        if let Details::Restored { member, value } = &event.details {
            out.push(',');
            json::write(out, value);
            out.push(',');
            json::write_str(out, member);
        } else if event.details != Details::None {
            out.push(',');
            event.write_details(out, Some(self));
        }
        out.push(']');
    }

    /// Writes a payload's JSON text as a JSON string.
    pub(super) fn write(&mut self, out: &mut String, value: &Value) {
        let place = match value {
            Value::Object(members) => std::sync::Arc::as_ptr(members) as usize,
            Value::Array(items) => std::sync::Arc::as_ptr(items) as usize,
            Value::String(text) => text.as_ptr() as usize,
            _ => return json::write_text(out, value),
        };
        if let Some(n) = self.payloads.iter().rposition(|(known, _)| *known == place) {
            self.saved += self.payloads.get(n).map_or(0, |(_, length)| *length);
            out.push(AGAIN);
            write_int(out, n as i64);
            return out.push(AGAIN);
        }
        let before = out.len();
        json::write_text(out, value);
        let length = out.len() - before;
        if length < LARGE {
            return;
        }
        out.insert(before, WHOLE);
        self.payloads.push((place, length));
        out.push(WHOLE);
    }
}

/// A page of the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// A JSON array. It begins with the id that precedes the first event; then come the events, in order:
    ///
    /// - `[type, back]`, `[type, back, details]`, or `[type, back, details, member]` is an event. Its id is one more than that
    ///   of the event before, `previousEventId` is its id minus `back`, and `details` is the details member without the notes
    ///   that `input`, `output` and `assignedVariables` are not truncated. If `member`, the name of the details member, is
    ///   there, the details are complete, because they come from a snapshot.
    /// - `[name, member]` comes before the first event of a type: the name of the type, and that of its details member. Types
    ///   are numbered in this order, from 0.
    /// - `[milliseconds, text]` comes before the events of that time.
    ///
    /// The text also has two marks, which do not occur in JSON: U+0001 surrounds the JSON text of a large payload, and U+0002
    /// surrounds the number (from 0) of a large payload that the page has already.
    pub text: String,
    /// The number of events in the page.
    pub count: usize,
    /// The approximate number of bytes of the events in the shape of the API.
    pub whole: usize,
}

impl Engine {
    /// Returns a page of at least one event and up to about `bytes` bytes, from index `from` of the events that the engine
    /// still holds (getter).
    pub fn page(&self, from: usize, bytes: usize) -> Page {
        let events = self.history().get(from..).unwrap_or_default();
        let mut seen = Seen::default();
        let mut text = String::with_capacity(bytes.min(events.len() * SHORTEST));
        let mut count = 0;
        text.push('[');
        write_int(&mut text, events.first().map_or(0, |event| event.id as i64 - 1));
        for event in events {
            if text.len() + count * LEFT_OUT >= bytes && count > 0 {
                break;
            }
            seen.write_event(&mut text, event);
            count += 1;
        }
        text.push(']');
        let whole = text.len() - seen.shared + count * LEFT_OUT + seen.saved;
        Page { text, count, whole }
    }

    /// Takes the first events out of the engine as a page (output), for hosts that store them elsewhere. The ids continue.
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

    /// The total number of events, including those that were taken, dropped or never stored (getter). The next event gets the
    /// id that follows.
    pub fn event_count(&self) -> u64 {
        self.executions.get(&0).map_or(0, |execution| execution.recorder.last)
    }

    /// Drops the first `count` events (output): a replay has created them again, and the host has stored them already.
    pub fn forget_events(&mut self, count: usize) {
        if let Some(execution) = self.executions.get_mut(&0) {
            let events = &mut execution.recorder.events;
            events.drain(..count.min(events.len()));
        }
    }

    /// The approximate number of bytes of payloads that were added since a page was taken (getter).
    pub fn payloads(&self) -> u64 {
        self.work.payloads()
    }
}

/// Returns whether a JSON text has events in the form of a snapshot, `[[milliseconds, event], …]`. Hosts that restore an engine
/// and store its events themselves check them with it.
pub fn is_page(text: &str) -> bool {
    let events = json::parse_within(text, SNAPSHOT_DEPTH).ok();
    events.as_ref().and_then(Value::as_array).is_some_and(|events| events.iter().all(|event| snapshot::event_in(event).is_some()))
}

/// Writes an event together with its time in milliseconds, which the event itself has as text only.
pub(super) fn stamped(event: &HistoryEvent, out: &mut String) {
    out.push('[');
    write_int(out, event.timestamp.0 as i64);
    out.push(',');
    event.write_json(out);
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asl;
    use crate::base::{Millis, json};
    use crate::engine::{Event, ExecutionInfo, Options};
    use std::sync::Arc;

    /// Converts a page to the form of a snapshot.
    fn read(page: &Page) -> String {
        let (mut payloads, mut text) = (Vec::new(), String::new());
        for (n, part) in page.text.split([WHOLE, AGAIN]).enumerate() {
            if n % 2 == 0 {
                text.push_str(part);
            } else if part.starts_with('"') {
                payloads.push(part);
                text.push_str(part);
            } else {
                text.push_str(payloads[part.parse::<usize>().unwrap()]);
            }
        }
        let parsed = json::parse(&text).unwrap();
        let (first, parts) = parsed.as_array().unwrap().split_first().unwrap();
        let (mut id, mut time, mut types, mut events) = (first.as_i64().unwrap(), None, Vec::new(), Vec::new());
        for part in parts {
            let at = |n: usize| part.at(n);
            match (at(0).unwrap().as_str(), at(1).unwrap().as_str()) {
                (Some(name), Some(member)) => types.push((name, member)),
                (None, Some(text)) => time = Some((at(0).unwrap().as_i64().unwrap(), text)),
                _ => {
                    id += 1;
                    let ((millis, timestamp), back) = (time.unwrap(), at(1).unwrap().as_i64().unwrap());
                    let (name, member) = types[usize::try_from(at(0).unwrap().as_i64().unwrap()).unwrap()];
                    let details = at(2).map_or(String::new(), |details| {
                        let (member, noted) = at(3).map_or((member, true), |member| (member.as_str().unwrap(), false));
                        let mut members = Vec::new();
                        for (name, value) in details.as_object().unwrap().iter() {
                            members.push(format!(r#""{name}":{value}"#));
                            if noted && ["input", "output", "assignedVariables"].contains(&&**name) {
                                members.push(format!(r#""{name}Details":{{"truncated":false}}"#));
                            }
                        }
                        format!(r#","{member}":{{{}}}"#, members.join(","))
                    });
                    let previous = id - back;
                    events.push(format!(
                        r#"[{millis},{{"timestamp":"{timestamp}","type":"{name}","id":{id},"previousEventId":{previous}{details}}}]"#
                    ));
                }
            }
        }
        format!("[{}]", events.join(","))
    }

    #[test]
    fn pages_contain_the_history_and_each_large_payload_once() {
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

    #[test]
    fn pages_of_a_restored_history_equal_its_snapshot() {
        let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Assign":{"v":1},"Next":"B"},"B":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:F","Next":"C"},"C":{"Type":"Wait","Seconds":5,"End":true}}}"#;
        let machine = Arc::new(asl::compile(definition, &asl::CompileOptions::default()).machine.unwrap());
        let mut engine = Engine::new(machine.clone(), Options::default());
        engine.step(Millis(7), Event::Start { input: Value::Null, execution: ExecutionInfo::named("m", "e"), seed: 1 }).unwrap();
        let mut engine = Engine::restore(machine, &json::parse(&engine.snapshot()).unwrap()).unwrap();
        let task = engine.pending().first().unwrap().task;
        engine.step(Millis(9_000), Event::TaskSucceeded { task, output: json::parse("[1]").unwrap() }).unwrap();
        engine.step(Millis(20_000), Event::Tick).unwrap();
        let page = engine.page(0, usize::MAX);
        assert!(page.count > 8 && page.text.contains("\"v\""));
        assert!(engine.snapshot().contains(&format!(r#""events":{}"#, read(&page))));
        let later = engine.page(3, 1);
        assert_eq!(later.count, 1);
        assert!(read(&page).contains(&read(&later)[1..read(&later).len() - 1]));
    }
}
