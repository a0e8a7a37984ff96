//! Wait: four forms, one timer (spec §2.5, §7.1).

use crate::asl::ir::{Field, QueryLanguage, State, Wait};
use crate::base::time::parse_rfc3339;
use crate::base::{Millis, Value};
use crate::engine::Engine;
use crate::engine::advance::{Flow, Ran};
use crate::engine::dataflow::{Eval, Place, View, plain};
use crate::engine::fault::Fault;
use crate::engine::frame::{Frame, FrameId, Phase};
use crate::engine::limits::LONGEST_WAIT;
use crate::engine::timers::TimerKind;

pub(in crate::engine) fn run(engine: &mut Engine, id: FrameId, frame: &mut Frame, state: &State, wait: &Wait) -> Ran {
    let effective = effective(engine, frame, state)?;
    engine.stage(frame, state, "afterInputPath", &effective);
    let context = engine.context(frame, state, None);
    let now = engine.clock;
    let mut eval = engine.eval(frame, state);
    let view = View::new(&effective, &context, &frame.variables);
    let until = match wait {
        Wait::Seconds(field) => now.plus(seconds(&mut eval, field, &view)?.saturating_mul(1000)),
        Wait::Timestamp(field) => timestamp(&mut eval, field, &view)?,
    };
    if until.0.saturating_sub(now.0) >= LONGEST_WAIT {
        return Err(eval.runtime("Wait state delay is too long."));
    }
    if until <= now {
        return wake(engine, frame, state);
    }
    frame.phase = Phase::Sleeping { timer: engine.timers.add(until, id, TimerKind::Wait) };
    Ok(Flow::Wait)
}

/// Completes the state when the time has come.
pub(in crate::engine) fn wake(engine: &mut Engine, frame: &mut Frame, state: &State) -> Ran {
    let effective = effective(engine, frame, state)?;
    engine.pass_on(frame, state, &effective, state.next)
}

fn effective(engine: &mut Engine, frame: &Frame, state: &State) -> Result<Value, Fault> {
    if state.language == QueryLanguage::Jsonata {
        return Ok(frame.input.clone());
    }
    let context = engine.context(frame, state, None);
    engine.eval(frame, state).path_field(
        &state.input_path,
        &Place::Field("InputPath"),
        &View::new(&frame.input, &context, &frame.variables),
    )
}

fn seconds(eval: &mut Eval<'_>, field: &Field<u64>, view: &View<'_>) -> Result<u64, Fault> {
    match field {
        Field::Fixed(seconds) => Ok(*seconds),
        Field::Path(path) => {
            let (text, place) = (path.text(), Place::Field("SecondsPath"));
            let found = eval.lookup(path, &place, view)?;
            let cause = match &found {
                None => format!("The SecondsPath parameter does not reference an input value: {text}"),
                Some(value) => match value.as_i64().filter(|_| value.as_number().is_some()) {
                    Some(n) if n >= 0 => return Ok(n as u64),
                    Some(n) => format!("The SecondsPath parameter references a negative value: {text} == {n}"),
                    None => format!("The SecondsPath parameter cannot be parsed as a long value: {text} == {}", plain(value)),
                },
            };
            Err(eval.runtime_in(&place, path, &cause))
        }
        Field::Jsonata(expression) => eval.jsonata_seconds(expression, "Seconds", view),
        Field::Call(_) => Err(eval.no_call("Seconds")),
    }
}

/// Evaluates a timestamp; AWS drops the fraction of its second.
fn timestamp(eval: &mut Eval<'_>, field: &Field<std::sync::Arc<str>>, view: &View<'_>) -> Result<Millis, Fault> {
    let whole = |text: &str| parse_rfc3339(text).map(|at| Millis(u64::try_from(at.seconds).unwrap_or(0).saturating_mul(1000)));
    let form = "ISO-8601 extended offset date-time format string";
    match field {
        Field::Fixed(text) => whole(text).ok_or_else(|| eval.runtime(&format!("The Timestamp field is not an {form}: {text}"))),
        Field::Path(path) => {
            let (text, place) = (path.text(), Place::Field("TimestampPath"));
            let found = eval.lookup(path, &place, view)?;
            let at = found.as_ref().and_then(Value::as_str).and_then(whole);
            at.ok_or_else(|| {
                let cause = match &found {
                    None => format!("The TimestampPath parameter does not reference an input value: {text}"),
                    Some(value) => {
                        let value = plain(value);
                        format!("The TimestampPath parameter does not reference a valid {form}: {text} == {value}")
                    }
                };
                eval.runtime_in(&place, path, &cause)
            })
        }
        Field::Jsonata(expression) => {
            let value = eval.jsonata_typed(expression, &Place::Field("Timestamp"), "string", view)?;
            value.as_str().and_then(whole).ok_or_else(|| {
                let cause = format!("The Timestamp field cannot be parsed as an {form}: {}", plain(&value));
                eval.query(&Place::Field("Timestamp"), Some(expression.text()), &cause)
            })
        }
        Field::Call(_) => Err(eval.no_call("Timestamp")),
    }
}
