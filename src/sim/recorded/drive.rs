//! Runs the machine with the recorded answers, by the recorded clock if there is one.

use super::ReplayOptions;
use super::read::{Answer, Ending, Recording};
use crate::asl::ir::Machine;
use crate::base::{Millis, Table, Value};
use crate::engine::{Command, Engine, Event, Invocation};
use std::sync::Arc;

/// The number of facts after which a replay is given up; an execution on AWS has at most 25,000 events.
const STEP_LIMIT: u64 = 1_000_000;

/// Maximum number of heartbeats of one call: one every two seconds for a day.
const MAX_HEARTBEATS: u64 = 43_200;

/// The result of a run.
pub(super) struct Run {
    pub(super) engine: Engine,
    /// The task tokens that the replay created, which differ from those of the recording.
    pub(super) tokens: Vec<Arc<str>>,
    pub(super) leftover: Vec<UnansweredCall>,
}

/// A call for which the recording has no answer.
pub(super) struct UnansweredCall {
    pub(super) state: Arc<str>,
}

/// Runs the machine to its end, or until the recording has no more answers.
pub(super) fn drive(
    machine: Arc<Machine>,
    recording: &Recording,
    answers: Vec<Answer>,
    input: Option<Value>,
    options: &ReplayOptions,
) -> Run {
    let mut given = Run { engine: Engine::new(machine, options.engine), tokens: Vec::new(), leftover: Vec::new() };
    let Some(input) = input else { return given };
    let mut execution = options.execution.clone();
    if let Some(role) = recording.event(0).and_then(|event| event.text("roleArn")) {
        execution.role_arn = role.into();
    }
    let start = recording.event(0).and_then(|event| event.at).unwrap_or(Millis(0));
    let mut answers = Answers::new(answers);
    let mut due: Table<(Millis, u64), Event> = Table::default();
    let mut made = 0;
    let mut outside = outside(recording);
    let mut next = Some((start, Event::Start { input, execution, seed: options.seed }));
    for _ in 0..STEP_LIMIT {
        let Some((now, event)) = next.take() else { break };
        let more = match given.engine.step(now, event) {
            Ok(step) => step.more,
            // Only a redrive can be refused: the replayed execution has not failed, although the recorded one has.
            Err(_) => break,
        };
        for command in given.engine.take_commands() {
            match command {
                Command::Invoke(call) => {
                    given.tokens.extend(call.token.clone());
                    match answers.take(&call) {
                        Some(answer) => {
                            for (at, event) in facts(&call, answer, given.engine.clock()) {
                                made += 1;
                                due.insert((at, made), event);
                            }
                        }
                        None => given.leftover.push(UnansweredCall { state: call.state_name.clone() }),
                    }
                }
                Command::Cancel { task, .. } => due.retain(|_, event| event.task() != Some(task)),
                _ => {}
            }
        }
        let ended = given.engine.outcome().is_some();
        let deadline = given.engine.deadline().filter(|_| !ended);
        let scripted = due.first().map(|(key, _)| *key).filter(|_| !ended);
        let soonest = [deadline, scripted.map(|key| key.0)].into_iter().flatten().min();
        let ordered = outside.first().is_some_and(|order| {
            // Without timestamps, an order is due when the replay has as many events as the recording had.
            let due =
                order.at.map_or(given.engine.history().len() >= order.events, |at| soonest.is_some_and(|soonest| at < soonest));
            ended == matches!(order.event, Event::Redrive) && (due || soonest.is_none())
        });
        next = if more {
            Some((now, Event::Tick))
        } else if ordered {
            let order = outside.remove(0);
            Some((order.at.unwrap_or(now).max(now), order.event))
        } else {
            match (scripted, deadline) {
                (Some(key), deadline) if deadline.is_none_or(|at| key.0 <= at) => due.remove(&key).map(|event| (key.0, event)),
                (_, Some(at)) => Some((at, Event::Tick)),
                _ => None,
            }
        };
    }
    given
}

/// A request from outside: StopExecution, RedriveExecution.
struct Order {
    at: Option<Millis>,
    event: Event,
    /// The number of events before it.
    events: usize,
}

fn outside(recording: &Recording) -> Vec<Order> {
    let mut orders = Vec::new();
    for (events, event) in recording.events.iter().enumerate() {
        let order = match &*event.kind {
            "ExecutionAborted" => {
                let text = |member: &str| event.text(member).map(Arc::from);
                Event::Stop { error: text("error"), cause: text("cause") }
            }
            "ExecutionRedriven" => Event::Redrive,
            _ => continue,
        };
        orders.push(Order { at: event.at, event: order, events });
    }
    orders
}

/// The recorded answers that were not used yet.
struct Answers {
    open: Vec<Option<Answer>>,
}

impl Answers {
    fn new(answers: Vec<Answer>) -> Answers {
        Answers { open: answers.into_iter().map(Some).collect() }
    }

    /// Takes the best answer for a call of the same state, in this order: same iteration and input, same iteration, same input.
    /// Among equal ones it takes the call that was made first.
    fn take(&mut self, call: &Invocation) -> Option<Answer> {
        let mut best: Option<(u32, usize)> = None;
        for (place, answer) in self.open.iter().enumerate() {
            let Some(answer) = answer else { continue };
            if answer.state != call.state_name {
                continue;
            }
            let place_fits = answer.iterations == call.iterations;
            let input_fits = answer.input.as_ref() == Some(&call.input);
            let fit = u32::from(place_fits) * 2 + u32::from(input_fits);
            if best.is_none_or(|(most, _)| fit > most) {
                best = Some((fit, place));
            }
            if fit == 3 {
                break;
            }
        }
        let (fit, place) = best?;
        // An answer for another iteration with another input cannot be used.
        let usable = fit > 0 || call.iterations.is_empty();
        self.open.get_mut(place).filter(|_| usable)?.take()
    }
}

/// Returns an answer as facts with their times.
///
/// A result comes at its recorded time, so that races in the recording are races here. Transitions take time on AWS and none
/// here, so an answer that met its time limit in the recording is kept within the limit.
fn facts(call: &Invocation, answer: Answer, now: Millis) -> Vec<(Millis, Event)> {
    let task = call.task;
    let mut facts = Vec::new();
    let ended = answer.ended.and_then(|(_, at)| at);
    let took = match (answer.at, ended) {
        (Some(from), Some(to)) => to.0.saturating_sub(from.0),
        _ => 0,
    };
    let mut end = now.plus(took).max(ended.unwrap_or(now));
    if let Some(limit) = call.timeout {
        let last = now.plus(limit.saturating_mul(1000).saturating_sub(1));
        end = if took <= limit.saturating_mul(1000).saturating_add(500) { end.min(last) } else { end };
    }
    if let Some((at, worker)) = answer.started {
        let after = match (answer.at, at) {
            (Some(from), Some(to)) => to.0.saturating_sub(from.0),
            _ => 0,
        };
        facts.push((now.plus(after).min(end), Event::TaskStarted { task, worker }));
    }
    if let Some(output) = answer.submitted {
        facts.push((now, Event::TaskSubmitted { task, output }));
    }
    if let Some(limit) = call.heartbeat {
        // Heartbeats are not recorded, but it is known that the call did not time out.
        let period = limit.saturating_mul(1000);
        let alive = match answer.ending {
            Ending::TimedOut { heartbeat: true } => now.plus(took.saturating_sub(period)),
            Ending::TimedOut { heartbeat: false } | Ending::Open | Ending::Unknown => now.plus(took.max(1)),
            _ => end,
        };
        let step = (period / 2).max(1);
        let mut at = now.plus(step);
        for _ in 0..MAX_HEARTBEATS {
            if at >= alive {
                break;
            }
            facts.push((at, Event::TaskHeartbeat { task }));
            at = at.plus(step);
        }
        if matches!(answer.ending, Ending::TimedOut { heartbeat: true }) && alive > now {
            facts.push((alive, Event::TaskHeartbeat { task }));
        }
    }
    match answer.ending {
        Ending::Output(output) => facts.push((end, Event::TaskSucceeded { task, output })),
        Ending::Error { error, cause } => facts.push((end, Event::TaskFailed { task, error, cause })),
        Ending::TimedOut { .. } | Ending::Open | Ending::Unknown => {}
    }
    facts
}
