//! The built-in functions: one table of names, signatures and implementations.

mod array;
mod aws;
mod boolean;
mod datetime;
mod encoding;
mod format_number;
mod higher_order;
mod numeric;
mod object;
mod picture;
mod string;
mod text_match;

pub(super) use text_match::regex_match;

use super::error::fault;
use super::eval::{Evaluator, R};
use super::signature::Signature;
use super::value::{Frame, Val};
use crate::expr::jsonata::codes;
use std::rc::Rc;

/// The arguments of a call, checked against the signature.
pub(super) struct Args<'a> {
    pub values: &'a [Val],
    /// The context of the call.
    pub input: &'a Val,
    pub frame: &'a Rc<Frame>,
}

impl Args<'_> {
    /// The argument at an index; undefined if it was not given.
    pub(super) fn at(&self, index: usize) -> &Val {
        self.values.get(index).unwrap_or(&Val::Undefined)
    }

    /// A string argument; `None` if it is undefined.
    pub(super) fn text(&self, index: usize) -> Option<&str> {
        self.at(index).as_str()
    }

    /// A number argument; `None` if it is undefined.
    pub(super) fn number(&self, index: usize) -> Option<f64> {
        self.at(index).as_f64()
    }
}

/// A built-in function.
pub(super) struct Def {
    pub name: &'static str,
    pub signature: Signature,
    /// Maximum number of arguments that a higher-order function passes to it.
    pub arity: usize,
    pub run: fn(&mut Evaluator<'_>, &Args<'_>) -> R<Val>,
}

/// A built-in function, as an index in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FnId(u8);

impl FnId {
    pub(super) fn find(name: &str) -> Option<FnId> {
        TABLE.binary_search_by(|def| def.name.cmp(name)).ok().map(|i| FnId(i as u8))
    }

    pub(super) fn def(self) -> &'static Def {
        // Invariant: only `find` creates ids, from indices in the table.
        &TABLE[usize::from(self.0)]
    }
}

/// The names of all built-in functions, for diagnostics and completion.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|def| def.name)
}

/// The signature of `| … |`.
pub(super) const TRANSFORM_SIGNATURE: Signature = Signature::of("<(oa):o>");

const fn def(name: &'static str, signature: &'static str, arity: usize, run: fn(&mut Evaluator<'_>, &Args<'_>) -> R<Val>) -> Def {
    Def { name, signature: Signature::of(signature), arity, run }
}

/// The table, sorted by name.
static TABLE: [Def; 70] = [
    def("abs", "<n-:n>", 1, numeric::abs),
    def("append", "<xx:a>", 2, array::append),
    def("assert", "<bs?:x>", 2, boolean::assert),
    def("average", "<a<n>:n>", 1, numeric::average),
    def("base64decode", "<s-:s>", 1, encoding::base64decode),
    def("base64encode", "<s-:s>", 1, encoding::base64encode),
    def("boolean", "<x-:b>", 1, boolean::boolean),
    def("ceil", "<n-:n>", 1, numeric::ceil),
    def("clone", "<(oa)-:o>", 1, object::clone),
    def("contains", "<s-(sf):b>", 2, text_match::contains),
    def("count", "<a:n>", 1, array::count),
    def("decodeUrl", "<s-:s>", 1, encoding::decode_url),
    def("decodeUrlComponent", "<s-:s>", 1, encoding::decode_url_component),
    def("distinct", "<x:x>", 1, array::distinct),
    def("each", "<o-f:a>", 2, higher_order::each),
    def("encodeUrl", "<s-:s>", 1, encoding::encode_url),
    def("encodeUrlComponent", "<s-:s>", 1, encoding::encode_url_component),
    def("error", "<s?:x>", 1, boolean::error),
    def("eval", "<sx?:x>", 2, eval),
    def("exists", "<x:b>", 1, boolean::exists),
    def("filter", "<af>", 2, higher_order::filter),
    def("floor", "<n-:n>", 1, numeric::floor),
    def("formatBase", "<n-n?:s>", 2, numeric::format_base),
    def("formatInteger", "<n-s:s>", 2, picture::format_integer),
    def("formatNumber", "<n-so?:s>", 3, format_number::format_number),
    def("fromMillis", "<n-s?s?:s>", 3, datetime::from_millis),
    def("hash", "<ss?:s>", 2, aws::hash),
    def("join", "<a<s>s?:s>", 2, string::join),
    def("keys", "<x-:a<s>>", 1, object::keys),
    def("length", "<s-:n>", 1, string::length),
    def("lookup", "<x-s:x>", 2, object::lookup),
    def("lowercase", "<s-:s>", 1, string::lowercase),
    def("map", "<af>", 2, higher_order::map),
    def("match", "<s-f<s:o>n?:a<o>>", 3, text_match::match_all),
    def("max", "<a<n>:n>", 1, numeric::max),
    def("merge", "<a<o>:o>", 1, object::merge),
    def("millis", "<:n>", 0, datetime::millis),
    def("min", "<a<n>:n>", 1, numeric::min),
    def("not", "<x-:b>", 1, boolean::not),
    def("now", "<s?s?:s>", 2, datetime::now),
    def("number", "<(nsb)-:n>", 1, numeric::number),
    def("pad", "<s-ns?:s>", 3, string::pad),
    def("parse", "<s?:x>", 1, aws::parse),
    def("parseInteger", "<s-s:n>", 2, picture::parse_integer),
    def("partition", "<(al)n?:a>", 2, aws::partition),
    def("power", "<n-n:n>", 2, numeric::power),
    def("random", "<n?:n>", 1, aws::random),
    def("range", "<nnn?:a>", 3, aws::range),
    def("reduce", "<afj?:j>", 3, higher_order::reduce),
    def("replace", "<s-(sf)(sf)n?:s>", 4, text_match::replace),
    def("reverse", "<a:a>", 1, array::reverse),
    def("round", "<n-n?:n>", 2, numeric::round),
    def("shuffle", "<a:a>", 1, array::shuffle),
    def("sift", "<o-f?:o>", 2, higher_order::sift),
    def("single", "<af?>", 2, higher_order::single),
    def("sort", "<af?:a>", 2, higher_order::sort),
    def("split", "<s-(sf)n?:a<s>>", 3, text_match::split),
    def("spread", "<x-:a<o>>", 1, object::spread),
    def("sqrt", "<n-:n>", 1, numeric::sqrt),
    def("string", "<x-b?:s>", 1, string::string),
    def("substring", "<s-nn?:s>", 3, string::substring),
    def("substringAfter", "<s-s:s>", 2, string::substring_after),
    def("substringBefore", "<s-s:s>", 2, string::substring_before),
    def("sum", "<a<n>:n>", 1, numeric::sum),
    def("toMillis", "<s-s?:n>", 2, datetime::to_millis),
    def("trim", "<s-:s>", 1, string::trim),
    def("type", "<x:s>", 1, boolean::type_of),
    def("uppercase", "<s-:s>", 1, string::uppercase),
    def("uuid", "<:s>", 0, aws::uuid),
    def("zip", "<a+>", 0, array::zip),
];

/// `$eval(text, context?)`, unless the host forbids it, as AWS does.
fn eval(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    if !ev.limits.reference {
        return Err(fault(codes::T1006).token("eval"));
    }
    match args.text(0) {
        Some(text) => ev.eval_function(text, args.at(1), args.input, args.frame),
        None => Ok(Val::Undefined),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.windows(2).all(|pair| pair[0].name < pair[1].name));
        for def in &TABLE {
            assert!(FnId::find(def.name).is_some_and(|id| id.def().name == def.name));
        }
    }
}
