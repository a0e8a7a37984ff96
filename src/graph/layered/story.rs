//! Finds the links of the main story, and the side on which links lead back: on the left, except for those of catchers.

use super::cycles::Cycles;
use super::{Class, Groups, Link, ranks};

/// How important it is that a link is straight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Main {
    No,
    /// It is the main link from its source and the main link into its target.
    Local,
    /// It is on the main path from the start.
    Path,
}

#[derive(Debug)]
pub(super) struct Story {
    /// The importance of each link.
    pub main: Vec<Main>,
    /// For each link that leads back, whether it is on the right; all others are on the left.
    pub right: Vec<bool>,
}

pub(super) fn tell(items: usize, links: &[Link], cycles: &Cycles, ranks: &[u32]) -> Story {
    let height = ranks::heights(items, links, cycles);
    let flow = |i: usize| links[i].class == Class::Flow && !cycles.back[i];
    let outs = Groups::new(items, (0..links.len()).map(|i| flow(i).then(|| links[i].from)));
    let ins = Groups::new(items, (0..links.len()).map(|i| flow(i).then(|| links[i].to)));
    // Where a Choice forks, this is the link with the longest continuation, if there is only one.
    let main_out: Vec<Option<u32>> = (0..items)
        .map(|item| match outs.of(item) {
            [only] => Some(*only),
            many if many.len() <= 3 => {
                let best = many.iter().copied().max_by_key(|&i| height[links[i as usize].to])?;
                let top = height[links[best as usize].to];
                (many.iter().filter(|&&i| height[links[i as usize].to] == top).count() == 1).then_some(best)
            }
            _ => None,
        })
        .collect();
    let mut main = vec![Main::No; links.len()];
    let mut item = 0;
    // The path from the start ends at an even fork. It cannot loop, because none of its links leads back.
    while let Some(link) = main_out.get(item).copied().flatten() {
        main[link as usize] = Main::Path;
        item = links[link as usize].to;
    }
    for item in 0..items {
        let ins = ins.of(item);
        if ins.iter().any(|&i| main[i as usize] == Main::Path) {
            continue;
        }
        let near = |i: &&u32| ranks[links[**i as usize].from] + 1 == ranks[item];
        let candidate = match ins {
            [only] => Some(*only),
            many => {
                let mut near = many.iter().filter(near);
                near.next().filter(|_| near.next().is_none()).copied()
            }
        };
        if let Some(link) = candidate
            && main_out[links[link as usize].from] == Some(link)
        {
            main[link as usize] = Main::Local;
        }
    }
    // Links that lead back are on the left; those of catchers leave on the right, even if they lead back.
    let right = links.iter().zip(&cycles.back).map(|(link, &back)| back && link.class == Class::Catch).collect();
    Story { main, right }
}
