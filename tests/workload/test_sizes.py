"""Flow sizes against published means, closed forms and drawn samples."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.workload import SIZES, SizeDistribution, parse_sizes

PACKET = 1460


@pytest.mark.parametrize(
    ("text", "packets"),
    [
        ("pfabric-web-search", 1138),
        ("pfabric-data-mining", 5117),
        ("pfabric-web-search:interpolation=log", 1065),
        ("pfabric-data-mining:interpolation=log", 3406),
    ],
)
def test_means_are_those_that_the_scripts_use(text: str, packets: int) -> None:
    """The ns-2 scripts of pFabric hard-code 1,138 and 5,117 packets, the linear means."""
    assert parse_sizes(text).mean_bytes / PACKET == pytest.approx(packets, rel=0.003)


@pytest.mark.parametrize("name", SIZES.names())
def test_drawn_sizes_follow_the_curve(name: str) -> None:
    sizes = parse_sizes(name)
    drawn = sizes.draw(200_000, np.random.default_rng(1))
    assert drawn.min() >= 1
    assert drawn.max() <= sizes.size[-1]
    for share, size in zip(sizes.share, sizes.size, strict=True):
        # Half a byte for the rounding of sizes; five standard deviations of a share.
        assert np.mean(drawn <= size + 0.5) >= share - 5 * 0.5 / np.sqrt(len(drawn))
    logarithm = np.log(np.maximum(sizes.quantile((np.arange(10**6) + 0.5) / 10**6), 1))
    assert np.log(drawn).mean() == pytest.approx(logarithm.mean(), abs=6 * logarithm.std() / np.sqrt(len(drawn)))


@pytest.mark.parametrize("name", SIZES.names())
@pytest.mark.parametrize("interpolation", ["linear", "log"])
def test_mean_is_the_integral_of_the_quantiles(name: str, interpolation: str) -> None:
    sizes = parse_sizes(f"{name}:interpolation={interpolation}")
    # Within each segment, so that the heavy tail is integrated as finely as the head.
    edges = np.concatenate([[0.0], sizes.share])
    total = 0.0
    for low, high in itertools.pairwise(edges):
        middle = low + (high - low) * (np.arange(20_000) + 0.5) / 20_000
        total += (high - low) * float(sizes.quantile(middle).mean())
    assert sizes.mean_bytes == pytest.approx(total, rel=1e-6)


def test_sizes_by_bytes() -> None:
    """Uniform from 1 to 3: of a mean of 2, flows up to x have (x^2 - 1) / 4, a share of (x^2 - 1) / 8 of all bytes."""
    sizes = SizeDistribution.from_points([1, 3], [0, 1], "linear").by_bytes()
    for x in (1, 1.5, 2, 2.5, 3):
        assert sizes.quantile((x**2 - 1) / 8) == pytest.approx(x, abs=1e-9)
    # Half of the flows have 1 byte and half have 3: a quarter of the bytes is the former's.
    steps = SizeDistribution.from_points([1, 1, 3, 3], [0, 0.5, 0.5, 1], "log").by_bytes()
    assert steps.quantile([0.2, 0.24, 0.26, 0.9]).tolist() == pytest.approx([1, 1, 3, 3])
    assert SizeDistribution.from_points([7], [1], "linear").by_bytes().mean_bytes == 7


@pytest.mark.parametrize("name", SIZES.names())
def test_flows_drawn_by_bytes_have_the_mean_square_over_the_mean(name: str) -> None:
    plain, weighted = parse_sizes(name), parse_sizes(f"{name}:weights=bytes")
    edges = np.concatenate([[0.0], plain.share])
    square = 0.0
    for low, high in itertools.pairwise(edges):
        middle = low + (high - low) * (np.arange(20_000) + 0.5) / 20_000
        square += (high - low) * float((plain.quantile(middle) ** 2).mean())
    assert weighted.mean_bytes == pytest.approx(square / plain.mean_bytes, rel=1e-3)
    assert (weighted.quantile([0, 1]) == plain.quantile([0, 1])).all()
    assert np.all(np.diff(weighted.share) >= 0)


@given(st.integers(1, 10**12))
def test_a_number_is_that_size(count: int) -> None:
    sizes = parse_sizes(str(count))
    assert sizes.mean_bytes == count
    assert set(sizes.draw(5, np.random.default_rng(0))) == {count}


@pytest.mark.parametrize(
    ("text", "count"), [("10MB", 10**7), ("64KiB", 65536), ("1.5kB", 1500), ("100 MiB", 104857600)]
)
def test_units(text: str, count: int) -> None:
    assert parse_sizes(text).mean_bytes == count


def test_file(tmp_path: Path) -> None:
    file = tmp_path / "sizes.csv"
    file.write_text("bytes,share\n1000,0\n3000,1\n")
    assert parse_sizes(f"{file}:interpolation=linear").mean_bytes == 2000
    assert parse_sizes(str(file)).mean_bytes == pytest.approx(2000 / np.log(3))
    # The mean square of 1 to 3 kB, 13/3, over the mean.
    mean = parse_sizes(f"{file}:interpolation=linear,weights=bytes").mean_bytes
    assert mean == pytest.approx(13_000 / 3 / 2, rel=1e-4)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("size,share\n1,1\n", ":1: not the header, found 'size,share'; allowed: bytes,share"),
        ("bytes,share\n1\n", ":2: not a row, found '1'; allowed: bytes,share"),
        ("bytes,share\n1,a\n", ":2: not a size in bytes and a share, found '1,a'"),
        ("bytes,share\n", ": there are no points"),
        ("", ": the file is empty"),
        ("bytes,share\n" + "1" * 200_000, ":2: not CSV (field larger than field limit (131072))"),
        ("bytes,share\n1,0.5\n", ": the last share does not cover all flows, found 0.5; allowed: 1"),
        ("bytes,share\n5,0.5\n4,1\n", ": a size is below the one before, found 4.0"),
        ("bytes,share\n5,0.5\n6,0.4\n7,1\n", ": a share is below the one before, found 0.4"),
        ("bytes,share\n0.5,1\n", ": invalid size, found 0.5; allowed: 1 to 1e+15"),
        ("bytes,share\nnan,1\n", ":2: not a size in bytes and a share, found 'nan,1'"),
    ],
)
def test_broken_files(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "sizes.csv"
    file.write_text(content)
    with pytest.raises(WorkloadError) as caught:
        parse_sizes(str(file))
    assert str(caught.value) == f"{file}{message}"


@pytest.mark.parametrize(
    "text", ["0", "-1", "10MX", "1.5", "web", "pfabric-web-search:k=1", "facebook-cache:weights=hosts", "", "1e400"]
)
def test_what_is_no_size(text: str) -> None:
    with pytest.raises((SpecError, WorkloadError)) as caught:
        parse_sizes(text)
    assert "\n" not in str(caught.value)


def test_a_distribution_has_points() -> None:
    with pytest.raises(WorkloadError, match="0 sizes have 0 shares"):
        SizeDistribution.from_points([], [], "linear")
