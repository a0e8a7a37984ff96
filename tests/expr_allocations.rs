//! Tests how much an evaluation allocates: nothing for a definite path, and only its own objects for a template.

// A counting allocator needs unsafe code, which only this test uses.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use stepglass::base::{Map, Millis, Rng, Value, json};
use stepglass::expr::path::Path;
use stepglass::expr::template::Template;
use stepglass::expr::{Env, Scope};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// Every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATIONS.with(Cell::get);
    let result = run();
    (ALLOCATIONS.with(Cell::get) - before, result)
}

#[test]
fn definite_paths_allocate_nothing() {
    let input = json::parse(r#"{"a":{"b":[{"c":{"big":[1,2,3]}}]},"s":"text"}"#).unwrap();
    let variables = Map::new();
    let scope = Scope { input: &input, context: &input, variables: &variables };
    for text in ["$", "$.a.b[0].c", "$$.a['b'][-1]", "$.s"] {
        let path = Path::parse(text).unwrap();
        let (count, value) = allocations(|| path.eval(&scope));
        assert_eq!((count, value.is_ok()), (0, true), "{text}");
    }
}

#[test]
fn templates_allocate_only_their_objects() {
    let input = json::parse(r#"{"id":7,"items":[1,2,3]}"#).unwrap();
    let variables = Map::new();
    let scope = Scope { input: &input, context: &input, variables: &variables };
    let template = json::parse(r#"{"id.$":"$.id","first.$":"$.items[0]","fixed":{"deep":[1,{"x":[2]}]}}"#).unwrap();
    let template = Template::compile(&template).unwrap();
    let mut rng = Rng::new(1);
    let (count, value): (usize, Value) = allocations(|| template.eval(&scope, &mut Env { now: Millis(0), rng: &mut rng }).unwrap());
    assert_eq!(value.to_string(), r#"{"id":7,"first":1,"fixed":{"deep":[1,{"x":[2]}]}}"#);
    // The allocations are the members of the one object with evaluated members, and its shared box.
    assert_eq!(count, 2);
}
