//! How long a flow takes at least: the closed form of a pipeline of packets over links that are idle.

use super::super::alone::{Crossed, leaving, narrowest};
use super::super::fabric::{Link, PathLink};
use super::super::time::Time;

/// Time of one packet over links, stored and forwarded.
pub(super) fn one_way<'a>(links: impl Iterator<Item = &'a Link>, size: u16) -> Time {
    links.map(|link| link.rate.serialisation(size) + link.delay).sum()
}

/// How many full packets so many bytes make, of which size, and the size of a last one, 0 where there is none.
pub(in crate::sim) fn packets(bytes: u64, payload: u16, header: u16) -> (u64, u16, u16) {
    let rest = (bytes % u64::from(payload)) as u16;
    (bytes / u64::from(payload), payload + header, if rest == 0 { 0 } else { rest + header })
}

/// Time from the start of the first of `full` packets of `size` bytes, and a last one of `last` bytes if that is not 0,
/// to the arrival of the last bit.
pub(in crate::sim) fn pipeline(path: &[PathLink], full: u64, size: u16, last: u16) -> Time {
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
/// All packets leave by the ports of the host, and cross the links that carry least together.
pub(super) fn pipelines(paths: &[Vec<PathLink>], bytes: u64, payload: u16, header: u16) -> Time {
    let (full, size, last) = packets(bytes, payload, header);
    if let [path] = paths {
        return pipeline(path, full, size, last);
    }
    if full == 0 {
        return paths.iter().map(|path| pipeline(path, 0, size, last)).min().unwrap_or(0);
    }
    let (ports, narrowest) = (leaving(paths), narrowest(paths));
    let least = across(&ports, paths, full, size);
    if narrowest == ports { least } else { least.max(across(&narrowest, paths, full, size)) }
}

/// When so many packets of `size` bytes can have arrived over paths each of which has a link among those of a cut.
///
/// A link sends them one after the other, the first no earlier than it can arrive, and each has the rest of its path to go.
fn across(cut: &[Crossed], paths: &[Vec<PathLink>], full: u64, size: u16) -> Time {
    // Of each link of the cut: time of one packet, and of each further one.
    let mut links: Vec<(u32, Time, Time)> =
        cut.iter().map(|(port, rate)| (*port, Time::MAX, rate.serialisation(size))).collect();
    links.sort_unstable_by_key(|(port, ..)| *port);
    for path in paths {
        let one = pipeline(path, 1, size, 0);
        for hop in path {
            if let Ok(place) = links.binary_search_by_key(&hop.port, |(port, ..)| *port) {
                links[place].1 = links[place].1.min(one);
            }
        }
    }
    let sent_by = |time: Time| -> u64 {
        let count = |(_, one, each): &(u32, Time, Time)| time.checked_sub(*one).map_or(0, |left| left / each + 1);
        links.iter().map(count).fold(0, u64::saturating_add)
    };
    let (mut least, mut most) = (0, links.iter().map(|(_, one, each)| one + full * each).min().unwrap_or(0));
    while least < most {
        let middle = least + (most - least) / 2;
        if sent_by(middle) >= full { most = middle } else { least = middle + 1 }
    }
    least
}
