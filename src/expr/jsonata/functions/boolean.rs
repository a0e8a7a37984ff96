//! Functions on truth, existence and types, and those that throw.

use super::Args;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R, truth};
use crate::expr::jsonata::value::Val;

/// `$boolean(value)`
pub(super) fn boolean(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    match args.at(0) {
        Val::Undefined => Ok(Val::Undefined),
        value => Ok(Val::Bool(argument_truth(value)?)),
    }
}

/// `$not(value)`
pub(super) fn not(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    match args.at(0) {
        Val::Undefined => Ok(Val::Undefined),
        value => Ok(Val::Bool(!argument_truth(value)?)),
    }
}

/// Returns the truth of an argument. A function that is passed to a function is false, because jsonata-js wraps it, so that it
/// is no longer an object.
fn argument_truth(value: &Val) -> R<bool> {
    if value.as_func().is_some() { Ok(false) } else { truth(value) }
}

/// `$exists(value)`
pub(super) fn exists(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Ok(Val::Bool(!args.at(0).is_undefined()))
}

/// `$type(value)`
pub(super) fn type_of(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Ok(Val::str(match args.at(0) {
        Val::Undefined => return Ok(Val::Undefined),
        Val::Null => "null",
        Val::Bool(_) => "boolean",
        Val::Num(_) => "number",
        Val::NonFinite(x) if x.is_infinite() => return Err(fault(codes::D1001).json("null")),
        Val::NonFinite(_) => "object",
        Val::Str(_) | Val::Long(_) => "string",
        Val::JsonArray(_) | Val::Array(..) | Val::Range(..) | Val::Tuples(_) => "array",
        Val::JsonObject(_) | Val::Object(_) => "object",
        Val::Func(_) => "function",
    }))
}

/// `$error(message?)`
pub(super) fn error(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Err(fault(codes::D3137).message(args.text(0).filter(|m| !m.is_empty()).unwrap_or("$error() function evaluated")))
}

/// `$assert(condition, message?)`
pub(super) fn assert(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    if matches!(args.at(0), Val::Bool(true)) {
        return Ok(Val::Undefined);
    }
    Err(fault(codes::D3141).message(args.text(1).filter(|m| !m.is_empty()).unwrap_or("$assert() statement failed")))
}
