//! Function signatures: `<s-nn?:s>` says which arguments a function takes, and which of them default to the context.

use super::codes;
use super::error::{Thrown, fault};
use super::value::Val;

/// The kinds of values, as bits.
const STRING: u16 = 1;
const NUMBER: u16 = 2;
const BOOLEAN: u16 = 4;
const NULL: u16 = 8;
const ARRAY: u16 = 16;
const OBJECT: u16 = 32;
const FUNCTION: u16 = 64;
/// Undefined.
const MISSING: u16 = 128;

/// One parameter of a signature.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    accepts: u16,
    optional: bool,
    many: bool,
    /// Whether the context is used if the argument is left out.
    context: bool,
    /// Whether the argument is an array; a single value becomes one.
    array: bool,
    /// The kind of the array's items, as a letter; 0 for any.
    subtype: u8,
}

const NOTHING: Param = Param { accepts: 0, optional: false, many: false, context: false, array: false, subtype: 0 };

/// Maximum number of parameters; no reader could follow more.
const MAX_PARAMS: usize = 12;

/// A parsed signature.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    params: [Param; MAX_PARAMS],
    len: usize,
}

/// The reason why a signature is malformed, with the byte offset in it.
pub(super) struct Malformed {
    pub code: &'static str,
    pub offset: usize,
}

const fn bits(letter: u8) -> u16 {
    match letter {
        b's' => STRING,
        b'n' => NUMBER,
        b'b' => BOOLEAN,
        b'l' => NULL,
        b'a' => ARRAY,
        b'o' => OBJECT,
        b'f' => FUNCTION,
        b'm' => MISSING,
        b'j' => STRING | NUMBER | BOOLEAN | NULL | ARRAY | OBJECT,
        b'x' => STRING | NUMBER | BOOLEAN | NULL | ARRAY | OBJECT | FUNCTION,
        _ => 0,
    }
}

/// The offset of the bracket that closes the one at `start`; the end of the text if there is none.
const fn closing(text: &[u8], start: usize, open: u8, close: u8) -> usize {
    let mut depth = 1;
    let mut at = start;
    while at < text.len() {
        at += 1;
        if at < text.len() && text[at] == close {
            depth -= 1;
            if depth == 0 {
                break;
            }
        } else if at < text.len() && text[at] == open {
            depth += 1;
        }
    }
    at
}

impl Signature {
    /// Parses `<…>`. Unknown letters are skipped, as in the reference implementation.
    pub(super) const fn parse(text: &str) -> Result<Signature, Malformed> {
        let text = text.as_bytes();
        let mut signature = Signature { params: [NOTHING; MAX_PARAMS], len: 0 };
        let mut at = 1;
        while at < text.len() && text[at] != b':' {
            let letter = text[at];
            let last = signature.len.wrapping_sub(1);
            match letter {
                b's' | b'n' | b'b' | b'l' | b'o' | b'a' | b'f' | b'j' | b'x' | b'(' => {
                    if signature.len == MAX_PARAMS {
                        return Err(Malformed { code: codes::S0402, offset: at });
                    }
                    let mut param = NOTHING;
                    match letter {
                        b'a' => {
                            param.accepts = bits(b'x') | MISSING;
                            param.array = true;
                        }
                        b'f' => param.accepts = FUNCTION,
                        b'(' => {
                            let end = closing(text, at, b'(', b')');
                            let mut i = at + 1;
                            param.accepts = MISSING;
                            while i < end && i < text.len() {
                                if text[i] == b'<' {
                                    return Err(Malformed { code: codes::S0402, offset: at });
                                }
                                param.accepts |= bits(text[i]);
                                i += 1;
                            }
                            at = end;
                        }
                        _ => param.accepts = bits(letter) | MISSING,
                    }
                    signature.params[signature.len] = param;
                    signature.len += 1;
                }
                b'-' if signature.len > 0 => {
                    signature.params[last].context = true;
                    signature.params[last].optional = true;
                }
                b'?' if signature.len > 0 => signature.params[last].optional = true,
                b'+' if signature.len > 0 => signature.params[last].many = true,
                b'<' => {
                    if signature.len == 0 || !(signature.params[last].array || signature.params[last].accepts == FUNCTION) {
                        return Err(Malformed { code: codes::S0401, offset: at });
                    }
                    let end = closing(text, at, b'<', b'>');
                    if at + 1 < end && at + 1 < text.len() {
                        signature.params[last].subtype = text[at + 1];
                    }
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
        Ok(signature)
    }

    /// Parses a signature of a built-in function.
    pub(super) const fn of(text: &str) -> Signature {
        match Signature::parse(text) {
            Ok(signature) => signature,
            Err(_) => Signature { params: [NOTHING; MAX_PARAMS], len: 0 },
        }
    }

    fn params(&self) -> &[Param] {
        self.params.get(..self.len).unwrap_or(&[])
    }

    /// Checks the arguments and completes them: the context replaces a missing argument, and a single value becomes an array if
    /// needed.
    ///
    /// Errors: `T0410`, `T0411`, `T0412`.
    pub(super) fn validate(&self, args: &mut Vec<Val>, context: &Val) -> Result<(), Thrown> {
        let params = self.params();
        // This is the case for nearly every call: each argument is of its parameter's type, no array has to be checked, and
        // only optional arguments are missing.
        let plain = |(arg, p): (&Val, &Param)| !p.array && !p.many && kind(arg) & p.accepts != 0;
        if args.len() <= params.len()
            && args.iter().zip(params).all(plain)
            && params.iter().skip(args.len()).all(|p| p.optional && !p.context)
        {
            args.resize(params.len(), Val::Undefined);
            return Ok(());
        }
        // `[1, 2].$string()`
        if args.is_empty() && params.iter().all(|p| p.optional) {
            let mut at = 0;
            for param in params {
                if !param.context {
                    at += 1;
                } else if kind(context) & param.accepts == 0 {
                    return Err(fault(codes::T0411).index(at + 1));
                }
                args.push(if param.context { context.clone() } else { Val::Undefined });
            }
            return Ok(());
        }
        let kinds: Vec<u16> = args.iter().map(kind).collect();
        let Some(counts) = assign(params, &kinds, true) else {
            return Err(self.mismatch(&kinds));
        };
        let mut out = Vec::with_capacity(params.len());
        let mut at = 0;
        let argument = |i: usize| args.get(i).cloned().unwrap_or(Val::Undefined);
        for (param, count) in params.iter().zip(counts) {
            if count == 0 {
                if !param.context {
                    out.push(argument(at));
                    at += 1;
                } else if kind(context) & param.accepts != 0 {
                    out.push(context.clone());
                } else {
                    return Err(fault(codes::T0411).index(at + 1));
                }
                continue;
            }
            for _ in 0..count {
                let arg = argument(at);
                if !param.array || arg.is_undefined() {
                    out.push(arg);
                } else {
                    check_items(param, count, &arg, at)?;
                    let whole = if arg.is_array() { arg } else { single(arg) };
                    out.push(whole);
                }
                at += 1;
            }
        }
        *args = out;
        Ok(())
    }

    fn mismatch(&self, kinds: &[u16]) -> Thrown {
        let mut good = 0;
        for n in 1..=self.len {
            match assign(self.params().get(..n).unwrap_or(&[]), kinds, false) {
                Some(counts) => good = counts.iter().sum(),
                None => break,
            }
        }
        fault(codes::T0410).index(good + 1)
    }
}

fn single(value: Val) -> Val {
    Val::Array(std::rc::Rc::new(super::value::Array::new(vec![value])), super::value::Flags::NONE)
}

fn check_items(param: &Param, count: usize, arg: &Val, at: usize) -> Result<(), Thrown> {
    if param.subtype == 0 {
        return Ok(());
    }
    let wanted = bits(param.subtype);
    let ok = if arg.is_array() {
        match arg {
            Val::Range(..) => wanted == NUMBER,
            _ => arg.items().iter().all(|item| kind(&item) & wanted != 0 && wanted.count_ones() == 1),
        }
    } else {
        count == 1 && kind(arg) == wanted
    };
    if ok || (arg.is_array() && arg.items().len() == 0) {
        return Ok(());
    }
    let what = match param.subtype {
        b'a' => "arrays",
        b'b' => "booleans",
        b'f' => "functions",
        b'n' => "numbers",
        b'o' => "objects",
        b's' => "strings",
        _ => "",
    };
    Err(fault(codes::T0412).index(at + 1).text(what))
}

fn kind(value: &Val) -> u16 {
    match value {
        Val::Undefined => MISSING,
        Val::Null => NULL,
        Val::Bool(_) => BOOLEAN,
        Val::Num(_) | Val::NonFinite(_) => NUMBER,
        Val::Str(_) | Val::Long(_) => STRING,
        Val::JsonArray(_) | Val::Array(..) | Val::Range(..) | Val::Tuples(_) => ARRAY,
        Val::JsonObject(_) | Val::Object(_) => OBJECT,
        Val::Func(_) => FUNCTION,
    }
}

/// Assigns a number of arguments to each parameter, like a greedy regular expression. `whole` says that all arguments must be
/// used.
fn assign(params: &[Param], kinds: &[u16], whole: bool) -> Option<Vec<usize>> {
    let (rows, columns) = (params.len() + 1, kinds.len() + 1);
    // fits[p * columns + k]: whether the parameters from p on can take the arguments from k on.
    let mut fits = vec![false; rows * columns];
    let most = |p: &Param, k: usize| {
        let limit = if p.many { kinds.len() } else { 1 };
        kinds.iter().skip(k).take(limit).take_while(|kind| **kind & p.accepts != 0).count()
    };
    for k in 0..columns {
        if let Some(cell) = fits.get_mut(params.len() * columns + k) {
            *cell = !whole || k == kinds.len();
        }
    }
    for (i, param) in params.iter().enumerate().rev() {
        for k in 0..columns {
            let least = usize::from(!param.optional);
            let ok = (least..=most(param, k)).any(|n| fits.get((i + 1) * columns + k + n) == Some(&true));
            if let Some(cell) = fits.get_mut(i * columns + k) {
                *cell = ok;
            }
        }
    }
    if fits.first() != Some(&true) {
        return None;
    }
    let mut counts = Vec::with_capacity(params.len());
    let mut k = 0;
    for (i, param) in params.iter().enumerate() {
        let least = usize::from(!param.optional);
        let n = (least..=most(param, k)).rev().find(|n| fits.get((i + 1) * columns + k + n) == Some(&true))?;
        counts.push(n);
        k += n;
    }
    Some(counts)
}
