//! Generates definitions from a seed: chains, forks that join again, loops, catchers, nesting.

use crate::base::{Map, Rng, Value};

/// Returns a definition of about `states` states, half of them in the outermost scope.
pub(super) fn definition(seed: u64, states: usize) -> Value {
    let mut maker = Maker { rng: Rng::new(seed), left: states / 2, number: 0 };
    maker.scope(0, states.div_ceil(2))
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
    /// Returns a scope of `count` states; `left` is the number of states that nested scopes may still use.
    fn scope(&mut self, depth: usize, count: usize) -> Value {
        let names: Vec<String> = (0..count).map(|i| self.name(i)).collect();
        let states = (0..count).map(|i| (names[i].clone(), self.state(depth, i, &names))).collect::<Vec<_>>();
        object(vec![("StartAt", names[0].as_str().into()), ("States", Value::from(states.into_iter().collect::<Map>()))])
    }

    /// Returns a scope of up to `most` states inside of another one.
    fn nested(&mut self, depth: usize, most: usize) -> Value {
        let count = (1 + self.rng.below(most as u64) as usize).min(self.left.max(1));
        self.left = self.left.saturating_sub(count);
        self.scope(depth + 1, count)
    }

    fn name(&mut self, i: usize) -> String {
        self.number += 1;
        let words = ["Load", "Check order", "ChargeCreditCard", "Ship", "Notify the customer by mail", "X", "Store result"];
        format!("{} {}.{i}", words[self.rng.below(words.len() as u64) as usize], self.number)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    /// Returns a later state, more often a near one than a distant one.
    fn ahead(&mut self, i: usize, names: &[String]) -> Value {
        let far = if self.chance(75) { 3 } else { 12 };
        let to = (i + 1 + self.rng.below(far) as usize).min(names.len() - 1);
        names[to].as_str().into()
    }

    fn state(&mut self, depth: usize, i: usize, names: &[String]) -> Value {
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
            2 if depth < 3 && self.left > 0 => {
                let branches: Vec<Value> = (0..2 + self.rng.below(2)).map(|_| self.nested(depth, 12)).collect();
                object(vec![("Type", "Parallel".into()), ("Branches", branches.into()), next])
            }
            3 if depth < 3 && self.left > 0 => {
                let processor = self.nested(depth, 15);
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
