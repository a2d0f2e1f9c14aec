"""Sums and multiples of matrices, and host demands added up by rack."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import PnetError, SpecError, TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.traffic import aggregate, build_traffic

from .conftest import ring_of

factors = st.floats(1e-3, 1e3)
TERMS = ("all-to-all", "stride:s=2", "permutation:seed=3", "gravity")


def dense(text: str, n: int = 7) -> np.ndarray:
    return build_traffic(text, ring_of(n), "rack").to_csr().toarray()


@given(terms=st.lists(st.tuples(factors, st.sampled_from(TERMS)), min_size=1, max_size=4))
def test_sums_are_linear(terms: list[tuple[float, str]]) -> None:
    text = "+".join(f"{factor!r}*{term}" for factor, term in terms)
    np.testing.assert_allclose(dense(text), sum(factor * dense(term) for factor, term in terms))


@pytest.mark.parametrize("text", ["1e+1*all-to-all+stride:s=1", " 10 * all-to-all + stride:s=1"])
def test_numbers_and_spaces(text: str) -> None:
    np.testing.assert_allclose(dense(text), 10 * dense("all-to-all") + dense("stride:s=1"))
    assert build_traffic(text, ring_of(7), "rack").label == text


def test_files_are_terms_and_may_have_a_plus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "a+b.csv"):
        Path(name).write_text("src,dst,demand\n0,1,4\n")
    assert dense("0.5*a.csv+a.csv")[0, 1] == 6
    assert dense("a+b.csv")[0, 1] == 4


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("2*", SpecError, "a term of a sum is empty, found '2*'; allowed: 2*name+name:key=value"),
        ("0*all-to-all", SpecError, "0*all-to-all: invalid factor, found '0'; allowed: finite numbers > 0"),
        ("-1*all-to-all", SpecError, "-1*all-to-all: invalid factor, found '-1'; allowed: finite numbers > 0"),
        ("2x*all-to-all", SpecError, "2x*all-to-all: invalid factor, found '2x'; allowed: finite numbers > 0"),
        ("all-to-all+", SpecError, "not an expression, found 'all-to-all+'; allowed: name or name:key=value,key=value"),
        (
            "2*stride:s=1+stride:s=7",
            TrafficError,
            "stride:s=7: a stride of 7 over 7 racks makes every rack a fixed point; "
            "allowed: a stride that is not a multiple of 7",
        ),
    ],
)
def test_bad_sums(text: str, kind: type[PnetError], message: str) -> None:
    with pytest.raises(kind) as caught:
        dense(text)
    assert str(caught.value) == message


def test_operators() -> None:
    one = TrafficMatrix.from_entries("rack", 3, [0], [1], 2.0, label="one")
    other = TrafficMatrix.from_entries("rack", 3, [0, 1], [1, 2], 1.0, label="other")
    total = one.scaled(2) + other
    assert (total.demand.tolist(), total.label) == ([5.0, 1.0], "2*one+other")
    with pytest.raises(TrafficError) as caught:
        one.scaled(-1)
    assert str(caught.value) == "-1*one: invalid factor, found -1.0; allowed: 0, or 1e-15 to 1e+15"
    with pytest.raises(TrafficError) as caught:
        one + TrafficMatrix.from_entries("host", 3, [0], [1], label="hosts")
    assert (
        str(caught.value)
        == "one+hosts: matrices between 3 racks and between 3 hosts cannot be added: different endpoints"
    )


@given(n=st.integers(2, 8), hosts=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_aggregation_keeps_the_total(n: int, hosts: int, seed: int) -> None:
    network = ring_of(n, hosts_per_switch=hosts)
    traffic = build_traffic("exponential", network, "host", seed=seed)
    found = aggregate(traffic, network)
    assert found.matrix.total + found.inside == pytest.approx(traffic.total)
    assert found.inside_count == n * hosts * (hosts - 1)
    blocks = traffic.to_csr().toarray().reshape(n, hosts, n, hosts).sum(axis=(1, 3))
    np.testing.assert_allclose(found.matrix.to_csr().toarray(), blocks * (1 - np.eye(n)))


def test_aggregation_needs_common_racks() -> None:
    planes = [Plane.from_cables(2, [0], [1], host_switch=switch) for switch in ([0, 1], [1, 0])]
    network = Network.from_planes(planes)
    traffic = build_traffic("all-to-all", network, "host")
    with pytest.raises(TrafficError) as caught:
        aggregate(traffic, network)
    assert str(caught.value) == (
        "all-to-all: host 'h0' is in rack '0' of plane 0 and in '1' of plane 1; "
        "allowed: planes whose racks hold the same hosts"
    )
    with pytest.raises(TrafficError, match="the matrix is between 2 racks; allowed: demands between the network's"):
        aggregate(build_traffic("all-to-all", network, "rack"), network)
