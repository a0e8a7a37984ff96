//! The colours and signs of a run in a drawing: the status of each state.

use super::svg::Theme;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The status of a state: how it ended, or its current activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Status {
    /// It has not run.
    Idle,
    /// It waits for its turn in a Map with MaxConcurrency.
    Queued,
    /// It is running.
    Running,
    /// A debugger has stopped here.
    Paused,
    /// It waits for a time.
    Waiting,
    /// It waits for an external answer.
    Awaiting,
    /// It has failed and will be retried.
    Retrying,
    /// It has succeeded.
    Succeeded,
    /// It has failed, and a catcher has handled the error.
    Caught,
    /// It has failed.
    Failed,
    /// It has timed out.
    TimedOut,
    /// It was aborted, because an enclosing state or the execution ended.
    Cancelled,
    /// It was not reached.
    Skipped,
}

impl Status {
    const NAMES: [(&str, Status); 13] = [
        ("idle", Status::Idle),
        ("queued", Status::Queued),
        ("running", Status::Running),
        ("paused", Status::Paused),
        ("waiting", Status::Waiting),
        ("awaiting", Status::Awaiting),
        ("retrying", Status::Retrying),
        ("succeeded", Status::Succeeded),
        ("caught", Status::Caught),
        ("failed", Status::Failed),
        ("timedOut", Status::TimedOut),
        ("cancelled", Status::Cancelled),
        ("skipped", Status::Skipped),
    ];

    /// Returns the status with a name in the JSON: `succeeded`, `timedOut` ….
    pub fn named(name: &str) -> Option<Status> {
        Status::NAMES.iter().find(|(known, _)| *known == name).map(|(_, status)| *status)
    }
}

/// The appearance of a status.
struct Appearance {
    class: &'static str,
    description: &'static str,
    /// The path data of its sign, in a square of 20 px, stroked.
    sign: &'static str,
    /// The width of the border and its dashes.
    border: (&'static str, &'static str),
    /// The border and fill, for the light and for the dark theme.
    light: (&'static str, &'static str),
    dark: (&'static str, &'static str),
}

const GREY: [(&str, &str); 2] = [("#57606a", "#f1f3f5"), ("#9aa4b0", "#1b2027")];
const TEAL: [(&str, &str); 2] = [("#00707d", "#e2f6f8"), ("#4fd0dc", "#0d292d")];
const RED: [(&str, &str); 2] = [("#c4161c", "#fdeaea"), ("#ff8585", "#331517")];

const fn look(
    class: &'static str,
    description: &'static str,
    sign: &'static str,
    border: (&'static str, &'static str),
    [light, dark]: [(&'static str, &'static str); 2],
) -> Appearance {
    Appearance { class, description, sign, border, light, dark }
}

impl Status {
    fn look(self) -> Appearance {
        match self {
            Status::Idle => look("idle", "not run", "", ("1.25", ""), [("#57606a", "#ffffff"), ("#8b96a3", "#0f1419")]),
            Status::Queued => look("queued", "queued", "M5 10V10.1M10 10V10.1M15 10V10.1", ("1.25", "5 4"), GREY),
            Status::Running => {
                look("running", "running", "M10 4A6 6 0 1 1 4 10", ("3", ""), [("#0b5cad", "#e3f0fd"), ("#6cb2ff", "#10263d")])
            }
            Status::Paused => {
                look("paused", "paused", "M7 4.5V15.5M13 4.5V15.5", ("3", ""), [("#a83200", "#ffefe6"), ("#ff9d5c", "#33200f")])
            }
            Status::Waiting => look("waiting", "waiting", "M10 3A7 7 0 1 1 9.99 3ZM10 6V10L12.8 11.8", ("2", ""), TEAL),
            Status::Awaiting => {
                look("awaiting", "waits for an answer", "M6.6 7.4A3.4 3.4 0 1 1 11.6 10Q10 11 10 12.6M10 16V16.1", ("2", ""), TEAL)
            }
            Status::Retrying => look(
                "retrying",
                "failed, will retry",
                "M15.8 10A5.8 5.8 0 1 1 13.9 5.7M14.6 2.4V6.3H10.7",
                ("2", "6 4"),
                [("#7a3fb3", "#f3eafb"), ("#c79bff", "#251a36")],
            ),
            Status::Succeeded => {
                look("succeeded", "succeeded", "M4 10.5L8 14.5L16 5.5", ("2", ""), [("#1a7f37", "#e6f6ea"), ("#5fd17a", "#10291a")])
            }
            Status::Caught => look(
                "caught",
                "failed, caught",
                "M4 5.5Q4 14 12 14H16M13 11L16 14L13 17M8 3.5L12 7.5M12 3.5L8 7.5",
                ("2", ""),
                [("#8a5300", "#fff3dd"), ("#f0b24a", "#2e2310")],
            ),
            Status::Failed => look("failed", "failed", "M5 5L15 15M15 5L5 15", ("3", ""), RED),
            Status::TimedOut => look("timedout", "timed out", "M10 3A7 7 0 1 1 9.99 3ZM10 6V10L12.8 11.8", ("3", "2 3"), RED),
            Status::Cancelled => look("cancelled", "cancelled", "M10 3A7 7 0 1 1 9.99 3ZM5.2 5.2L14.8 14.8", ("2", "2 3"), GREY),
            Status::Skipped => look("skipped", "not reached", "", ("1.25", ""), [("#57606a", "#ffffff"), ("#8b96a3", "#0f1419")]),
        }
    }

    /// The class for elements with this status, without the prefix and `is-`.
    pub(super) fn class(self) -> &'static str {
        self.look().class
    }

    /// The name of the status in words.
    pub(super) fn description(self) -> &'static str {
        self.look().description
    }

    /// The path data of its sign; empty for states that did nothing.
    pub(super) fn sign(self) -> &'static str {
        self.look().sign
    }
}

/// Writes the rules of a style sheet for these statuses.
pub(super) fn sheet(out: &mut String, p: &str, statuses: &[Status], theme: Theme) {
    // Writing to a String cannot fail, here and below.
    let _ = write!(
        out,
        ".{p}-sign{{stroke-width:2}}.{p}-sign path{{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}}\
         .{p}-note text{{font-size:11px;font-weight:600;text-anchor:middle}}.{p}-note rect{{stroke-width:1.4}}\
         .{p}-is-skipped{{opacity:.45}}.{p}-untaken{{opacity:.35}}.{p}-taken{{stroke-width:2.4}}"
    );
    for status in statuses {
        let look = status.look();
        let (width, dashes) = look.border;
        let _ = write!(out, ".{p}-is-{} .{p}-box{{stroke-width:{width}", look.class);
        if !dashes.is_empty() {
            let _ = write!(out, ";stroke-dasharray:{dashes}");
        }
        out.push('}');
    }
    match theme {
        Theme::Light => colours(out, p, statuses, false),
        Theme::Dark => colours(out, p, statuses, true),
        Theme::Auto => {
            colours(out, p, statuses, false);
            out.push_str("@media (prefers-color-scheme:dark){");
            colours(out, p, statuses, true);
            out.push('}');
        }
    }
}

fn colours(out: &mut String, p: &str, statuses: &[Status], dark: bool) {
    let ground = if dark { "#0f1419" } else { "#ffffff" };
    let _ = write!(out, ".{p}-sign,.{p}-sign path{{stroke:{ground}}}.{p}-note rect{{fill:{ground}}}");
    let text = if dark { "#eef2f6" } else { "#16191f" };
    let _ = write!(out, ".{p}-note text{{fill:{text}}}");
    for status in statuses {
        let look = status.look();
        let class = look.class;
        let (border, fill) = if dark { look.dark } else { look.light };
        let _ = write!(
            out,
            ".{p}-is-{class} .{p}-box,.{p}-is-{class} .{p}-note rect{{stroke:{border}}}.{p}-node.{p}-is-{class} .{p}-box{{fill:{fill}}}\
             .{p}-is-{class} .{p}-sign circle{{fill:{border}}}.{p}-line.{p}-taken.{p}-by-{class}{{stroke:{border}}}\
             .{p}-head-by-{class}{{fill:{border}}}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::contrast;
    use super::*;

    const ALL: [Status; 13] = [
        Status::Idle,
        Status::Queued,
        Status::Running,
        Status::Paused,
        Status::Waiting,
        Status::Awaiting,
        Status::Retrying,
        Status::Succeeded,
        Status::Caught,
        Status::Failed,
        Status::TimedOut,
        Status::Cancelled,
        Status::Skipped,
    ];

    #[test]
    fn status_names_match_the_json() {
        for status in ALL {
            let name = serde_json::to_value(status).unwrap();
            assert_eq!(Status::named(name.as_str().unwrap()), Some(status));
        }
        assert_eq!(Status::named("Succeeded"), None);
    }

    #[test]
    fn every_status_has_contrast_with_its_fill_and_the_background() {
        for status in ALL {
            let look = status.look();
            for ((border, fill), ground, text) in [(look.light, "#fbfcfd", "#16191f"), (look.dark, "#0f1419", "#eef2f6")] {
                assert!(contrast(border, fill) >= 4.5, "{status:?}: {border} on {fill}");
                assert!(contrast(border, ground) >= 4.5, "{status:?}: {border} on {ground}");
                assert!(contrast(text, fill) >= 12.0, "{status:?}: {text} on {fill}");
            }
        }
    }

    #[test]
    fn every_status_differs_by_more_than_its_colour() {
        let mut signs: Vec<_> = ALL.map(|status| (status.sign(), status.look().border, status == Status::Skipped)).into();
        signs.sort();
        let before = signs.len();
        signs.dedup();
        assert_eq!(signs.len(), before);
    }
}
