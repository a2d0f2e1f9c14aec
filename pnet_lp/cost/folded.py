"""Sizes of folded Clos networks of one radix, and the topology that has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Folded:
    """A folded Clos network of r-port chips without oversubscription, with ``half = r / 2``.

    Attributes:
        half: half of a chip's ports: hosts of a leaf, and its uplinks.
        tiers: as few as the hosts allow.
        pods: of ``half ** (tiers - 1)`` hosts each.
    """

    half: int
    tiers: int
    pods: int

    @classmethod
    def of(cls, hosts: int, radix: int) -> Folded:
        """Return the network with the fewest tiers.

        Raises:
            ValueError: the hosts do not fill an even number of pods.
        """
        half, tiers = radix // 2, 2
        if half < 2:
            raise ValueError(f"chips of {radix} ports make no tree")
        while 2 * half**tiers < hosts:
            tiers += 1
        pod = half ** (tiers - 1)
        if hosts % (2 * pod):
            raise ValueError(
                f"{tiers} tiers of {radix}-port chips have an even number of pods of {pod} hosts, "
                f"and {hosts} hosts do not fill them"
            )
        return cls(half, tiers, hosts // pod)

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return int(self.pods * self.half ** (self.tiers - 1))

    @property
    def chips(self) -> int:
        """Number of chips: hosts / half in each tier but the top, half as many there."""
        return (2 * self.tiers - 1) * self.hosts // (2 * self.half)

    @property
    def switch_hops(self) -> int:
        """Chips on a path between pods."""
        return 2 * self.tiers - 1

    @property
    def even(self) -> bool:
        """Whether every pod has equally many cables to every top chip that it reaches, so that nothing blocks."""
        return self.half % (self.pods // 2) == 0

    def expression(self, link_gbps: float) -> str:
        """Return the TOPOLOGY: folded-clos, in which the cables of the top step are dealt out to pods / 2 chips."""
        below = [self.half] * (self.tiers - 1)
        lists = {
            "children": [*below, self.pods],
            "parents": [*below[:-1], self.pods // 2],
            "uplinks": below,
        }
        written = ",".join(f"{key}={'x'.join(map(str, values))}" for key, values in lists.items())
        return f"folded-clos:{written},link_gbps={link_gbps!r}"
