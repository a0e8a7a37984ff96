//! Tests what a reader of the drawing relies on, with generated and recorded definitions.

mod cases;
mod generate;
mod quality;

use super::{Direction, Graph, LayoutOptions, layout};
use crate::base::{Value, json};

fn parse(text: &str) -> Value {
    json::parse(text).unwrap()
}

fn draw(definition: &Value, direction: Direction) -> Graph {
    layout(definition, &LayoutOptions { direction, ..LayoutOptions::default() })
}
