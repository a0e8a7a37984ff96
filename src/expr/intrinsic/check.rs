//! Checks of a call before it runs: AWS accepts calls with impossible arguments, which then always fail.

use super::table::Kind;
use super::{Argument, Call, Function, Node};
use crate::base::Value;

impl Call {
    /// Returns a sentence that says why the call always fails, whatever its paths select; `None` if it may succeed.
    ///
    /// ```
    /// use stepglass::expr::intrinsic::Call;
    /// let never = |text| Call::parse(text).unwrap().never_succeeds();
    /// assert_eq!(never("States.MathAdd($.a, 1)"), None);
    /// assert_eq!(never("States.MathAdd($.a, '1')").unwrap(), "argument 2 of `States.MathAdd` must be a number, not a string");
    /// assert_eq!(never("States.UUID($.a)").unwrap(), "`States.UUID` takes no arguments, not 1");
    /// ```
    pub fn never_succeeds(&self) -> Option<String> {
        self.node.never_succeeds()
    }
}

impl Node {
    // Recursion is bounded by MAX_NESTING.
    fn never_succeeds(&self) -> Option<String> {
        let name = self.function.name();
        let (least, most) = self.function.row().arity();
        let count = self.arguments.len();
        if count < least || most.is_some_and(|most| count > most) {
            let takes = match (least, most) {
                (0, Some(0)) => "no arguments".to_string(),
                (1, Some(1)) => "one argument".to_string(),
                (least, None) => format!("at least {least}"),
                (least, Some(most)) if least == most => format!("{least} arguments"),
                (least, Some(most)) => format!("{least} to {most} arguments"),
            };
            return Some(format!("`{name}` takes {takes}, not {count}"));
        }
        for (i, argument) in self.arguments.iter().enumerate() {
            if let Argument::Call(node) = argument
                && let Some(problem) = node.never_succeeds()
            {
                return Some(problem);
            }
            let (wanted, given) = (self.function.row().kinds.get(i).copied().unwrap_or(Kind::Any), argument.kind());
            if !wanted.takes(given) {
                return Some(format!("argument {} of `{name}` must be {}, not {}", i + 1, wanted.describe(), given.describe()));
            }
        }
        match (self.function, self.arguments.as_slice()) {
            (Function::Format, [Argument::String { template, .. }, rest @ ..]) => {
                let places = places(template);
                (places != rest.len()).then(|| {
                    let plural = if places == 1 { "" } else { "s" };
                    format!("the template of `States.Format` has {places} place{plural} `{{}}` for {} values", rest.len())
                })
            }
            (Function::JsonMerge, [_, _, Argument::Scalar(Value::Bool(true))]) => {
                Some("`States.JsonMerge` merges only one level deep: its last argument must be `false`".into())
            }
            _ => None,
        }
    }
}

/// The number of `{}` in a template.
fn places(template: &str) -> usize {
    let bytes = template.as_bytes();
    let (mut at, mut count) = (0, 0);
    while at < bytes.len() {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'\\'), _) => at += 1,
            (Some(b'{'), Some(b'}')) => count += 1,
            _ => {}
        }
        at += 1;
    }
    count
}

impl Argument {
    fn kind(&self) -> Kind {
        match self {
            Argument::String { .. } => Kind::String,
            Argument::Scalar(value) => match value {
                Value::Null => Kind::Null,
                Value::Bool(_) => Kind::Boolean,
                Value::Number(_) => Kind::Number,
                Value::String(_) => Kind::String,
                Value::Array(_) => Kind::Array,
                Value::Object(_) => Kind::Object,
            },
            Argument::Path(_) => Kind::Any,
            Argument::Call(node) => node.function.row().result,
        }
    }
}

impl Kind {
    /// Whether a value of the kind `given` may also be of this kind.
    fn takes(self, given: Kind) -> bool {
        match (self, given) {
            (Kind::Any, _) | (_, Kind::Any) | (Kind::Array, Kind::Numbers | Kind::Strings) => true,
            _ => self == given,
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Kind::Any => "anything",
            Kind::String => "a string",
            Kind::Number => "a number",
            Kind::Boolean => "a boolean",
            Kind::Null => "null",
            Kind::Array | Kind::Numbers | Kind::Strings => "an array",
            Kind::Object => "an object",
        }
    }
}
