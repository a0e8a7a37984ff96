//! Compiles the fields Retry and Catch (spec §6). `engine/retry.rs` decides with the result.

use super::jsonata::Reach;
use super::state::unsigned;
use super::{Compiler, Position, SCHEMA, Site};
use crate::asl::codes;
use crate::asl::ir::{Catcher, QueryLanguage, ResultPath, Retrier};
use crate::asl::shape;
use crate::asl::suggest::nearest;
use crate::base::diag::{Diagnostic, Part};
use crate::base::{Map, Value};
use std::sync::Arc;

/// The predefined error names (spec §2.7).
const ERROR_NAMES: &[&str] = &[
    "States.ALL",
    "States.BranchFailed",
    "States.DataLimitExceeded",
    "States.ExceedToleratedFailureThreshold",
    "States.HeartbeatTimeout",
    "States.Http.Socket",
    "States.IntrinsicFailure",
    "States.ItemReaderFailed",
    "States.NoChoiceMatched",
    "States.ParameterPathFailure",
    "States.Permissions",
    "States.QueryEvaluationError",
    "States.ReferencePathConflict",
    "States.ResultPathMatchFailure",
    "States.ResultWriterFailed",
    "States.Runtime",
    "States.TaskFailed",
    "States.Timeout",
];

impl<'d> Compiler<'d> {
    pub(super) fn retriers(&mut self, position: &Position<'_>, members: &Map) -> Vec<Retrier> {
        let list = position.key("Retry");
        let items = members.get("Retry").and_then(Value::as_array).unwrap_or_default();
        let mut out = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            let at = list.index(i);
            let Some(retrier) = item.as_object() else {
                self.wrong_type(&at, item, "an object", "OBJECT");
                continue;
            };
            self.check_shape(&at, retrier, &shape::RETRIER, QueryLanguage::JsonPath);
            let number = |name: &str| retrier.get(name).and_then(unsigned);
            out.push(Retrier {
                errors: self.error_names(&at, retrier, i + 1 == items.len()),
                interval: number("IntervalSeconds").unwrap_or(1),
                max_attempts: number("MaxAttempts").unwrap_or(3),
                backoff_rate: retrier.get("BackoffRate").and_then(Value::as_f64).unwrap_or(2.0),
                max_delay: number("MaxDelaySeconds"),
                jitter: retrier.get("JitterStrategy").and_then(Value::as_str) == Some("FULL"),
            });
        }
        self.shadowed(&list, "retrier", out.iter().map(|retrier| retrier.errors.as_slice()));
        out
    }

    pub(super) fn catchers(
        &mut self,
        position: &Position<'_>,
        members: &'d Map,
        site: Site,
        language: QueryLanguage,
    ) -> Vec<Catcher> {
        let list = position.key("Catch");
        let items = members.get("Catch").and_then(Value::as_array).unwrap_or_default();
        let mut out = Vec::with_capacity(items.len());
        let mut errors = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            let at = list.index(i);
            let Some(catcher) = item.as_object() else {
                self.wrong_type(&at, item, "an object", "OBJECT");
                continue;
            };
            self.check_shape(&at, catcher, &shape::CATCHER, language);
            let names = self.error_names(&at, catcher, i + 1 == items.len());
            errors.push(names.clone());
            let jsonpath = language == QueryLanguage::JsonPath;
            let result_path = if jsonpath { self.result_path(&at, catcher) } else { ResultPath::Whole };
            let output = match catcher.get("Output") {
                Some(value) if !jsonpath => self.payload(&at.key("Output"), value, language, Reach::CATCHER),
                _ => None,
            };
            let assign = self.assign(&at, catcher, language, Reach::CATCHER);
            let next = catcher.get("Next").and_then(Value::as_str);
            if let Some(next) = next.and_then(|next| self.target(&at.key("Next"), site.scope, next)) {
                out.push(Catcher { errors: names, next, result_path, output, assign });
            }
        }
        self.shadowed(&list, "catcher", errors.iter().map(Vec::as_slice));
        out
    }

    /// Compiles `ErrorEquals`. `last` says whether the retrier or catcher is the last of its list, where `States.ALL` is
    /// permitted.
    fn error_names(&mut self, position: &Position<'_>, members: &Map, last: bool) -> Vec<Arc<str>> {
        let list = position.key("ErrorEquals");
        let mut names = Vec::new();
        for (i, item) in members.get("ErrorEquals").and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
            let at = list.index(i);
            let Value::String(name) = item else {
                self.wrong_type(&at, item, "a string", "STRING");
                continue;
            };
            names.push(name.clone());
            if name.starts_with("States.") && !ERROR_NAMES.contains(&&**name) && !name.starts_with("States.Http.StatusCode.") {
                let mut diagnostic =
                    Diagnostic::new(&codes::UNKNOWN_ERROR_NAME, at.pointer(), format!("no error is called `{name}`"));
                if let Some(intended) = nearest(name, ERROR_NAMES.iter().copied()) {
                    diagnostic = diagnostic.fix(format!("did you mean `{intended}`?"), Part::Value, format!("\"{intended}\""));
                }
                self.report(diagnostic);
            }
        }
        if let Some(at) = names.iter().position(|name| **name == *"States.ALL")
            && (names.len() > 1 || !last)
        {
            let message = if names.len() > 1 { "`States.ALL` must be the only name" } else { "`States.ALL` must come last" };
            self.report(Diagnostic::new(&codes::STATES_ALL_POSITION, list.index(at).pointer(), message).aws(
                SCHEMA,
                "States.ALL must appear alone and at end of list",
                Some(list.location()),
            ));
        }
        names
    }

    /// Reports retriers and catchers whose errors are all matched by earlier ones.
    fn shadowed<'a>(&mut self, position: &Position<'_>, noun: &str, lists: impl Iterator<Item = &'a [Arc<str>]>) {
        let mut seen: Vec<(&str, usize)> = Vec::new();
        for (i, names) in lists.enumerate() {
            let taken: Vec<usize> = names
                .iter()
                .filter_map(|name| {
                    seen.iter().find(|(known, _)| *known == &**name || covers(known, name)).map(|(_, earlier)| *earlier)
                })
                .collect();
            if let Some(&earlier) = taken.last()
                && taken.len() == names.len()
            {
                let message = format!("this {noun} can never apply: earlier ones match all of its errors");
                self.report(
                    Diagnostic::new(&codes::UNREACHABLE_HANDLER, position.index(i).key("ErrorEquals").pointer(), message).label(
                        position.index(earlier).key("ErrorEquals").pointer(),
                        Part::Value,
                        format!("this {noun} comes first"),
                    ),
                );
            }
            // Definitions have few error names; the limit keeps the check linear for extreme ones.
            for name in names.iter().take(64usize.saturating_sub(seen.len())) {
                seen.push((name, i));
            }
        }
    }
}

/// Whether a wildcard matches every error that a name stands for: `States.TaskFailed` matches all errors except time-outs (spec
/// §2.7). `States.Runtime` and `States.DataLimitExceeded` are matched by name only.
fn covers(wildcard: &str, name: &str) -> bool {
    wildcard == "States.TaskFailed"
        && !matches!(
            name,
            "States.ALL" | "States.Timeout" | "States.HeartbeatTimeout" | "States.Runtime" | "States.DataLimitExceeded"
        )
}
