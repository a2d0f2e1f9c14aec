"""Latency: closed forms, and P-Net's table 2."""

import pytest

from pnet_lp.errors import SpecError
from pnet_lp.hops import HopDistribution, Rpc, count_hops, message_us, rpc_statistics
from pnet_lp.topology import build_network
from pnet_lp.units import DELAYS


def test_one_packet_is_stored_at_every_switch() -> None:
    # 1,500 B at 100 Gb/s take 0.12 us.
    assert message_us(3, 1500, 100, 1) == pytest.approx(3 * 1.12)
    assert message_us(1, 40, 100, 0) == pytest.approx(0.0032)


def test_packets_follow_one_another() -> None:
    def last_bit(links: int, sizes: list[int]) -> float:
        """Arrival of the last packet, event by event; bytes per microsecond are 12,500."""
        free = [0.0] * links
        done = 0.0
        for size in sizes:
            done = 0.0
            for link in range(links):
                begin = max(free[link], done)
                free[link] = begin + size / 12500
                done = free[link] + 0.5
        return done

    for links in (1, 2, 5):
        for full, rest in ((1, 1), (3, 700), (4, 1500)):
            sizes = [1500] * full + [rest]
            assert message_us(links, sum(sizes), 100, 0.5) == pytest.approx(last_bit(links, sizes))


def test_formula_of_the_paper() -> None:
    """4 L us + L (1 + 40 + 1500 + 40) B / rate over L = hops + 2 links of 1 us."""
    rpc = Rpc(1500, 100, 1)
    assert rpc.time_us(3) == pytest.approx(4 * 5 + 5 * 1581 * 8 / 100e3)


def test_table_2() -> None:
    """Completion time of a 1,500 B call relative to serial low-bandwidth: median and mean.

    The paper's 99th percentile depends on how a packet simulator waits; the boundary between 3 and 4 hops runs through
    it.  So does its mean of 99.2 % for homogeneous planes: copies of one graph shorten no path, and calls that meet
    nobody take as long as on one plane.
    """

    def figures(variant: str, gbps: float = 100) -> dict[str, float]:
        planes = 1 if variant == "serial" else 4
        network = build_network(["jellyfish-686"], planes=planes, variant=variant)  # type: ignore[arg-type]
        return rpc_statistics(count_hops(network, "host"), Rpc(1500, gbps))

    serial, same, other = (figures(variant) for variant in ("serial", "homogeneous", "heterogeneous"))
    fast = figures("serial", 400)
    for key in ("p50_us", "mean_us"):
        assert same[key] == serial[key]

    def percent(row: dict[str, float]) -> list[float]:
        return [100 * row[key] / serial[key] for key in ("p50_us", "mean_us")]

    assert percent(other) == pytest.approx([80.1, 86.6], abs=0.3)
    assert percent(fast) == pytest.approx([98.1, 97.9], abs=0.5)


def test_disconnected_pairs_have_no_time() -> None:
    found = rpc_statistics(HopDistribution((0, 3), 5), Rpc(1500, 100, 1))
    assert found["mean_us"] == pytest.approx(Rpc().time_us(1))
    assert found["p50_us"] is None
    assert rpc_statistics(HopDistribution((0,), 5), Rpc())["mean_us"] is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((0, 100, 1), "rpc_bytes: out of range, found 0; allowed: a finite number > 0"),
        ((1500, float("inf"), 1), "rate_gbps: out of range, found inf; allowed: a finite number > 0"),
        ((1500, 100, -1), f"hop_delay_us: invalid delay, found -1; allowed: {DELAYS}"),
        ((1500, 100, 1e6 + 1), f"hop_delay_us: invalid delay, found 1000001.0; allowed: {DELAYS}"),
    ],
)
def test_wrong_calls(values: tuple[float, float, float], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        Rpc(*values)
    assert str(caught.value) == message
