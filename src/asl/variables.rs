//! The variables that each state reads, as `variableReferences` of `DescribeStateMachine` lists them.

use super::ir::{Catcher, Condition, Field, JsonataTemplate, Kind, Machine, Operand, PathField, Payload, Rule, State, Test, Wait};
use crate::expr::jsonata::{Expression, function_names};
use crate::expr::path::Path;
use std::sync::Arc;

/// The states that read variables, in the order of the definition, each with the names in the order of first use.
///
/// ```
/// use stepglass::asl::{CompileOptions, compile, variables::variable_references};
/// let text = r#"{"StartAt":"A","States":{
///   "A":{"Type":"Pass","Assign":{"n":1},"Next":"B"},
///   "B":{"Type":"Pass","Parameters":{"twice.$":"States.MathAdd($n, $n)"},"End":true}}}"#;
/// let machine = compile(text, &CompileOptions::default()).machine.unwrap();
/// let references = variable_references(&machine);
/// assert_eq!((&*references[0].0, &*references[0].1[0]), ("B", "n"));
/// ```
pub fn variable_references(machine: &Machine) -> Vec<(Arc<str>, Vec<Arc<str>>)> {
    let states = machine.states.iter().map(|(_, state)| {
        let mut names = Names::default();
        names.state(state);
        (state.name.clone(), names.found)
    });
    states.filter(|(_, names)| !names.is_empty()).collect()
}

#[derive(Default)]
struct Names {
    found: Vec<Arc<str>>,
}

impl Names {
    fn add(&mut self, name: &Arc<str>) {
        if !self.found.contains(name) {
            self.found.push(name.clone());
        }
    }

    fn all(&mut self, names: &[Arc<str>]) {
        names.iter().for_each(|name| self.add(name));
    }

    fn state(&mut self, state: &State) {
        self.path_field(&state.input_path);
        self.payload(state.parameters.as_ref());
        match &state.kind {
            Kind::Task(task) => {
                self.field(task.timeout.as_ref());
                self.field(task.heartbeat.as_ref());
                self.payload(task.credentials.as_ref());
            }
            Kind::Choice { rules, .. } => rules.iter().for_each(|rule| self.rule(rule)),
            Kind::Wait(Wait::Seconds(field)) => self.field(Some(field)),
            Kind::Wait(Wait::Timestamp(field)) => self.field(Some(field)),
            Kind::Fail { error, cause } => {
                self.field(error.as_ref());
                self.field(cause.as_ref());
            }
            Kind::Map(map) => {
                self.path_field(&map.items_path);
                if let Some(items) = &map.items {
                    self.jsonata_template(items);
                }
                self.payload(map.item_selector.as_ref().map(|(_, selector)| selector));
                self.field(map.max_concurrency.as_ref());
                self.field(map.tolerated_count.as_ref());
                self.field(map.tolerated_percentage.as_ref());
                if let Some(reader) = &map.item_reader {
                    self.payload(reader.parameters.as_ref());
                    self.payload(reader.config.as_ref());
                    self.field(reader.max_items.as_ref());
                }
                if let Some(batcher) = &map.item_batcher {
                    self.field(batcher.max_items.as_ref());
                    self.field(batcher.max_bytes.as_ref());
                    self.payload(batcher.batch_input.as_ref());
                }
                if let Some(writer) = &map.result_writer {
                    self.payload(writer.parameters.as_ref());
                }
            }
            Kind::Pass { .. } | Kind::Succeed | Kind::Parallel { .. } => {}
        }
        if let Some(selector) = &state.result_selector {
            self.all(&selector.variables());
        }
        self.path_field(&state.output_path);
        self.payload(state.output.as_ref());
        self.payload(state.assign.as_ref());
        for Catcher { output, assign, .. } in &state.catch {
            self.payload(output.as_ref());
            self.payload(assign.as_ref());
        }
    }

    fn rule(&mut self, rule: &Rule) {
        self.condition(&rule.condition);
        self.payload(rule.assign.as_ref());
        self.payload(rule.output.as_ref());
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::And(inner) | Condition::Or(inner) => inner.iter().for_each(|condition| self.condition(condition)),
            Condition::Not(inner) => self.condition(inner),
            Condition::Test { variable, test } => {
                self.path(variable);
                if let Test::Compare { operand: Operand::Path(path), .. } = test {
                    self.path(path);
                }
            }
            Condition::Jsonata(expression) => self.expression(expression),
            Condition::Constant(_) => {}
        }
    }

    fn path(&mut self, path: &Path) {
        if let Some(name) = path.variable() {
            self.add(name);
        }
    }

    fn path_field(&mut self, field: &PathField) {
        if let PathField::Path(path) = field {
            self.path(path);
        }
    }

    fn field<T>(&mut self, field: Option<&Field<T>>) {
        match field {
            Some(Field::Path(path)) => self.path(path),
            Some(Field::Call(call)) => self.all(&call.variables()),
            Some(Field::Jsonata(expression)) => self.expression(expression),
            Some(Field::Fixed(_)) | None => {}
        }
    }

    fn payload(&mut self, payload: Option<&Payload>) {
        match payload {
            Some(Payload::JsonPath(template)) => self.all(&template.variables()),
            Some(Payload::Jsonata(template)) => self.jsonata_template(template),
            None => {}
        }
    }

    fn jsonata_template(&mut self, template: &JsonataTemplate) {
        match template {
            JsonataTemplate::Literal(_) => {}
            JsonataTemplate::Expression(expression) => self.expression(expression),
            JsonataTemplate::Array(items) => items.iter().for_each(|item| self.jsonata_template(item)),
            JsonataTemplate::Object(members) => members.iter().for_each(|(_, member)| self.jsonata_template(member)),
        }
    }

    fn expression(&mut self, expression: &Expression) {
        for variable in expression.references().variables {
            if &*variable.name != "states" && !function_names().any(|name| name == &*variable.name) {
                self.add(&variable.name);
            }
        }
    }
}
