//! Draws a definition: `cargo run --example graph -- machine.asl.json > machine.svg` (`--lr`: from left to right, `--json`: the
//! layout instead of a drawing, `--dark`, `--light`, `--mermaid`). With `--figures` it prints quality figures of the drawings
//! of many definitions: `cargo run --example graph -- --figures ../shared/conformance/definitions.jsonl tests/graph/*.json`
//! (each file is a definition, or has one in the member `definition` of itself or of each of its lines).

use std::process::ExitCode;
use std::time::Instant;
use stepglass::base::{Value, json};
use stepglass::graph::{Direction, LayoutOptions, SvgOptions, Theme, layout, render_svg, to_mermaid};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    if flag("--figures") {
        return figures(args.iter().filter(|arg| !arg.starts_with("--")));
    }
    let Some(file) = args.iter().find(|arg| !arg.starts_with("--")) else {
        eprintln!("usage: graph FILE [--lr] [--json | --mermaid] [--dark | --light]  or  graph --figures FILE…");
        return ExitCode::from(2);
    };
    let definition = match std::fs::read_to_string(file)
        .map_err(|e| e.to_string())
        .and_then(|text| json::parse(&text).map_err(|e| e.to_string()))
    {
        Ok(definition) => definition,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let direction = if flag("--lr") { Direction::LeftToRight } else { Direction::TopToBottom };
    let mut options = LayoutOptions::default();
    options.direction = direction;
    let graph = layout(&definition, &options);
    if flag("--mermaid") {
        print!("{}", to_mermaid(&definition, direction));
        return ExitCode::SUCCESS;
    }
    if flag("--json") {
        match serde_json::to_string_pretty(&graph) {
            Ok(text) => println!("{text}"),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
        return ExitCode::SUCCESS;
    }
    let theme = match (flag("--light"), flag("--dark")) {
        (true, _) => Theme::Light,
        (_, true) => Theme::Dark,
        _ => Theme::Auto,
    };
    let mut options = SvgOptions::default();
    options.theme = theme;
    print!("{}", render_svg(&graph, &options));
    ExitCode::SUCCESS
}

/// Prints one line of figures for each file, summed over its definitions.
fn figures<'a>(files: impl Iterator<Item = &'a String>) -> ExitCode {
    println!("{:>6} {:>7} {:>7} {:>9} {:>10} {:>9}  file", "defs", "nodes", "edges", "crossings", "Mpx²", "ms");
    for file in files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let values: Vec<Value> = match json::parse(&text) {
            Ok(value) => vec![value],
            Err(_) => text.lines().filter_map(|line| json::parse(line).ok()).collect(),
        };
        let definitions: Vec<&Value> = values
            .iter()
            .filter_map(|value| value.get("definition").or_else(|| value.get("States").map(|_| value)))
            .filter(|value| value.as_object().is_some())
            .collect();
        let begun = Instant::now();
        let graphs: Vec<_> = definitions.iter().map(|definition| layout(definition, &LayoutOptions::default())).collect();
        let took = begun.elapsed().as_secs_f64() * 1_000.0;
        let nodes: usize = graphs.iter().map(|graph| graph.nodes.len()).sum();
        let edges: usize = graphs.iter().map(|graph| graph.edges.len()).sum();
        let crossings: u64 = graphs.iter().map(|graph| graph.crossings).sum();
        let area: f64 = graphs.iter().map(|graph| f64::from(graph.width) * f64::from(graph.height)).sum::<f64>() / 1e6;
        println!("{:>6} {nodes:>7} {edges:>7} {crossings:>9} {area:>10.2} {took:>9.1}  {file}", graphs.len());
    }
    ExitCode::SUCCESS
}
