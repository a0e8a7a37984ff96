//! Glyphs and colours of the drawing. Every colour with a meaning is accompanied by a shape or a text.

use super::NodeKind;
use super::svg::{FONT_SIZES, Theme};
use std::fmt::Write;

/// Returns the path data of a type's glyph, in a square of 20 px, stroked.
pub(super) fn glyph(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Pass => "M3 10H17M11.5 4.5L17 10L11.5 15.5",
        NodeKind::Task => "M11 2L4.5 11.5H10L9 18L15.5 8.5H10Z",
        NodeKind::Choice => "M10 2L18 10L10 18L2 10ZM8.2 8.4A1.9 1.9 0 1 1 10 10.3V11M10 13.2V13.3",
        NodeKind::Wait => "M10 2.5A7.5 7.5 0 1 1 9.99 2.5ZM10 6V10L13 12",
        NodeKind::Succeed => "M3.5 10.5L8 15L16.5 5.5",
        NodeKind::Fail => "M4.5 4.5L15.5 15.5M15.5 4.5L4.5 15.5",
        NodeKind::Parallel => "M10 2V5.5M4 18V10Q4 5.5 10 5.5Q16 5.5 16 10V18M10 5.5V18",
        NodeKind::Map => "M10 2.5L18 6.5L10 10.5L2 6.5ZM2 10.2L10 14.2L18 10.2M2 13.9L10 17.9L18 13.9",
        _ => "M6.5 7A3.5 3.5 0 1 1 11.8 10Q10 11 10 13M10 16.6V16.7",
    }
}

/// The path data of the sign for retriers, in a square of 12 px, stroked.
pub(super) const RETRY: &str = "M10.6 6A4.6 4.6 0 1 1 9.2 2.7M9.6 .4V3.2H6.8";

/// The colours of one theme.
struct Palette {
    background: &'static str,
    fill: &'static str,
    border: &'static str,
    container: &'static str,
    scope: &'static str,
    scope_border: &'static str,
    text: &'static str,
    muted: &'static str,
    mark: &'static str,
    mark_text: &'static str,
    line: &'static str,
    catch: &'static str,
    back: &'static str,
    label: &'static str,
    label_border: &'static str,
    missing: &'static str,
    missing_fill: &'static str,
}

const LIGHT: Palette = Palette {
    background: "#fbfcfd",
    fill: "#ffffff",
    border: "#7d8793",
    container: "#f2f5f9",
    scope: "#fbfcfd",
    scope_border: "#98a2ae",
    text: "#16191f",
    muted: "#56606b",
    mark: "#2b3440",
    mark_text: "#ffffff",
    line: "#66717d",
    catch: "#a84300",
    back: "#7a3fb3",
    label: "#ffffff",
    label_border: "#b8c0ca",
    missing: "#c4161c",
    missing_fill: "#fdeeee",
};

const DARK: Palette = Palette {
    background: "#0f1419",
    fill: "#1a2129",
    border: "#7c8896",
    container: "#151b22",
    scope: "#0f1419",
    scope_border: "#5b6672",
    text: "#eef2f6",
    muted: "#a9b4c0",
    mark: "#d5dde6",
    mark_text: "#10151b",
    line: "#8a96a4",
    catch: "#ff9d5c",
    back: "#c79bff",
    label: "#1a2129",
    label_border: "#4b5663",
    missing: "#ff8585",
    missing_fill: "#331517",
};

/// The tile behind each glyph; white has enough contrast with all of them.
const TILES: [(NodeKind, &str); 10] = [
    (NodeKind::Pass, "#5a6673"),
    (NodeKind::Task, "#c2500c"),
    (NodeKind::Choice, "#7a3fb3"),
    (NodeKind::Wait, "#00707d"),
    (NodeKind::Succeed, "#1a7f37"),
    (NodeKind::Fail, "#c4161c"),
    (NodeKind::Parallel, "#0b5cad"),
    (NodeKind::Map, "#b0286e"),
    (NodeKind::Unknown, "#5a6673"),
    (NodeKind::Missing, "#c4161c"),
];

/// Returns the style sheet; every selector begins with the prefix.
pub(super) fn sheet(p: &str, theme: Theme) -> String {
    let mut out = shapes(p);
    match theme {
        Theme::Light => colours(&mut out, p, &LIGHT),
        Theme::Dark => colours(&mut out, p, &DARK),
        Theme::Auto => {
            colours(&mut out, p, &LIGHT);
            out.push_str("@media (prefers-color-scheme:dark){");
            colours(&mut out, p, &DARK);
            out.push('}');
        }
    }
    out
}

fn shapes(p: &str) -> String {
    let (name, caption, label) = FONT_SIZES;
    let mut out = format!(
        ".{p}{{font-family:ui-sans-serif,system-ui,-apple-system,\"Segoe UI\",Roboto,Helvetica,Arial,sans-serif}}\
         .{p}-name{{font-size:{name}px;font-weight:600}}.{p}-caption{{font-size:{caption}px}}\
         .{p}-mark-text{{font-size:12px;font-weight:600;text-anchor:middle}}\
         .{p}-label text{{font-size:{label}px;text-anchor:middle}}\
         .{p}-box{{stroke-width:1.25}}.{p}-container .{p}-box{{stroke-width:1.5}}.{p}-behind{{stroke-width:1.25}}\
         .{p}-scope{{stroke-width:1;stroke-dasharray:4 4}}.{p}-missing .{p}-box,.{p}-unreached .{p}-box{{stroke-dasharray:5 4}}\
         .{p}-glyph{{fill:none;stroke:#fff;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}}\
         .{p}-badge{{fill:none;stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}}\
         .{p}-line{{fill:none;stroke-width:1.6}}.{p}-end-line{{stroke-width:1.2}}.{p}-line-catch{{stroke-dasharray:5 4}}\
         .{p}-mark{{stroke-width:2}}.{p}-label rect{{stroke-width:1}}.{p}-unreached .{p}-tile{{opacity:.6}}"
    );
    for (kind, colour) in TILES {
        let class = kind.as_str().to_ascii_lowercase();
        // Writing to a String cannot fail.
        let _ = write!(out, ".{p}-{class} .{p}-tile{{fill:{colour}}}");
    }
    out
}

fn colours(out: &mut String, p: &str, c: &Palette) {
    let Palette { background, fill, border, container, scope, scope_border, text, muted, mark, mark_text, .. } = c;
    let Palette { line, catch, back, label, label_border, missing, missing_fill, .. } = c;
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        ".{p}-background{{fill:{background}}}.{p}-box,.{p}-behind{{fill:{fill};stroke:{border}}}\
         .{p}-container .{p}-box{{fill:{container}}}.{p}-scope{{fill:{scope};stroke:{scope_border}}}\
         .{p}-name{{fill:{text}}}.{p}-caption,.{p}-unreached .{p}-name{{fill:{muted}}}.{p}-badge{{stroke:{muted}}}\
         .{p}-mark{{fill:{mark};stroke:{mark}}}.{p}-mark-text{{fill:{mark_text}}}\
         .{p}-end .{p}-mark{{fill:{fill}}}.{p}-end .{p}-mark-text{{fill:{mark}}}.{p}-mark-dot{{fill:{mark}}}\
         .{p}-line-flow{{stroke:{line}}}.{p}-head-flow{{fill:{line}}}.{p}-line-catch{{stroke:{catch}}}.{p}-head-catch{{fill:{catch}}}\
         .{p}-line-back{{stroke:{back}}}.{p}-head-back{{fill:{back}}}\
         .{p}-label rect{{fill:{label};stroke:{label_border}}}.{p}-label text{{fill:{text}}}\
         .{p}-label-catch text{{fill:{catch}}}.{p}-label-back text{{fill:{back}}}\
         .{p}-missing .{p}-box{{fill:{missing_fill};stroke:{missing}}}\
         .{p}-missing .{p}-name,.{p}-missing .{p}-caption{{fill:{missing}}}"
    );
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    pub(crate) fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn texts_and_shapes_have_enough_contrast() {
        for c in [&LIGHT, &DARK] {
            for (text, ground) in [
                (c.text, c.fill),
                (c.text, c.container),
                (c.muted, c.fill),
                (c.muted, c.container),
                (c.text, c.label),
                (c.catch, c.label),
                (c.back, c.label),
                (c.mark_text, c.mark),
                (c.mark, c.fill),
                (c.missing, c.missing_fill),
            ] {
                assert!(contrast(text, ground) >= 4.5, "text {text} on {ground}: {:.2}", contrast(text, ground));
            }
            for ground in [c.background, c.scope, c.container] {
                for shape in [c.border, c.line, c.catch, c.back, c.missing] {
                    assert!(contrast(shape, ground) >= 3.0, "{shape} on {ground}: {:.2}", contrast(shape, ground));
                }
            }
        }
        for (kind, tile) in TILES {
            assert!(contrast(tile, "#ffffff") >= 4.5, "glyph of {kind:?}: {:.2}", contrast(tile, "#ffffff"));
        }
    }
}
