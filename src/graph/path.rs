//! Turns corners into SVG path data.

use std::fmt::Write;

/// The radius of a corner, if both lines at it are long enough.
const RADIUS: i32 = 8;

/// Returns the path data of lines through the points, with rounded corners.
pub(super) fn rounded(points: &[(i32, i32)]) -> String {
    let mut out = String::new();
    let Some(&(x, y)) = points.first() else { return out };
    let mut put = |args: std::fmt::Arguments| {
        // Writing to a String cannot fail.
        let _ = out.write_fmt(args);
    };
    put(format_args!("M{x} {y}"));
    for corner in points.windows(3) {
        let [a, b, c] = *corner else { continue };
        let before = length(a, b);
        let after = length(b, c);
        // Half of a line belongs to the corner at its other end.
        let radius = RADIUS.min(before / 2).min(after / 2);
        let (from, to) = (toward(b, a, radius), toward(b, c, radius));
        line(&mut put, a, from);
        put(format_args!("Q{} {} {} {}", b.0, b.1, to.0, to.1));
    }
    if let [.., a, b] = *points {
        line(&mut put, a, b);
    }
    out
}

/// Returns the length of the rounded line, so that dashes can be aligned where lines join.
pub(super) fn rounded_length(points: &[(i32, i32)]) -> f64 {
    let straight: i32 = points.windows(2).map(|pair| if let [a, b] = *pair { length(a, b) } else { 0 }).sum();
    let corners: i32 = points
        .windows(3)
        .map(|corner| if let [a, b, c] = *corner { RADIUS.min(length(a, b) / 2).min(length(b, c) / 2) } else { 0 })
        .sum();
    // A quadratic curve over a right angle of legs r is 1.6232 r long.
    f64::from(straight) - f64::from(corners) * (2.0 - 1.6232)
}

fn line(put: &mut impl FnMut(std::fmt::Arguments), from: (i32, i32), to: (i32, i32)) {
    if from.0 == to.0 {
        put(format_args!("V{}", to.1));
    } else {
        put(format_args!("H{}", to.0));
    }
}

fn length(a: (i32, i32), b: (i32, i32)) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// Returns the point at a distance from `at` in the direction of `to`.
fn toward(at: (i32, i32), to: (i32, i32), distance: i32) -> (i32, i32) {
    (at.0 + (to.0 - at.0).signum() * distance, at.1 + (to.1 - at.1).signum() * distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_rounded_as_far_as_there_is_space() {
        for (points, path) in [
            (vec![], ""),
            (vec![(1, 2), (1, 9)], "M1 2V9"),
            (vec![(0, 0), (0, 20), (30, 20)], "M0 0V12Q0 20 8 20H30"),
            (vec![(0, 0), (0, 20), (6, 20), (6, 40)], "M0 0V17Q0 20 3 20H3Q6 20 6 23V40"),
        ] {
            assert_eq!(rounded(&points), path);
        }
        assert_eq!(rounded_length(&[(0, 0), (0, 10)]), 10.0);
    }
}
