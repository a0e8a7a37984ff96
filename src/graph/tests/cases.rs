//! Tests with small definitions, each for one property.

use super::*;
use crate::graph::{Edge, EdgeKind, MAX_DEPTH, Node, NodeKind, SELECTOR_HEIGHT, SELECTOR_STAGES, SvgOptions, Theme, render_svg};

fn graph(text: &str) -> Graph {
    let graph = draw(&parse(text), Direction::TopToBottom);
    quality::check(&graph, text);
    graph
}

fn node<'a>(graph: &'a Graph, name: &str) -> &'a Node {
    graph.nodes.iter().find(|node| node.name == name).unwrap()
}

fn edge<'a>(graph: &'a Graph, id: &str) -> &'a Edge {
    graph.edges.iter().find(|edge| edge.id == id).unwrap()
}

#[test]
fn broken_definitions_are_drawn_as_far_as_possible() {
    for (text, nodes) in [
        ("null", vec![]),
        ("{}", vec!["Start"]),
        (r#"{"StartAt":"A"}"#, vec!["Start", "A"]),
        (r#"{"StartAt":"A","States":{"A":null}}"#, vec!["Start", "A"]),
        (r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"C":{"Next":"B"}}}"#, vec!["Start", "A", "C", "B"]),
        (r#"{"States":{"P":{"Type":"Parallel"}}}"#, vec!["Start", "P"]),
    ] {
        let names: Vec<String> = graph(text).nodes.into_iter().map(|node| node.name).collect();
        assert_eq!(names, nodes, "{text}");
    }
    let graph = graph(r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"C":{"Type":"Foo","Next":"B"}}}"#);
    assert_eq!(node(&graph, "B").kind, NodeKind::Missing);
    assert_eq!(node(&graph, "B").pointer, "/States/A/Next");
    assert_eq!(node(&graph, "C").kind, NodeKind::Unknown);
    assert!(!node(&graph, "C").reachable);
}

#[test]
fn loops_run_back_on_the_left_and_catchers_leave_on_the_right() {
    let graph = graph(
        r#"{"StartAt":"A","States":{
            "A":{"Type":"Task","Resource":"r","Next":"C","Catch":[{"ErrorEquals":["X","Y"],"Next":"H"}]},
            "C":{"Type":"Choice","Choices":[{"Variable":"$.ok","BooleanEquals":true,"Next":"E"}],"Default":"A"},
            "E":{"Type":"Succeed"},"H":{"Type":"Fail"}}}"#,
    );
    let back = edge(&graph, "/States/C/Default");
    assert!(back.back);
    assert!(back.points.iter().all(|&(x, _)| x <= node(&graph, "C").x));
    let catch = edge(&graph, "/States/A/Catch/0");
    assert_eq!((catch.kind, catch.label.as_deref(), catch.title.as_deref()), (EdgeKind::Catch, Some("X +1"), Some("X, Y")));
    assert_eq!(catch.points[0].0, node(&graph, "A").x + node(&graph, "A").width);
    assert!(node(&graph, "H").x > node(&graph, "C").x);
    assert_eq!(graph.crossings, 0);
}

#[test]
fn a_state_may_lead_to_itself() {
    let graph = graph(
        r#"{"StartAt":"A","States":{"A":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericEquals":1,"Next":"A"}],"Default":"B"},
            "B":{"Type":"Task","Resource":"r","Next":"B","Catch":[{"ErrorEquals":["X"],"Next":"B"}]}}}"#,
    );
    assert!(edge(&graph, "/States/A/Choices/0").back);
    assert!(edge(&graph, "/States/A/Choices/0").label_box.is_some());
    assert!(edge(&graph, "/States/B/Catch/0").back);
}

#[test]
fn rules_with_one_target_share_a_line() {
    let rules: Vec<String> = (0..6).map(|i| format!(r#"{{"Variable":"$.n","NumericEquals":{i},"Next":"B"}}"#)).collect();
    let graph = graph(&format!(
        r#"{{"StartAt":"A","States":{{"A":{{"Type":"Choice","Choices":[{}],"Default":"C"}},"B":{{"Type":"Pass","End":true}},"C":{{"Type":"Pass","End":true}}}}}}"#,
        rules.join(",")
    ));
    let lines: Vec<&Edge> = graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Choice).collect();
    assert_eq!(lines.len(), 6);
    assert!(lines.iter().all(|edge| edge.points == lines[0].points));
    assert_eq!(lines.iter().filter(|edge| edge.label_box.is_some()).count(), 4);
    assert_eq!(lines[3].label.as_deref(), Some("+3 more"));
}

#[test]
fn scopes_can_be_folded() {
    let definition = parse(
        r#"{"StartAt":"P","States":{"P":{"Type":"Parallel","End":true,"Branches":[
            {"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Pass","End":true}}},
            {"StartAt":"M","States":{"M":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"X","States":{"X":{"Type":"Pass","End":true}}}}}}]}}}"#,
    );
    let open = draw(&definition, Direction::TopToBottom);
    assert_eq!(node(&open, "X").parent.as_deref(), Some("/States/P/Branches/1/States/M/ItemProcessor"));
    assert_eq!(node(&open, "X").depth, 2);
    assert_eq!(node(&open, "P").states, 4);
    let options = LayoutOptions { collapsed: ["/States/P".to_string()].into(), ..LayoutOptions::default() };
    let folded = layout(&definition, &options);
    assert!(folded.nodes.iter().all(|node| node.parent.is_none()));
    assert!(node(&folded, "P").collapsed);
    assert_eq!(node(&folded, "P").caption, "Parallel · 4 states");
    assert!(folded.width < open.width && folded.height < open.height);
}

/// Branches that are alike are placed once; the surroundings of a branch must not change how it is drawn.
#[test]
fn each_branch_is_placed_as_if_it_were_alone() {
    let chain = |a: &str, b: &str, more: &str| {
        format!(
            r#"{{"StartAt":"{a}","States":{{"{a}":{{"Type":"Task","Resource":"x",{more}"Next":"{b}"}},"{b}":{{"Type":"Pass","End":true}}}}}}"#
        )
    };
    let branches = [
        chain("A1", "A2", ""),
        chain("B1", "B2", ""),
        // The branches have the same boxes with other lines, then another label, then wider boxes.
        chain("C1", "C2", r#""Catch":[{"ErrorEquals":["E"],"Next":"C2"}],"#),
        chain("D1", "D2", r#""Catch":[{"ErrorEquals":["AnErrorWithALongName"],"Next":"D2"}],"#),
        chain("The name of this one is much longer", "E2", ""),
        chain("F1", "F2", ""),
    ];
    let parallel = |branches: &[String]| {
        graph(&format!(
            r#"{{"StartAt":"P","States":{{"P":{{"Type":"Parallel","Branches":[{}],"End":true}}}}}}"#,
            branches.join(",")
        ))
    };
    let together = parallel(&branches);
    // Returns the boxes and lines of a branch, relative to its corner.
    let drawn = |graph: &Graph, branch: usize| {
        let at = format!("/States/P/Branches/{branch}");
        let scope = node(graph, &format!("Branch {}", branch + 1));
        let (left, top) = (scope.x, scope.y);
        let nodes = graph.nodes.iter().filter(|node| node.parent.as_deref() == Some(&at));
        let boxes: Vec<_> = nodes.map(|node| (node.x - left, node.y - top, node.width, node.height, node.reachable)).collect();
        let edges = graph.edges.iter().filter(|edge| edge.id.starts_with(&at));
        let lines: Vec<Vec<_>> = edges.map(|edge| edge.points.iter().map(|(x, y)| (x - left, y - top)).collect()).collect();
        (boxes, lines)
    };
    for (i, branch) in branches.iter().enumerate() {
        assert_eq!(drawn(&together, i), drawn(&parallel(std::slice::from_ref(branch)), 0), "{branch}");
    }
    assert_eq!(drawn(&together, 0), drawn(&together, 5));
    assert_ne!(drawn(&together, 0), drawn(&together, 2));
}

#[test]
fn large_and_deep_scopes_are_folded_unless_they_are_opened() {
    let many: Vec<String> = (0..61).map(|i| format!(r#""S{i}":{{"Type":"Pass","End":true}}"#)).collect();
    let mut deep = r#"{"Type":"Pass","End":true}"#.to_string();
    for level in (1..=5).rev() {
        let inner = format!(r#"{{"StartAt":"D{}","States":{{"D{}":{deep}}}}}"#, level + 1, level + 1);
        deep = format!(r#"{{"Type":"Map","ItemProcessor":{inner},"End":true}}"#);
    }
    let definition = parse(&format!(
        r#"{{"StartAt":"L","States":{{"L":{{"Type":"Map","Next":"D1","ItemProcessor":{{"StartAt":"S0","States":{{{}}}}}}},"D1":{deep}}}}}"#,
        many.join(",")
    ));
    let folded = |expanded: &[&str]| -> Vec<String> {
        let expanded = expanded.iter().map(|pointer| pointer.to_string()).collect();
        let graph = layout(&definition, &LayoutOptions { fold_large: true, expanded, ..LayoutOptions::default() });
        graph.nodes.into_iter().filter(|node| node.collapsed).map(|node| node.name).collect()
    };
    assert_eq!(folded(&[]), ["L", "D4"]);
    let open = "/States/D1/ItemProcessor/States/D2/ItemProcessor/States/D3/ItemProcessor/States/D4";
    assert_eq!(folded(&["/States/L", open]), ["D5"]);
    assert!(layout(&definition, &LayoutOptions::default()).nodes.iter().all(|node| !node.collapsed));
}

#[test]
fn nesting_is_bounded() {
    // This is deeper than any JSON text can be, so it is built from parts.
    let mut value = parse(r#"{"Type":"Pass","End":true}"#);
    for _ in 0..100 {
        let mut states = crate::base::Map::new();
        states.insert("M", value);
        let mut scope = parse(r#"{"StartAt":"M"}"#);
        scope.make_object().unwrap().insert("States", states);
        value = parse(r#"{"Type":"Map","End":true}"#);
        value.make_object().unwrap().insert("ItemProcessor", scope);
    }
    let mut root = parse(r#"{"StartAt":"M"}"#);
    let mut states = crate::base::Map::new();
    states.insert("M", value);
    root.make_object().unwrap().insert("States", states);
    let graph = draw(&root, Direction::TopToBottom);
    quality::check(&graph, "deep");
    assert!(graph.truncated);
    assert_eq!(graph.nodes.iter().filter(|node| node.kind == NodeKind::Map).count(), MAX_DEPTH);
}

#[test]
fn long_names_are_bounded() {
    // The name of a state is part of the pointer of every state inside of it.
    let inner: Vec<String> = (0..2_000).map(|i| format!(r#""{i}":{{"Type":"Pass","Next":"{i}"}}"#)).collect();
    let name = "n".repeat(100_000);
    let definition = parse(&format!(
        r#"{{"StartAt":"{name}","States":{{"{name}":{{"Type":"Map","ItemProcessor":{{"States":{{{}}}}}}}}}}}"#,
        inner.join(",")
    ));
    let graph = draw(&definition, Direction::TopToBottom);
    assert!(graph.truncated);
    assert!(graph.nodes.len() > 10 && graph.nodes.len() < 200);
}

/// Returns a machine with states `0` to `count - 1`, each created from its number.
fn machine(count: usize, state: impl Fn(usize) -> String) -> Value {
    let states: Vec<String> = (0..count).map(|i| format!(r#""{i}":{}"#, state(i))).collect();
    parse(&format!(r#"{{"StartAt":"0","States":{{{}}}}}"#, states.join(",")))
}

#[test]
fn hostile_shapes_stay_drawable() {
    let choice = |targets: &mut dyn Iterator<Item = usize>| {
        let rules: Vec<String> = targets.map(|to| format!(r#"{{"Variable":"$.n","NumericEquals":{to},"Next":"{to}"}}"#)).collect();
        format!(r#"{{"Type":"Choice","Choices":[{}]}}"#, rules.join(","))
    };
    let pass = |next: usize| format!(r#"{{"Type":"Pass","Next":"{next}"}}"#);
    let fan = machine(2_001, |i| if i == 0 { choice(&mut (1..2_001)) } else { r#"{"Type":"Pass","End":true}"#.into() });
    let complete = machine(40, |i| choice(&mut (0..40).filter(|&to| to != i)));
    let skips = machine(800, |i| choice(&mut [(i + 1) % 800, (i + 400).min(799)].into_iter()));
    let backs = machine(400, |i| if i < 200 { pass(i + 1) } else { choice(&mut [(i + 1).min(399), i - 200].into_iter()) });
    let handler = machine(600, |i| {
        if i == 599 {
            return r#"{"Type":"Fail"}"#.into();
        }
        format!(r#"{{"Type":"Task","Next":"{}","Catch":[{{"ErrorEquals":["States.ALL"],"Next":"599"}}]}}"#, i + 1)
    });
    for (name, definition) in [("fan", fan), ("complete", complete), ("skips", skips), ("backs", backs), ("handler", handler)] {
        let graph = draw(&definition, Direction::TopToBottom);
        let on_top = quality::check(&graph, name);
        println!("{name}: {} x {} px, {} crossings, {on_top} lines on top of others", graph.width, graph.height, graph.crossings);
        assert!(graph.width < 2_000_000 && graph.height < 2_000_000, "{name}");
    }
}

#[test]
fn any_name_is_safe_in_the_drawing() {
    let name = r#"</title><script>alert("1")</script>&amp;'\u0000\u202e]]>"#.replace('"', "\\\"");
    let definition = parse(&format!(
        r#"{{"Comment":"<b>&","StartAt":"{name}","States":{{"{name}":{{"Type":"<x>","Comment":"--><y>","Next":"{name}2","Resource":"<z>"}}}}}}"#
    ));
    let graph = draw(&definition, Direction::TopToBottom);
    for theme in [Theme::Auto, Theme::Light, Theme::Dark] {
        let options = SvgOptions { theme, prefix: "\"><script>".into(), ..SvgOptions::default() };
        let svg = render_svg(&graph, &options);
        let tags: std::collections::BTreeSet<&str> =
            svg.split('<').skip(1).map(|tag| tag.split([' ', '>', '/']).find(|name| !name.is_empty()).unwrap()).collect();
        let known = ["svg", "title", "desc", "style", "defs", "marker", "path", "rect", "g", "text", "circle"];
        assert!(tags.iter().all(|tag| known.contains(tag)), "{tags:?}");
        assert!(!svg.contains("alert(\"1\")") && !svg.contains('\0'));
    }
}

#[test]
fn the_json_has_the_documented_shape() {
    let graph = graph(r#"{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"r","End":true}}}"#);
    let json = serde_json::to_value(&graph).unwrap();
    assert_eq!(json["direction"], "TB");
    assert_eq!(json["nodes"][1]["id"], "/States/A");
    assert_eq!(json["nodes"][1]["type"], "Task");
    assert_eq!(json["edges"][0]["kind"], "start");
    assert!(json["edges"][0]["path"].as_str().unwrap().starts_with('M'));
    assert!(json["edges"][0].get("labelBox").is_none());
    let back: Graph = serde_json::from_value(json).unwrap();
    assert_eq!(back, graph);
}

#[test]
fn a_run_is_drawn_with_signs_words_and_lines() {
    let definition = parse(
        r#"{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"r","Next":"B","Catch":[{"ErrorEquals":["X"],"Next":"F"}]},
            "B":{"Type":"Succeed"},"F":{"Type":"Fail"}}}"#,
    );
    let graph = draw(&definition, Direction::TopToBottom);
    let options: SvgOptions = serde_json::from_str(
        r#"{"theme":"light","status":{"A":"caught","/States/F":"failed","B":"skipped","Unknown":"running"},
            "taken":{"/States/A/Catch/0":2,"/StartAt":1},"notes":{"A":"×2 <"}}"#,
    )
    .unwrap();
    let svg = render_svg(&graph, &options);
    for expected in [
        r#"class="sg-node sg-task sg-is-caught"><title>A (Task, r), failed, caught, ×2 &lt;</title>"#,
        r#"sg-node sg-fail sg-is-failed"#,
        r#"sg-node sg-succeed sg-is-skipped"#,
        r#"class="sg-line sg-line-catch sg-taken sg-by-caught""#,
        r#"class="sg-line sg-line-flow sg-untaken""#,
        ".sg-is-caught .sg-box{stroke-width:2}",
        ">×2 &lt;</text>",
        // Arrows have the colour of their lines.
        r#"marker-end="url(#sg-arrow-by-caught)""#,
        ".sg-head-by-caught{fill:#8a5300}",
        // Signs are on the border, where there is no name.
        r#"<circle cx="186" cy="146" r="10"/>"#,
        r#"x="24" y="92" width="176" height="54""#,
        // A text is as long as its space, whatever the font.
        r#"textLength="39" lengthAdjust="spacingAndGlyphs">Task · r</text>"#,
    ] {
        assert!(svg.contains(expected), "{expected} in {svg}");
    }
    assert!(!svg.contains("is-running"));
    assert!(!render_svg(&graph, &SvgOptions::default()).contains("sg-is-"), "a drawing without a run has no trace of one");
}

/// A page that puts controls into a Map's box has space for them, and the data for their labels.
#[test]
fn maps_describe_their_iterations_and_have_space_for_a_choice() {
    let definition = parse(
        r#"{"StartAt":"M","States":{"M":{"Type":"Map","MaxConcurrency":7,"End":true,
            "ItemReader":{"Resource":"arn:aws:states:::s3:getObject"},"ItemBatcher":{"MaxItemsPerBatch":20},
            "ResultWriter":{"Resource":"arn:aws:states:::s3:putObject"},
            "ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED"},"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}}}}"#,
    );
    let find = |graph: &Graph, id: &str| graph.nodes.iter().find(|node| node.id == id).unwrap().clone();
    let plain = layout(&definition, &LayoutOptions::default());
    let map = find(&plain, "/States/M").map.unwrap();
    assert_eq!((map.distributed, map.max_concurrency, map.batcher.unwrap().items), (true, Some(7), Some(20)));
    assert_eq!((map.reader.as_deref(), map.writer.as_deref()), (Some("s3 getObject"), Some("s3 putObject")));
    assert_eq!(find(&plain, "/States/M/ItemProcessor/States/A").map, None);

    let roomy = layout(&definition, &LayoutOptions { selectors: true, ..LayoutOptions::default() });
    let below = |graph: &Graph| find(graph, "/States/M/ItemProcessor").y - find(graph, "/States/M").y;
    assert_eq!(below(&roomy) - below(&plain), SELECTOR_HEIGHT + SELECTOR_STAGES);
    assert!(find(&roomy, "/States/M").width >= 320);
    let folded = LayoutOptions { selectors: true, collapsed: vec!["/States/M".into()], ..LayoutOptions::default() };
    assert_eq!(find(&layout(&definition, &folded), "/States/M").height, 54);
}

#[test]
fn the_json_equals_that_of_serde() {
    let text = r#"{"Comment":"a \"quote\"\nand é","StartAt":"M","States":{
        "M":{"Type":"Map","MaxConcurrency":9007199254740993,"ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"EXPRESS"},
            "StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:states:::glue:startJobRun.sync","Comment":"c","End":true}}},
            "ItemReader":{"Resource":"arn:aws:states:::s3:getObject"},"ItemBatcher":{"MaxInputBytesPerBatch":5},
            "ResultWriter":{"Resource":"arn:aws:states:::s3:putObject"},"Next":"B"},
        "B":{"Type":"Map","ItemBatcher":{"MaxItemsPerBatch":1,"MaxInputBytesPerBatch":5},"ItemProcessor":{"StartAt":"W","States":{
            "W":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage.waitForTaskToken","Retry":[{"ErrorEquals":["States.ALL"]}],"End":true}}},
            "Catch":[{"ErrorEquals":["A","B"],"Next":"Gone"}],"Next":"C"},
        "C":{"Type":"Choice","Choices":[{"Variable":"$.a","NumericGreaterThan":1,"Next":"M"}],"Default":"Lost"},"Lost":{"Type":"Fail"}}}"#;
    let definition = json::parse(text).unwrap();
    for direction in [Direction::TopToBottom, Direction::LeftToRight] {
        let options = LayoutOptions { direction, aspect: Some(1.0), selectors: true, ..LayoutOptions::default() };
        let graph = layout(&definition, &options);
        assert_eq!(graph.to_json(), serde_json::to_string(&graph).unwrap());
    }
}
