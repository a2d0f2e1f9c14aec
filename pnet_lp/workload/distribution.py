"""Flow sizes: one number, or a distribution given by points of its cumulative curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.files import read_limited, read_table
from pnet_lp.layouts import decoded, word_lines
from pnet_lp.model.arrays import FloatArray, floats, longs
from pnet_lp.model.brief import brief
from pnet_lp.model.workload import LongArray
from pnet_lp.registry import Params, Registry, parse_expression, validate
from pnet_lp.units import BYTES, parse_number

Interpolation: TypeAlias = Literal["linear", "log"]

_PARTS = 64
"""Parts of each piece of a curve whose flows are weighted."""

_LARGEST_BYTES = 1e15
_TEXT = (".txt", ".cdf")


@brief("label", "mean_bytes", "interpolation")
@dataclass(frozen=True, eq=False)
class SizeDistribution:
    """Sizes of flows in bytes: the inverse of a cumulative curve, straight between the points given.

    Attributes:
        size: float64 ``[n]``, bytes, ascending, at least 1.
        share: float64 ``[n]``, ascending to 1: the part of flows that are no larger.  Flows of the first share have the
            first size.
        interpolation: whether the curve is straight in the size or in its logarithm.
        label: the expression or file it came from.
    """

    size: FloatArray
    share: FloatArray
    interpolation: Interpolation
    label: str = ""

    @classmethod
    def from_points(
        cls, size: npt.ArrayLike, share: npt.ArrayLike, interpolation: Interpolation, *, label: str = ""
    ) -> SizeDistribution:
        """Return the checked distribution.

        Raises:
            WorkloadError: no points, sizes below a byte or that descend, shares that descend or do not end at 1.
        """
        s, p = (np.atleast_1d(np.asarray(size, dtype=np.float64)), np.atleast_1d(np.asarray(share, dtype=np.float64)))
        where = label or "sizes"
        if s.ndim != 1 or not len(s) or s.shape != p.shape:
            raise WorkloadError(f"{s.size} sizes have {p.size} shares", where=where, allowed="one share a size")
        for name, values, low, high in (("size", s, 1.0, _LARGEST_BYTES), ("share", p, 0.0, 1.0)):
            if np.any(bad := ~((values >= low) & (values <= high))):
                raise WorkloadError(
                    f"invalid {name}", where=where, found=float(values[bad][0]), allowed=f"{low:g} to {high:g}"
                )
            if np.any(fall := np.diff(values) < 0):
                raise WorkloadError(f"a {name} is below the one before", where=where, found=float(values[1:][fall][0]))
        if p[-1] != 1:
            raise WorkloadError("the last share does not cover all flows", where=where, found=float(p[-1]), allowed="1")
        return cls(floats(s), floats(p), interpolation, label)

    @property
    def mean_bytes(self) -> float:
        """Exact mean of the curve; drawn sizes are rounded to whole bytes."""
        return float(self.share[0] * self.size[0] + self._bytes().sum())

    def _bytes(self) -> FloatArray:
        """Return what the flows between every two points add to the mean."""
        low, high = self.size[:-1], self.size[1:]
        if self.interpolation == "linear":
            middle = (low + high) / 2
        else:
            # The mean of an exponential between two sizes is their logarithmic mean.
            ratio = np.log(high / low)
            middle = np.where(ratio > 0, (high - low) / np.where(ratio > 0, ratio, 1.0), low)
        return floats(np.diff(self.share) * middle)

    def quantile(self, share: npt.ArrayLike) -> FloatArray:
        """Return the sizes in bytes, not rounded, that these shares of flows do not exceed."""
        curve = self.size if self.interpolation == "linear" else np.log(self.size)
        # Where a share stands twice, the curve is upright there: a share just above it has the larger size.
        found = np.interp(np.asarray(share, dtype=np.float64), self.share, curve)
        return found if self.interpolation == "linear" else np.exp(found)

    def by_bytes(self) -> SizeDistribution:
        """Return the sizes of flows that each is drawn as often as it has bytes: those of the flows of a random byte.

        Between the points of this curve there are further ones, where the shares are exact.
        """
        between = np.linspace(0, 1, _PARTS + 1)[:-1]
        pieces = np.arange(len(self.share) - 1)[:, None]
        at = np.append((pieces + between).ravel(), len(self.share) - 1)
        curve = self.size if self.interpolation == "linear" else np.log(self.size)
        along, share = (np.interp(at, np.arange(len(self.share)), values) for values in (curve, self.share))
        size = along if self.interpolation == "linear" else np.exp(along)
        parts = SizeDistribution(floats(size), floats(share), self.interpolation)
        whole = np.cumsum(np.append(share[0] * size[0], parts._bytes()))
        return SizeDistribution(floats(size), floats(whole / whole[-1]), self.interpolation, self.label)

    def draw(self, count: int, random: np.random.Generator) -> LongArray:
        """Return int64 ``[count]`` sizes, whole bytes."""
        return longs(np.maximum(np.rint(self.quantile(random.random(count))), 1.0))


SizesBuilder: TypeAlias = Callable[[Any, str], SizeDistribution]
"""``(parameters, label) -> distribution``; the parameters are an instance of the entry's model."""

SIZES: Registry[SizesBuilder] = Registry("flow sizes", package="pnet_lp.workload.sizes", group="pnet_lp.sizes")


class CurveParams(Params):
    """Parameters of a published curve."""

    interpolation: Interpolation = Field(
        "log", description="between the points read off: linear in the size or in its logarithm"
    )
    weights: Literal["flows", "bytes"] = Field(
        "flows", description="shares of flows as they are; bytes: every flow is drawn as often as it has bytes"
    )

    def curve(self, size: npt.ArrayLike, share: npt.ArrayLike, label: str) -> SizeDistribution:
        """Return the distribution; see :meth:`SizeDistribution.from_points`."""
        found = SizeDistribution.from_points(size, share, self.interpolation, label=label)
        return found if self.weights == "flows" else found.by_bytes()


def parse_sizes(text: str, where: str = "sizes") -> SizeDistribution:
    """Return the distribution that ``text`` describes.

    Args:
        text: a number of bytes (``10MB``, ``64KiB``), a registered name (``facebook-cache``,
            ``facebook-cache:interpolation=linear``), or a file: ``.csv`` with the header ``bytes,share``, or
            ``.txt`` or ``.cdf`` with two columns, bytes and per cent, as HPCC and Parsimon have them.
        where: the parameter, for messages.

    Raises:
        SpecError: no size, an unknown name or an invalid parameter.
        WorkloadError: the file is missing or broken; the message names file and line.
    """
    text = text.strip()
    if text[:1].isdigit():
        return SizeDistribution.from_points([BYTES.parse(text, where)], [1.0], "linear", label=text)
    name, _, parameters = text.partition(":")
    if name.lower().endswith((".csv", *_TEXT)):
        values = parse_expression(f"file:{parameters}")[1] if parameters else {}
        if name.lower().endswith(_TEXT):
            # The programs that such files are for interpolate so.
            given = validate(CurveParams, {"interpolation": "linear", **values}, name)
            return _read_percents(Path(name), given)
        return _read_sizes(Path(name), validate(CurveParams, values, name))
    try:
        entry_name, values = parse_expression(text, SIZES)
        entry = SIZES.get(entry_name)
    except SpecError as error:
        raise SpecError(
            error.problem,
            where=where,
            found=error.found,
            allowed=f"a number of bytes such as 10MB, {', '.join(SIZES.names())}, or a .csv, .txt or .cdf file",
        ) from None
    return entry.build(entry.validate(values), text)


def _read_sizes(path: Path, params: CurveParams) -> SizeDistribution:
    points = []
    for where, row in read_table(path, ["bytes", "share"], WorkloadError):
        points.append([parse_number(field) for field in row])
        if np.isnan(points[-1]).any():
            raise WorkloadError("not a size in bytes and a share", where=where, found=",".join(row))
    return _curve(points, path, params)


def _read_percents(path: Path, params: CurveParams) -> SizeDistribution:
    points = []
    text = decoded(read_limited(path, WorkloadError), str(path), WorkloadError)
    for where, words in word_lines(text, str(path)):
        found = [parse_number(word) for word in words]
        if len(found) != 2 or not np.isfinite(found).all():
            raise WorkloadError("not bytes and per cent", where=where, found=" ".join(words))
        # Curves begin at 0 bytes, which no flow has.
        size = 1.0 if found == [0, 0] else found[0]
        points.append([size, found[1] / 100])
    if points and points[-1][1] == 0.01:
        raise WorkloadError(
            "the shares are fractions of 1", where=str(path), found="1", allowed="per cent, the last one 100"
        )
    return _curve(points, path, params)


def _curve(points: list[list[float]], path: Path, params: CurveParams) -> SizeDistribution:
    if not points:
        raise WorkloadError("there are no points", where=str(path))
    table = np.array(points)
    return params.curve(table[:, 0], table[:, 1], str(path))
