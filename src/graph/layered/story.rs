//! Which links carry the main story, and on which side of it links lead back: on the left, but for those that catch.

use super::cycles::Cycles;
use super::{Class, Groups, Link, ranks};

/// How much a link wants to be straight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Main {
    No,
    /// The one way on from its source and the one way into its target.
    Local,
    /// On the way from the start.
    Path,
}

#[derive(Debug)]
pub(super) struct Story {
    /// For each link.
    pub main: Vec<Main>,
    /// For each link that leads back, whether it runs on the right; all others run on the left.
    pub right: Vec<bool>,
}

pub(super) fn tell(items: usize, links: &[Link], cycles: &Cycles, ranks: &[u32]) -> Story {
    let height = ranks::heights(items, links, cycles);
    let flow = |i: usize| links[i].class == Class::Flow && !cycles.back[i];
    let outs = Groups::new(items, (0..links.len()).map(|i| flow(i).then(|| links[i].from)));
    let ins = Groups::new(items, (0..links.len()).map(|i| flow(i).then(|| links[i].to)));
    // Where a Choice forks, the one way that goes on longer than all others.
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
    // The way from the start ends where it forks evenly; it cannot loop, as no link of it leads back.
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
    // Ways back run on the left; what catches leaves on the right, also where it leads back.
    let right = links.iter().zip(&cycles.back).map(|(link, &back)| back && link.class == Class::Catch).collect();
    Story { main, right }
}
