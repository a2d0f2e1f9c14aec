"""Small linear programs, solved in rational numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

ZERO = Fraction(0)


@dataclass(frozen=True)
class Solved:
    """The optimum of a program ``max gain x, rows x <= most, x >= 0``, with the values of ``x`` and the row prices."""

    value: Fraction
    x: list[Fraction]
    price: list[Fraction]


def maximum(
    gain: Sequence[Fraction], rows: Sequence[Mapping[int, Fraction]], most: Sequence[Fraction]
) -> Solved | None:
    """Return the optimum; None where ``x`` may grow for ever; ValueError where there is no ``x``.

    The simplex method in dictionaries (V. Chvatal, "Linear Programming", 1983), with the rule of R. Bland (1977), by
    which it always ends.
    """
    found = _Dictionary(gain, rows, most)
    if min(most, default=ZERO) < 0:
        found.reach()
    return found.optimum() if found.maximise() else None


class _Dictionary:
    """Each basic variable as a bound less a row of the others, which are 0."""

    def __init__(
        self, gain: Sequence[Fraction], rows: Sequence[Mapping[int, Fraction]], most: Sequence[Fraction]
    ) -> None:
        self.columns = len(gain)
        self.rows = [dict(row) for row in rows]
        self.most = list(most)
        self.gain = {k: value for k, value in enumerate(gain) if value}
        self.value = ZERO
        # Variables are numbered: x first, then one for the room in each row.
        self.names = list(range(self.columns))
        self.base = [self.columns + i for i in range(len(rows))]

    def pivot(self, i: int, k: int) -> None:
        """Exchange the basic variable of row ``i`` for the one in column ``k``."""
        row, inverse = self.rows[i], 1 / self.rows[i][k]
        row = {at: value * inverse for at, value in row.items()}
        row[k] = inverse
        self.rows[i], self.most[i] = row, self.most[i] * inverse
        for other, values in enumerate(self.rows):
            if other != i and k in values:
                self.most[other] -= _eliminate(values, row, k) * self.most[i]
        if k in self.gain:
            self.value += _eliminate(self.gain, row, k) * self.most[i]
        self.names[k], self.base[i] = self.base[i], self.names[k]

    def maximise(self) -> bool:
        """Go on until nothing gains; return whether there is an end."""
        while True:
            k = min((k for k, value in self.gain.items() if value > 0), key=self.names.__getitem__, default=None)
            if k is None:
                return True
            leaving = [(self.most[i] / row[k], self.base[i], i) for i, row in enumerate(self.rows) if row.get(k, 0) > 0]
            if not leaving:
                return False
            self.pivot(min(leaving)[2], k)

    def reach(self) -> None:
        """Find values that fit every row: the least by which all bounds have to be exceeded is 0."""
        gain, self.gain = self.gain, {self.columns: Fraction(-1)}
        self.names.append(-1)
        for row in self.rows:
            row[self.columns] = Fraction(-1)
        self.pivot(min(range(len(self.rows)), key=self.most.__getitem__), self.columns)
        self.maximise()
        if self.value < 0:
            raise ValueError("nothing fits")
        if -1 in self.base:
            i = self.base.index(-1)
            self.pivot(i, next(k for k, value in self.rows[i].items() if value))
        k = self.names.index(-1)
        for row in self.rows:
            row.pop(k, None)
        # What was to be gained, in the variables that are not basic now.
        self.gain, self.value = {}, ZERO
        place = {name: at for at, name in enumerate(self.names)}
        for name, value in gain.items():
            if name in place:
                self._gain(place[name], value)
            else:
                i = self.base.index(name)
                self.value += value * self.most[i]
                for at, part in self.rows[i].items():
                    self._gain(at, -value * part)

    def _gain(self, at: int, value: Fraction) -> None:
        self.gain[at] = self.gain.get(at, ZERO) + value

    def optimum(self) -> Solved:
        """Return what was found."""
        values = dict(zip(self.base, self.most, strict=True))
        gains = {self.names[k]: -value for k, value in self.gain.items()}
        x = [values.get(name, ZERO) for name in range(self.columns)]
        return Solved(self.value, x, [gains.get(self.columns + i, ZERO) for i in range(len(self.rows))])


def _eliminate(values: dict[int, Fraction], row: Mapping[int, Fraction], k: int) -> Fraction:
    """Put ``row`` in for column ``k`` of ``values``, and return what stood there."""
    factor = values.pop(k)
    for at, value in row.items():
        changed = values.get(at, ZERO) - factor * value if at != k else -factor * value
        if changed:
            values[at] = changed
        else:
            values.pop(at, None)
    return factor
