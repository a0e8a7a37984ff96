//! Tests the results and the errors of paths, and which texts are not paths.

use super::*;
use crate::base::{Map, Rng, json};

fn value(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Evaluates a path; a failure is shown as `! message`.
fn eval(path: &str, input: &Value) -> String {
    let context = value(r#"{"Execution":{"Name":"run-1"},"x":[1,2]}"#);
    let variables: Map = [("order", value(r#"{"id":7,"lines":[1,2,3]}"#))].into_iter().collect();
    let path = match Path::parse(path) {
        Ok(path) => path,
        Err(error) => return format!("? {error}"),
    };
    match path.eval(&Scope { input, context: &context, variables: &variables }) {
        Ok(value) => value.to_string(),
        Err(missing) => format!("! {missing}"),
    }
}

fn check(input: &str, cases: &[(&str, &str)]) {
    let input = value(input);
    for (path, expect) in cases {
        assert_eq!(eval(path, &input), *expect, "{path}");
    }
}

const STORE: &str = r#"{"store":{
    "book":[
        {"category":"reference","author":"Rees","title":"Sayings","price":8.95},
        {"category":"fiction","author":"Waugh","title":"Honour","price":12.99},
        {"category":"fiction","author":"Melville","title":"Whale","isbn":"0-553","price":8.99},
        {"category":"fiction","author":"Tolkien","title":"Rings","isbn":"0-395","price":22.99}],
    "bicycle":{"color":"red","price":19.95}},
    "limit":10}"#;

#[test]
fn roots() {
    check(
        r#"{"a":1}"#,
        &[
            ("$", r#"{"a":1}"#),
            ("$$", r#"{"Execution":{"Name":"run-1"},"x":[1,2]}"#),
            ("$$.Execution.Name", r#""run-1""#),
            ("$$.x[*]", "[1,2]"),
            ("$order", r#"{"id":7,"lines":[1,2,3]}"#),
            ("$order.lines[-1]", "3"),
            ("$order['id']", "7"),
            ("$nobody.x", "! The variable '$nobody.x' is not assigned."),
        ],
    );
    let path = Path::parse("$order.id").unwrap();
    assert_eq!(path.variable().map(|name| &**name), Some("order"));
    assert!(!path.uses_context() && Path::parse("$$").unwrap().uses_context());
    assert!(Path::parse("$$").unwrap().is_root() && !path.is_root());
}

#[test]
fn names_and_indexes() {
    check(
        r#"{"foo":123,"bar":["a","b","c"],"car":{"cdr":true},"delivery-partner":{"name":"UQS"},"日本":{"é":1},"nil":null,"1":"one"}"#,
        &[
            ("$.foo", "123"),
            ("$.bar", r#"["a","b","c"]"#),
            ("$.car.cdr", "true"),
            ("$['car']['cdr']", "true"),
            ("$[\"car\"].cdr", "true"),
            ("$.['car'].cdr", "true"),
            ("$[ 'car' ].cdr", "true"),
            ("$.delivery-partner.name", r#""UQS""#),
            ("$['delivery-partner'].name", r#""UQS""#),
            ("$.日本.é", "1"),
            ("$.1", r#""one""#),
            ("$.nil", "null"),
            ("$.foo ", "123"),
            ("$.bar[0]", r#""a""#),
            ("$.bar[-1]", r#""c""#),
            ("$.bar[ 1 ]", r#""b""#),
        ],
    );
}

#[test]
fn escapes() {
    check(
        r#"{"store.book":{"title":"T"},"foo@bar":{"baz[[":{"?pretty":1}},"foo":{".bar":2},"&Ж中":{"𐍆":3}}"#,
        &[
            (r"$.store\.book.title", r#""T""#),
            (r"$.\foo.\.bar", "2"),
            (r"$.foo\@bar.baz\[\[.\?pretty", "1"),
            (r"$.&Ж中.\uD800\uDF46", "3"),
            (r"$.&Ж中.𐍆", "3"),
        ],
    );
    // Recorded: in quotes a backslash is literal, except before the quote and itself.
    let input: Value =
        [(r#"Test\""Name""#, Value::from(1)), ("it's", 2.into()), (r"a\", 3.into())].into_iter().collect::<Map>().into();
    assert_eq!(eval(r#"$['Test\""Name"']"#, &input), "1");
    assert_eq!(eval(r"$['it\'s']", &input), "2");
    assert_eq!(eval(r"$['a\\']", &input), "3");
}

#[test]
fn result_shape() {
    check(
        r#"{"a":[1,2,3,4],"o":{"x":1,"y":{"z":2}},"nested":[[1,2],[3]],"s":"text"}"#,
        &[
            ("$.a[0,1]", "[1,2]"),
            ("$.a[0, -1, 9]", "[1,4]"),
            ("$.a[*]", "[1,2,3,4]"),
            ("$.a.*", "[1,2,3,4]"),
            ("$.o.*", r#"[1,{"z":2}]"#),
            ("$.s.*", "[]"),
            ("$.s[*]", "[]"),
            ("$.nested[*][*]", "[1,2,3]"),
            ("$.nested[*][0]", "[1,3]"),
            ("$.nested[*][1]", "[2]"),
            ("$..z", "[2]"),
            ("$..nothing", "[]"),
            ("$.o['x','y']", r#"{"x":1,"y":{"z":2}}"#),
            ("$.o['x','no']", r#"{"x":1}"#),
            ("$['o','s'].x", "! Multi properties can only be used as path leafs: $['o', 's']"),
            ("$.o['x','y'].z", "! Multi properties can only be used as path leafs: $['o']['x', 'y']"),
            ("$.no['x','y'].z", "! Missing property in path $['no']"),
            ("$.a[?(@ > 9)]", "[]"),
        ],
    );
}

#[test]
fn slices() {
    check(
        r#"{"v":[0,10,20,30,40,50]}"#,
        &[
            ("$.v[-3:]", "[30,40,50]"),
            ("$.v[3:]", "[30,40,50]"),
            ("$.v[:2]", "[0,10]"),
            ("$.v[:-1]", "[0,10,20,30,40]"),
            ("$.v[1:3]", "[10,20]"),
            ("$.v[4:99]", "[40,50]"),
            ("$.v[-99:]", "[0,10,20,30,40,50]"),
            ("$.v[9:]", "[]"),
            ("$.v[:-9]", "[]"),
            ("$.v[3:1]", "[]"),
            ("$.v[-3:-1]", "[30,40]"),
            // If both ends are given, negative indexes do not count from the end.
            ("$.v[-2:1]", "[40,50,0]"),
            ("$.v[1:-1]", "[]"),
            ("$.v[0:4:2]", "[0,10,20,30]"),
            ("$.v[:]", "? A slice needs a start or an end (at offset 4)"),
        ],
    );
}

#[test]
fn missing() {
    check(
        r#"{"a":{"b":1},"list":[1,2],"nil":null,"t":"x"}"#,
        &[
            ("$.X", "! No results for path: $['X']"),
            ("$.a.X", "! No results for path: $['a']['X']"),
            ("$.no.such.path", "! Missing property in path $['no']"),
            ("$.a.no.path", "! Missing property in path $['a']['no']"),
            ("$.list[5]", "! No results for path: $['list'][5]"),
            ("$.list[-3]", "! No results for path: $['list'][-3]"),
            ("$.list[5].x", "! No results for path: $['list'][5]['x']"),
            ("$.a[0]", r#"! Filter: [0] can only be applied to arrays. Current context is: {"b":1}"#),
            ("$.nil[0]", "! The path $['nil'] is null"),
            // Recorded: if a member on the way is missing, a path with several hits has none.
            ("$[*]", r#"[{"b":1},[1,2],null,"x"]"#),
            ("$.items[1:]", "[]"),
            ("$.items[*]", "[]"),
            ("$.item.items[1:5].itemValue", "[]"),
            ("$.list[1:].itemValue", "[]"),
        ],
    );
    assert!(eval("$.t.x", &value(r#"{"t":"x"}"#)).starts_with("! Expected to find an object with property ['x'] in path $['t']"));
    assert!(eval("$[1:]", &value("{}")).starts_with("! Filter: [1:] can only be applied to arrays"));
    assert_eq!(eval("$[*]", &value("{}")), "[]");

    let empty = Map::new();
    let input = value(r#"{"l":[]}"#);
    let scope = Scope { input: &input, context: &input, variables: &empty };
    let missing = |path: &str| Path::parse(path).unwrap().eval(&scope).unwrap_err();
    assert_eq!((missing("$.l[0]").index, missing("$.l[0]").leaf), (true, true));
    assert_eq!((missing("$.a.b").index, missing("$.a.b").leaf), (false, false));
    assert!(!missing("$.a").is_limit());
}

#[test]
fn descendants() {
    check(
        STORE,
        &[
            ("$..author", r#"["Rees","Waugh","Melville","Tolkien"]"#),
            ("$.store..price", "[8.95,12.99,8.99,22.99,19.95]"),
            ("$..book[2].title", r#"["Whale"]"#),
            ("$..book[-1:].title", r#"["Rings"]"#),
            ("$..book[0,1].title", r#"["Sayings","Honour"]"#),
            ("$..book[?(@.isbn)].title", r#"["Whale","Rings"]"#),
            ("$..['color']", r#"["red"]"#),
            ("$..[?(@.color)].price", "[19.95]"),
            ("$..['color','price']", r#"[{"color":"red","price":19.95}]"#),
        ],
    );
    check(r#"{"a":{"b":[1]}}"#, &[("$..*", r#"[{"b":[1]},[1],1]"#), ("$..[0]", "[1]")]);
}

#[test]
fn filters() {
    check(
        STORE,
        &[
            ("$.store.book[?(@.price < 10)].title", r#"["Sayings","Whale"]"#),
            ("$.store.book[?(@.price<10&&@.category=='fiction')].title", r#"["Whale"]"#),
            ("$.store.book[?(@.price > 20 || @.author == \"Rees\")].title", r#"["Sayings","Rings"]"#),
            ("$.store.book[?(!@.isbn)].title", r#"["Sayings","Honour"]"#),
            ("$.store.book[?(!(@.price < 10))].title", r#"["Honour","Rings"]"#),
            ("$.store.book[?(@['price'] <= 8.95)].author", r#"["Rees"]"#),
            ("$.store.book[?(@.price <= $.limit)].author", r#"["Rees","Melville"]"#),
            ("$.store.book[?(@.author =~ /.*ees/i)].author", r#"["Rees"]"#),
            ("$.store.book[?(@.author =~ /REES/)].author", "[]"),
            ("$.store.book[?(@.author =~ /ee/)].author", "[]"),
            ("$.store.book[?(@.category in ['reference', 'x'])].author", r#"["Rees"]"#),
            ("$.store.book[?(@.category nin ['fiction'])].author", r#"["Rees"]"#),
            ("$.store.bicycle[?(@.color == 'red')].price", "[19.95]"),
            ("$.store.book[?(@.title size 5)].title", r#"["Whale","Rings"]"#),
            ("$.store.book[?(@.title contains 'ing')].title", r#"["Sayings","Rings"]"#),
            ("$.store.book[?($.limit == 10)][0]", "[]"),
        ],
    );
    check(
        r#"[{"n":1,"s":"1","z":null,"l":[1,2],"e":[]},{"n":2,"s":"b","l":[3]},{"s":""},5,"7"]"#,
        &[
            ("$[?(@.n == 1)].n", "[1]"),
            ("$[?(@.n == '1')].n", "[1]"),
            ("$[?(@.s == 1)].n", "[1]"),
            ("$[?(@.n === '1')].n", "[]"),
            ("$[?(@.n !== '1')].s", r#"["1","b",""]"#),
            ("$[?(@.n != 1)]", r#"[{"n":2,"s":"b","l":[3]},{"s":""},5,"7"]"#),
            ("$[?(@.z == null)].n", "[1]"),
            ("$[?(@.z)].n", "[1]"),
            ("$[?(@.s > 'a')].s", r#"["b"]"#),
            ("$[?(@.s > 0)].s", "[]"),
            ("$[?(@.l subsetof [1,2,3])].n", "[1,2]"),
            ("$[?(@.l anyof [3,4])].n", "[2]"),
            ("$[?(@.l noneof [3,4])].n", "[1]"),
            ("$[?(@.l all [1])].n", "[1]"),
            ("$[?(@.e empty true)].n", "[1]"),
            ("$[?(@.l empty false)].n", "[1,2]"),
            ("$[?(@.s empty true)]", r#"[{"s":""}]"#),
            ("$[?(@.l size 2)].n", "[1]"),
            ("$[?(@.l[0] == 3)].n", "[2]"),
            ("$[?(@.l[?(@ > 2)])].n", "[1,2]"),
            ("$[?(@.l.length() == 2)].n", "[1]"),
            ("$[?(@ == 5)]", "[5]"),
            ("$[?(@ == 7)]", r#"["7"]"#),
            ("$[?(@.l == [1,2])].n", "[1]"),
            ("$[?(1 == @.n)].n", "[1]"),
            ("$[?(@.s == b)].n", "[2]"),
        ],
    );
}

#[test]
fn functions() {
    check(
        r#"{"n":[1,2,3.5],"o":{"a":1,"b":2},"s":["x","y"],"items":[{"p":1},{"p":4}],"e":[]}"#,
        &[
            ("$.n.length()", "3"),
            ("$.n.size()", "3"),
            ("$.o.length()", "2"),
            ("$.o.keys()", r#"["a","b"]"#),
            ("$.n.min()", "1.0"),
            ("$.n.max()", "3.5"),
            ("$.n.sum()", "6.5"),
            ("$..p.sum()", "5.0"),
            ("$.items[*].p.avg()", "2.5"),
            ("$.items[*].p.stddev()", "1.5"),
            ("$.items[*].length()", "2"),
            ("$.s.concat(\"-\", $.s[0])", r#""xy-x""#),
            ("$.n.append(4)", "[1,2,3.5,4]"),
            ("$.n.first()", "1"),
            ("$.n.last()", "3.5"),
            ("$.n.index(-2)", "2"),
            ("$.e.sum()", "! Aggregation function attempted to calculate value using empty array"),
            ("$.n.last().length()", "null"),
        ],
    );
}

#[test]
fn texts_that_are_not_paths_are_refused() {
    for (path, expect) in [
        ("", "A path must start with '$' (at offset 0)"),
        ("a.b", "A path must start with '$' (at offset 0)"),
        ("$.", "A path must not end with '.' (at offset 2)"),
        ("$..", "A path must not end with '..' (at offset 3)"),
        ("$...a", "Expected a name after '.', found '.' (at offset 3)"),
        ("$.a b", "Use bracket notation, ['my name'], for a name that contains blanks (at offset 3)"),
        ("$.a]", "Unexpected ']' (at offset 3)"),
        ("$]", "Expected '.' or '[', found ']' (at offset 1)"),
        ("$ .a", "Expected '.' or '[', found ' ' (at offset 1)"),
        ("$[", "'[' is not closed (at offset 1)"),
        ("$['a'", "'[' is not closed (at offset 1)"),
        ("$['a", "The quoted name is not closed (at offset 2)"),
        ("$['a'x]", "Expected ']', found 'x' (at offset 5)"),
        ("$[+1]", "'[' must be followed by a quoted name, an index, a slice, '*' or '?(' (at offset 2)"),
        ("$[1.5]", "Expected ']', found '.' (at offset 3)"),
        ("$[-]", "'-' is not an index (at offset 2)"),
        ("$.a[?(@.b = 1)]", "There is no operator '=' (at offset 10)"),
        ("$.a[?(@.b ==)]", "Expected a value, found ')' (at offset 12)"),
        ("$.a[?@.b]", "A filter is written [?( … )] (at offset 5)"),
        ("$.a[?(1)]", "Expected a comparison or a path that starts with '@' or '$' (at offset 6)"),
        ("$.a[?(@.b == 'x)]", "The string is not closed (at offset 13)"),
        ("$.a.nope()", "There is no path function 'nope' (at offset 4)"),
        ("$.a.length().b", "Only another function may follow a function (at offset 13)"),
        ("$.é[", "'[' is not closed (at offset 4)"),
    ] {
        assert_eq!(Path::parse(path).unwrap_err().to_string(), expect, "{path}");
    }
    assert!(Path::parse("$.a[?(@.b =~ /(/)]").unwrap_err().message.starts_with("Not a regular expression"));
    assert!(Path::parse(&format!("${}", ".a".repeat(3000))).unwrap_err().message.contains("4096"));
    assert!(Path::parse(&format!("$[?({}@.a)]", "(".repeat(100))).unwrap_err().message.contains("64 levels"));
    assert!(Path::parse(&format!("$[?({}@.a)]", "!".repeat(100))).unwrap_err().message.contains("64 levels"));
    assert!(Path::parse(&format!("${}", "[?(@".repeat(100))).unwrap_err().message.contains("64 levels"));
}

#[test]
fn evaluation_is_bounded() {
    let wide = Value::from((0..3000).map(|n: i64| [("n", Value::from(n))].into_iter().collect::<Map>().into()).collect::<Vec<_>>());
    let quadratic = eval("$[?($..n == 1)]", &wide);
    assert!(quadratic.starts_with("! The path visits more values than one state may"), "{quadratic}");
    let deep = (0..100).fold(Value::from(1), |inner, _| [("a", inner.clone()), ("b", inner)].into_iter().collect::<Map>().into());
    assert!(eval("$..*", &deep).starts_with("! The path visits more values than"));
    let regex = eval("$[?(@ =~ /(a+)+b/)]", &Value::from(vec![Value::from("a".repeat(5000))]));
    assert_eq!(regex, "[]");
}

#[test]
fn a_definite_path_copies_nothing() {
    let (input, variables) = (value(r#"{"a":[{"b":[1,2]}]}"#), Map::new());
    let scope = Scope { input: &input, context: &input, variables: &variables };
    let found = Path::parse("$.a[0].b").unwrap().find(&scope).unwrap() as *const Value;
    assert!(std::ptr::eq(found, input.get("a").unwrap().at(0).unwrap().get("b").unwrap()));
    assert_eq!(Path::parse("$.a[*]").unwrap().find(&scope), None);
    assert!(Path::parse("$.a[0].b").unwrap().is_definite() && !Path::parse("$.a[*]").unwrap().is_definite());
}

#[test]
fn reference_paths() {
    for path in [
        r"$",
        r"$.store.book",
        r"$.store\.book",
        r"$.\stor\e.boo\k",
        r"$.store.book.title",
        r"$.foo.\.bar",
        r"$.foo\@bar.baz\[\[.\?pretty",
        r"$.&Ж中.\uD800\uDF46",
        r"$.ledgers.branch[0].pending.count",
        r"$.ledgers.branch[0]",
        r"$.ledgers[0][22][315].foo",
        r"$['store']['book']",
        r"$['store'][0]['book']",
        r"$.error-info",
        r"$.items[-1]",
        r"$$.Execution.Input",
        r"$order.id",
    ] {
        assert!(ReferencePath::parse(path).is_ok(), "{path}");
    }
    for (path, expect) in [
        (".guid", "Reference path didn't start with '$' (at offset 0)"),
        ("()", "Reference path didn't start with '$' (at offset 0)"),
        ("$...", "'..' is not allowed in a Reference Path (at offset 1)"),
        ("$.a[?(@.b)]", "'[' must be followed by ' or '[' (at offset 4)"),
        ("$.a[*]", "'[' must be followed by ' or '[' (at offset 4)"),
        ("$.*", "'*' is not allowed in a Reference Path (at offset 2)"),
        ("$.a@b", "'@' is not allowed in a Reference Path (at offset 3)"),
        ("$.a[0,1]", "',' is not allowed in a Reference Path (at offset 5)"),
        ("$.a[0:1]", "':' is not allowed in a Reference Path (at offset 5)"),
        ("$['a','b']", "',' is not allowed in a Reference Path (at offset 5)"),
        ("$.a.length()", "A function is not allowed in a Reference Path (at offset 4)"),
    ] {
        assert_eq!(ReferencePath::parse(path).unwrap_err().to_string(), expect, "{path}");
    }
    assert!(ReferencePath::parse(&format!("${}", ".a".repeat(65))).is_err());
}

#[test]
fn an_escaped_letter_in_a_name_is_the_letter() {
    let input = value(r#"{"store":{"book":"yes"}}"#);
    assert_eq!(eval(r"$.\stor\e.boo\k", &input), r#""yes""#);
}

#[test]
fn writes() {
    for (document, path, expect) in [
        (r#"{"master":{"detail":[1,2,3]}}"#, "$.master.detail", r#"{"master":{"detail":6}}"#),
        (r#"{"master":{"detail":[1,2,3]}}"#, "$.master.result.sum", r#"{"master":{"detail":[1,2,3],"result":{"sum":6}}}"#),
        (r#"{"a":1}"#, "$", "6"),
        (r#"{"a":1}"#, "$.b.greeting", r#"{"a":1,"b":{"greeting":6}}"#),
        (r#"{"a":[{"x":1},2]}"#, "$.a[0].x", r#"{"a":[{"x":6},2]}"#),
        (r#"{"a":[1,2]}"#, "$.a[-1]", r#"{"a":[1,6]}"#),
        (r#"{}"#, "$['error-info']", r#"{"error-info":6}"#),
        (r#""foo""#, "$.x", r#"! Unable to apply step "x" to input "foo""#),
        (r#"[1]"#, "$.x", r#"! Unable to apply step "x" to input [1]"#),
        (r#"{"a":1}"#, "$.a.b", r#"! Unable to apply step "b" to input 1"#),
        (r#"{"a":[1]}"#, "$.a[1]", r#"! Unable to apply step "[1]" to input [1]"#),
        (r#"{}"#, "$.a.b[0]", r#"! Unable to apply step "[0]" to input {}"#),
        (r#"null"#, "$.a", r#"! Unable to apply step "a" to input null"#),
    ] {
        let document = value(document);
        let before = document.to_string();
        let written = ReferencePath::parse(path).unwrap().write(&document, 6.into());
        let shown = written.map_or_else(|error| format!("! {error}"), |value| value.to_string());
        assert_eq!(shown, expect, "{path}");
        assert_eq!(document.to_string(), before, "{path} changed its input");
    }
}

#[test]
fn a_written_value_is_read_back() {
    let mut rng = Rng::new(7);
    let variables = Map::new();
    for _ in 0..500 {
        let mut text = String::from("$");
        for _ in 0..=rng.below(4) {
            text.push_str([".a", ".b", "['c d']", ".é", "[0]"][rng.below(5) as usize]);
        }
        let path = ReferencePath::parse(&text).unwrap();
        let document = value(r#"{"a":{"b":[{"a":1}]},"b":[[1],2],"é":null}"#);
        if let Ok(written) = path.write(&document, 42.into()) {
            let scope = Scope { input: &written, context: &document, variables: &variables };
            assert_eq!(path.path().eval(&scope), Ok(42.into()), "{text}");
        }
    }
}

#[test]
fn each_field_supports_its_forms() {
    let input = value(r#"{"a":[{"n":1},{"n":2}],"o":{"x":1},"p":{"x":2}}"#);
    let (context, variables) = (Value::Null, Map::new());
    let scope = Scope { input: &input, context: &context, variables: &variables };
    let eval = |reader, path: &str| match Path::parse_for(reader, path).unwrap().eval(&scope) {
        Ok(value) => value.to_string(),
        Err(missing) => format!("! {missing}"),
    };
    for (path, expect, in_template) in [
        ("$.a[-1].n", "2", "! Missing property in path $['a'][-1]"),
        ("$.a[(@.length-1)].n", "2", "2"),
        ("$.a[( @.length - 2 )].n", "1", "1"),
        ("$.a[(@.length-3)]", "! No results for path: $['a'][(@.length-3)]", "! No results for path: $['a'][(@.length-3)]"),
        ("$.a[*].n.sum()", "3.0", "! No results for path: $['a'][*]['n']"),
        ("$.a[*].n.length()", "2", "2"),
        ("$['o','p'].x", "! Multi properties can only be used as path leafs: $['o', 'p']", "[1,2]"),
        ("$['o','p']", r#"{"o":{"x":1},"p":{"x":2}}"#, r#"{"o":{"x":1},"p":{"x":2}}"#),
    ] {
        assert_eq!(eval(Reader::Path, path), expect, "{path}");
        assert_eq!(eval(Reader::Template, path), in_template, "{path} in a template");
        assert_eq!(eval(Reader::Argument, path), in_template, "{path} as an argument");
    }
    for path in ["$.a[(@.length)]", "$.a[(@.length-0)]", "$.a[(@.size-1)]", "$.a[(1)]"] {
        assert!(Path::parse(path).is_err(), "{path}");
    }
    assert!(ReferencePath::parse("$.a[(@.length-1)]").is_err());
}

#[test]
fn a_null_input_has_no_paths() {
    let (context, variables) = (value(r#"{"x":1}"#), [("v", Value::Null)].into_iter().collect::<Map>());
    let scope = Scope { input: &Value::Null, context: &context, variables: &variables };
    let null_input =
        |reader, path: &str| Path::parse_for(reader, path).unwrap().eval(&scope).is_err_and(|missing| missing.is_null_input());
    for reader in [Reader::Path, Reader::Template, Reader::Argument, Reader::Reference] {
        assert!(null_input(reader, "$.a"), "{reader:?}");
        assert!(null_input(reader, "$[*]"), "{reader:?}");
        assert_eq!(null_input(reader, "$"), reader != Reader::Path, "{reader:?}");
        assert!(!null_input(reader, "$$.x") && !null_input(reader, "$v"), "{reader:?}");
    }
}

#[test]
fn negation_treats_null_as_absent() {
    check(
        r#"{"items":[{"id":1,"done":null},{"id":2,"done":false},{"id":3}]}"#,
        &[
            ("$.items[?(!@.done)].id", "[1,3]"),
            ("$.items[?(! @['done'])].id", "[1,3]"),
            ("$.items[?(@.done)].id", "[1,2]"),
            ("$.items[?(!(@.done))].id", "[3]"),
            ("$.items[?(@.id > 1 && !@.done)].id", "[3]"),
        ],
    );
}
