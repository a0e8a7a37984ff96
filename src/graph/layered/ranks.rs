//! Ranks: every link that does not lead back goes to a higher rank.

use super::cycles::Cycles;
use super::{Groups, Link};

/// Assigns ranks by the longest path from the start. Items that the start does not reach are as close above their first target
/// as possible.
pub(super) fn assign(items: usize, links: &[Link], cycles: &Cycles) -> Vec<u32> {
    let forward = |(i, link): (usize, &Link)| (!cycles.back[i]).then_some(link.from);
    let outs = Groups::new(items, links.iter().enumerate().map(forward));
    // The start is alone at the top.
    let mut rank = vec![u32::from(items > 1); items];
    if let Some(start) = rank.first_mut() {
        *start = 0;
    }
    for &item in &cycles.order {
        for &link in outs.of(item as usize) {
            let to = links[link as usize].to;
            rank[to] = rank[to].max(rank[item as usize] + 1);
        }
    }
    // Nothing above determines the rank of unreached items: they are moved down, targets first.
    for &item in cycles.order.iter().rev() {
        let item = item as usize;
        if cycles.reached[item] {
            continue;
        }
        if let Some(nearest) = outs.of(item).iter().map(|&link| rank[links[link as usize].to]).min() {
            rank[item] = rank[item].max(nearest.saturating_sub(1));
        }
    }
    rank
}

/// The length of the longest path from each item to an item without outgoing links.
pub(super) fn heights(items: usize, links: &[Link], cycles: &Cycles) -> Vec<u32> {
    let mut height = vec![0u32; items];
    let outs = Groups::new(items, links.iter().enumerate().map(|(i, link)| (!cycles.back[i]).then_some(link.from)));
    for &item in cycles.order.iter().rev() {
        height[item as usize] = outs.of(item as usize).iter().map(|&link| height[links[link as usize].to] + 1).max().unwrap_or(0);
    }
    height
}
