//! Finds the links that lead back, with a depth-first search from the start that visits targets in the order of the links.
//!
//! A link to an item that is still on the search's path closes a cycle. The order of the items matters only for those that the
//! start does not reach.

use super::{Groups, Link};

/// The result of the search.
#[derive(Debug)]
pub(super) struct Cycles {
    /// For each link, whether it closes a cycle (a link from an item to itself does).
    pub back: Vec<bool>,
    /// All items in topological order of the links that do not lead back.
    pub order: Vec<u32>,
    /// When the search entered each item, and how many items it had entered when it left.
    pub enter: Vec<u32>,
    pub leave: Vec<u32>,
    /// Which items can be reached from the first.
    pub reached: Vec<bool>,
}

impl Cycles {
    /// Whether the search reached `inner` through `outer`.
    pub(super) fn encloses(&self, outer: usize, inner: usize) -> bool {
        self.enter[outer] <= self.enter[inner] && self.leave[inner] <= self.leave[outer]
    }
}

const NEW: u8 = 0;
const INSIDE: u8 = 1;
const DONE: u8 = 2;

pub(super) fn find(items: usize, links: &[Link]) -> Cycles {
    let outs = Groups::new(items, links.iter().map(|link| Some(link.from)));
    let mut found = Cycles {
        back: vec![false; links.len()],
        order: Vec::with_capacity(items),
        enter: vec![0; items],
        leave: vec![0; items],
        reached: vec![false; items],
    };
    let mut state = vec![NEW; items];
    let mut entered = 0;
    let mut stack: Vec<(usize, usize)> = Vec::new();
    // The roots are the start, then items without incoming links, then the rest.
    let mut has_source = vec![false; items];
    for link in links {
        has_source[link.to] |= link.from != link.to;
    }
    let roots = (0..items.min(1)).chain((0..items).filter(|&i| !has_source[i])).chain(0..items);
    for root in roots {
        if state[root] != NEW {
            continue;
        }
        state[root] = INSIDE;
        found.enter[root] = entered;
        entered += 1;
        stack.push((root, 0));
        while let Some((item, next)) = stack.last_mut() {
            let item = *item;
            match outs.of(item).get(*next) {
                Some(&link) => {
                    *next += 1;
                    let to = links[link as usize].to;
                    match state[to] {
                        NEW => {
                            state[to] = INSIDE;
                            found.enter[to] = entered;
                            entered += 1;
                            stack.push((to, 0));
                        }
                        INSIDE => found.back[link as usize] = true,
                        _ => {}
                    }
                }
                None => {
                    state[item] = DONE;
                    found.leave[item] = entered;
                    found.order.push(item as u32);
                    stack.pop();
                }
            }
        }
        if root == 0 {
            for (reached, &state) in found.reached.iter_mut().zip(&state) {
                *reached = state == DONE;
            }
        }
    }
    found.order.reverse();
    found
}
