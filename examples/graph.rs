//! Draws a definition: `cargo run --example graph -- machine.asl.json > machine.svg` (`--lr`: from left to right,
//! `--json`: the layout and no drawing, `--dark`, `--light`).

use std::process::ExitCode;
use stepglass::base::json;
use stepglass::graph::{Direction, LayoutOptions, SvgOptions, Theme, layout, render_svg};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    let Some(file) = args.iter().find(|arg| !arg.starts_with("--")) else {
        eprintln!("usage: graph FILE [--lr] [--json] [--dark | --light]");
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
    let graph = layout(&definition, &LayoutOptions { direction, ..LayoutOptions::default() });
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
    print!("{}", render_svg(&graph, &SvgOptions { theme, ..SvgOptions::default() }));
    ExitCode::SUCCESS
}
