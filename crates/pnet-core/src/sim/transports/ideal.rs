//! How long a flow takes at least: the closed form of a pipeline of packets over links that are idle.

use super::super::fabric::{Link, PathLink};
use super::super::time::{Rate, Time};

/// Time of one packet over links, stored and forwarded.
pub(super) fn one_way<'a>(links: impl Iterator<Item = &'a Link>, size: u16) -> Time {
    links.map(|link| link.rate.serialisation(size) + link.delay).sum()
}

/// Rates of the ports by which paths leave their host.
pub(super) fn leaving(paths: &[Vec<PathLink>]) -> impl Iterator<Item = Rate> {
    let mut ports: Vec<(u32, Rate)> = paths.iter().map(|path| (path[0].port, path[0].link.rate)).collect();
    ports.sort_unstable_by_key(|(port, _)| *port);
    ports.dedup();
    ports.into_iter().map(|(_, rate)| rate)
}

/// Time from the start of the first of `full` packets of `size` bytes, and a last one of `last` bytes if that is not 0,
/// to the arrival of the last bit.
pub(super) fn pipeline(path: &[PathLink], full: u64, size: u16, last: u16) -> Time {
    // When the last full packet and the one after it have come to the node before a link.
    let (mut whole, mut rest) = (0, 0);
    let mut slowest = 0;
    for PathLink { link, .. } in path {
        let each = link.rate.serialisation(size);
        // Equal packets follow each other as closely as the slowest link so far lets them.
        let (before, after) = (slowest, each.max(slowest));
        slowest = after;
        whole += each + full.saturating_sub(1).saturating_mul(after - before);
        if full == 0 {
            whole = 0;
        }
        rest = whole.max(rest) + link.rate.serialisation(last) + link.delay;
        whole += link.delay;
    }
    if last == 0 { whole } else { rest }
}

/// The same over several paths, between which packets are divided as is best: a bound from below, attained by one path.
///
/// Paths that leave their host by one port share its rate.
pub(super) fn pipelines(paths: &[Vec<PathLink>], full: u64, size: u16, last: u16) -> Time {
    if let [path] = paths {
        return pipeline(path, full, size, last);
    }
    // Of each first port: time of one packet, and of each further one.
    let mut ports: Vec<(u32, Time, Time)> = vec![];
    for path in paths {
        let (one, each) = (pipeline(path, 1, size, 0), path[0].link.rate.serialisation(size));
        match ports.iter_mut().find(|(port, ..)| *port == path[0].port) {
            Some((_, least, _)) => *least = one.min(*least),
            None => ports.push((path[0].port, one, each)),
        }
    }
    if full == 0 {
        return paths.iter().map(|path| pipeline(path, 0, size, last)).min().unwrap_or(0);
    }
    let sent_by = |time: Time| -> u64 {
        let count =
            |(_, one, each): &(u32, Time, Time)| time.checked_sub(*one).map_or(0, |left| left / each + 1);
        ports.iter().map(count).fold(0, u64::saturating_add)
    };
    let (mut least, mut most) = (0, ports.iter().map(|(_, one, each)| one + full * each).min().unwrap_or(0));
    while least < most {
        let middle = least + (most - least) / 2;
        if sent_by(middle) >= full { most = middle } else { least = middle + 1 }
    }
    least
}
