//! Compares drawings of our own definitions byte for byte. `UPDATE=1 cargo test --test graph` rewrites them; check the new
//! drawings by eye.
//!
//! A file of `tests/graph` has a `definition` and may have options (`layout`, `svg`); its drawing is
//! `tests/graph/golden/<name>.svg`.

use std::collections::BTreeSet;
use std::path::Path;
use stepglass::base::{Value, json};
use stepglass::graph::{LayoutOptions, SvgOptions, layout, render_svg};

fn options<T: serde::de::DeserializeOwned + Default>(case: &Value, name: &str) -> T {
    case.get(name).map_or_else(T::default, |given| serde_json::from_str(&given.to_string()).unwrap())
}

#[test]
fn drawings_equal_the_stored_ones() {
    let folder = Path::new("tests/graph");
    let mut names = BTreeSet::new();
    let mut changed = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let case = json::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let graph = layout(case.get("definition").unwrap(), &options::<LayoutOptions>(&case, "layout"));
        let svg = render_svg(&graph, &options::<SvgOptions>(&case, "svg"));
        let golden = folder.join("golden").join(format!("{name}.svg"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&golden, &svg).unwrap();
        } else if std::fs::read_to_string(&golden).ok().as_deref() != Some(&svg) {
            changed.push(name.clone());
        }
        names.insert(name);
    }
    assert!(names.len() >= 20, "{names:?}");
    assert!(changed.is_empty(), "these drawings have changed: {changed:?}. Look at them after UPDATE=1 cargo test --test graph");
    let left: Vec<_> = std::fs::read_dir(folder.join("golden"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !names.contains(path.file_stem().unwrap().to_str().unwrap()))
        .collect();
    assert!(left.is_empty(), "drawings without a definition: {left:?}");
}
