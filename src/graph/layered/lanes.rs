//! Determines where links are attached to items, after all x are known. Lanes at the sides move outwards to where their links
//! continue, which needs one corner instead of three. Links from catchers enter on the side that they come from.

use super::layers::{LANE, Layers, Port, Side};

/// The space beside a lane that was moved outwards.
const SPACE: i32 = 10;

/// The ends of steps that share a lane: the number of the step, and whether it is its upper end.
#[derive(Clone, Default)]
struct Lane(Vec<(u32, bool)>);

/// The lanes of an item. Links that leave backwards go up from their lane, all others go down, so that the two do not meet.
#[derive(Clone, Default)]
struct Sides {
    left_in: Lane,
    left_out: Lane,
    catch: Lane,
    right_in: Lane,
    right_out: Lane,
}

/// Determines where links from catchers enter an item beside other links: right of its middle, left of it, or with the others
/// in the middle, whichever avoids crossings.
pub(super) fn settle_entries(layers: &mut Layers, items: usize, x: &[i32]) {
    // These are the ranges from which the other links and those of catchers come.
    let mut others = vec![(i32::MAX, i32::MIN); items];
    let mut catches = vec![(i32::MAX, i32::MIN); items];
    let from = |port: Port| x[port.node as usize] + port.dx;
    for step in &layers.steps {
        let ranges = match step.down.side {
            Side::Middle => &mut others,
            Side::Right => &mut catches,
            _ => continue,
        };
        if let Some(range) = ranges.get_mut(step.down.node as usize) {
            *range = (range.0.min(from(step.up)), range.1.max(from(step.up)));
        }
    }
    for step in layers.steps.iter_mut().filter(|step| step.down.side == Side::Right) {
        let item = step.down.node as usize;
        let (Some(&others), Some(&catches)) = (others.get(item), catches.get(item)) else { continue };
        let slot = step.down.dx;
        step.down.dx = if catches.0 >= others.1 {
            slot
        } else if catches.1 <= others.0 {
            -slot
        } else {
            0
        };
    }
}

/// Moves the ports of steps outwards if nothing is between the lane and its new position.
pub(super) fn widen(layers: &mut Layers, items: usize, x: &[i32]) {
    let mut sides = vec![Sides::default(); items];
    for (i, step) in layers.steps.iter().enumerate() {
        for (port, is_up) in [(step.up, true), (step.down, false)] {
            let Some(sides) = sides.get_mut(port.node as usize) else { continue };
            let lane = match (port.side, is_up) {
                (Side::Left, true) => &mut sides.left_in,
                (Side::Left, false) => &mut sides.left_out,
                (Side::Right, true) => &mut sides.catch,
                (Side::FarRight, true) => &mut sides.right_in,
                (Side::FarRight, false) => &mut sides.right_out,
                // The link of a catcher enters at the top, beside the middle.
                (Side::Middle, _) | (Side::Right, false) => continue,
            };
            lane.0.push((i as u32, is_up));
        }
    }
    // The free space to the left and to the right of each item.
    let mut room = vec![(i32::MIN, i32::MAX); items];
    for layer in &layers.layers {
        for pair in layer.windows(2) {
            let (left, right) = (pair[0] as usize, pair[1] as usize);
            let gap = x[right] - x[left];
            if let Some(room) = room.get_mut(left) {
                room.1 = gap - layers.nodes[right].left - SPACE;
            }
            if let Some(room) = room.get_mut(right) {
                room.0 = -(gap - layers.nodes[left].right - SPACE);
            }
        }
    }
    // Links from an item to itself are to the left of its lanes.
    for (room, _) in room.iter_mut().zip(&layers.loops).filter(|(_, loops)| **loops > 0) {
        room.0 = 0;
    }
    for (item, sides) in sides.iter().enumerate() {
        let (low, high) = room[item];
        move_lane(layers, x, &sides.left_in, low, -1);
        move_lane(layers, x, &sides.left_out, low, -1);
        move_lane(layers, x, &sides.right_out, high, 1);
        let incoming = move_lane(layers, x, &sides.right_in, high, 1);
        move_lane(layers, x, &sides.catch, incoming.map_or(high, |dx| dx - LANE), 1);
    }
}

/// Moves a lane to the nearest x to which one of its links goes, and returns its new x.
fn move_lane(layers: &mut Layers, x: &[i32], lane: &Lane, limit: i32, sign: i32) -> Option<i32> {
    let port = |layers: &Layers, &(step, is_up): &(u32, bool)| -> (Port, Port) {
        let step = layers.steps[step as usize];
        if is_up { (step.up, step.down) } else { (step.down, step.up) }
    };
    let (own, _) = port(layers, lane.0.first()?);
    // Several lanes would have to keep their order.
    if lane.0.iter().any(|end| port(layers, end).0.dx != own.dx) {
        return lane.0.iter().map(|end| port(layers, end).0.dx * sign).min().map(|dx| dx * sign);
    }
    let places =
        lane.0.iter().map(|end| (x[port(layers, end).1.node as usize] + port(layers, end).1.dx - x[own.node as usize]) * sign);
    let nearest = places.min()?;
    if nearest <= own.dx * sign || nearest > limit.saturating_mul(sign) {
        return Some(own.dx);
    }
    for &(step, is_up) in &lane.0 {
        let step = &mut layers.steps[step as usize];
        let port = if is_up { &mut step.up } else { &mut step.down };
        port.dx = nearest * sign;
    }
    Some(nearest * sign)
}
