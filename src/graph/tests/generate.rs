//! Definitions made from a seed: chains, forks that join again, loops, catchers, nesting.

use crate::base::{Map, Rng, Value};

/// A definition of about `states` states.
pub(super) fn definition(seed: u64, states: usize) -> Value {
    let mut maker = Maker { rng: Rng::new(seed), left: states, number: 0 };
    maker.scope(0, states)
}

struct Maker {
    rng: Rng,
    left: usize,
    number: usize,
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::from(members.into_iter().collect::<Map>())
}

impl Maker {
    fn scope(&mut self, depth: usize, states: usize) -> Value {
        let count = states.max(1).min(self.left.max(1));
        let names: Vec<String> = (0..count).map(|i| self.name(i)).collect();
        let inner = count / 3;
        let mut map = Map::new();
        for i in 0..count {
            self.left = self.left.saturating_sub(1);
            let state = self.state(depth, i, &names, inner);
            map.insert(names[i].as_str(), state);
            // Nested scopes used up what this one wanted; the rest of its names must still exist.
        }
        object(vec![("StartAt", names[0].as_str().into()), ("States", map.into())])
    }

    fn name(&mut self, i: usize) -> String {
        self.number += 1;
        let words = ["Load", "Check order", "ChargeCreditCard", "Ship", "Notify the customer by mail", "X", "Store result"];
        format!("{} {}.{i}", words[self.rng.below(words.len() as u64) as usize], self.number)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    /// A state ahead, near more often than far.
    fn ahead(&mut self, i: usize, names: &[String]) -> Value {
        let far = if self.chance(75) { 3 } else { 12 };
        let to = (i + 1 + self.rng.below(far) as usize).min(names.len() - 1);
        names[to].as_str().into()
    }

    fn state(&mut self, depth: usize, i: usize, names: &[String], inner: usize) -> Value {
        let last = i + 1 >= names.len();
        if last {
            return object(vec![("Type", "Succeed".into())]);
        }
        let next: Value = names[i + 1].as_str().into();
        let next = if self.chance(92) { ("Next", next) } else { ("End", true.into()) };
        match self.rng.below(12) {
            0 | 1 => {
                let rules: Vec<Value> = (0..1 + self.rng.below(3))
                    .map(|_| {
                        let target = self.ahead(i, names);
                        object(vec![("Variable", "$.n".into()), ("NumericGreaterThan", 7i64.into()), ("Next", target)])
                    })
                    .collect();
                let back = self.chance(30);
                let default =
                    if back { names[self.rng.below(i as u64 + 1) as usize].as_str().into() } else { names[i + 1].as_str().into() };
                object(vec![("Type", "Choice".into()), ("Choices", rules.into()), ("Default", default)])
            }
            2 if depth < 3 && self.left > 6 && inner > 1 => {
                let branches: Vec<Value> = (0..2 + self.rng.below(2))
                    .map(|_| {
                        let size = 1 + self.rng.below(inner.min(12) as u64) as usize;
                        self.scope(depth + 1, size)
                    })
                    .collect();
                object(vec![("Type", "Parallel".into()), ("Branches", branches.into()), next])
            }
            3 if depth < 3 && self.left > 4 && inner > 1 => {
                let size = 1 + self.rng.below(inner.min(15) as u64) as usize;
                let processor = self.scope(depth + 1, size);
                let handler = self.ahead(i, names);
                let catch = object(vec![("ErrorEquals", vec![Value::from("States.ALL")].into()), ("Next", handler)]);
                object(vec![("Type", "Map".into()), ("ItemProcessor", processor), ("Catch", vec![catch].into()), next])
            }
            4 => object(vec![("Type", "Wait".into()), ("Seconds", 5i64.into()), next]),
            5 => object(vec![("Type", "Pass".into()), next]),
            6 if self.chance(30) => object(vec![("Type", "Fail".into()), ("Error", "Broken".into())]),
            _ => {
                let mut members = vec![("Type", "Task".into()), ("Resource", "arn:aws:states:::lambda:invoke".into()), next];
                if self.chance(25) {
                    let back = self.chance(20);
                    let handler =
                        if back { names[self.rng.below(i as u64 + 1) as usize].as_str().into() } else { self.ahead(i, names) };
                    let catch = object(vec![
                        ("ErrorEquals", vec![Value::from("States.Timeout"), Value::from("Busy")].into()),
                        ("Next", handler),
                    ]);
                    members.push(("Catch", vec![catch].into()));
                }
                object(members)
            }
        }
    }
}
