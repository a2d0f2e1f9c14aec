"""Formats of files, an entry each: recognised by content when a file is read, chosen by suffix when one is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pnet_lp.errors import PnetError
from pnet_lp.extras import need
from pnet_lp.files import exists
from pnet_lp.layouts import decoded, opening
from pnet_lp.registry import Registry
from pnet_lp.writing import output_file

T = TypeVar("T")

LAST = 9
"""The :attr:`Format.order` of a format that is tried only where neither content nor suffix names another."""


@dataclass(frozen=True)
class Format(Generic[T]):
    """One file format of values of type ``T``.

    Attributes:
        name: of its entry.
        suffixes: of files in this format, lower case, the usual one first; none for one that is known by content alone.
        write: ``(value, path, ...)``, such that ``read`` gives the same value back; what follows the path is said where
            the registry of such formats is.  Raises an error where the format cannot hold the value.  None for a format
            that is only read, which has no suffixes.
        read: ``(content, where, ...) -> value``; ``where`` is the file.  Raises the registry's error, with file and
            line where the format has lines, and nothing else.  None for a format that is only written.
        recognise: true where a file is in this format, broken or not, by its :func:`~pnet_lp.layouts.opening`; in time
            linear in that.
        order: of recognition, lowest first: 0 where the first characters are the format's own, 1 where it takes every
            document of a family such as XML, 2 where the sign stands further down.
        vague_suffixes: suffixes that choose this format for writing, and tell nothing about a file that is read.
        library: of :data:`pnet_lp.extras.EXTRAS`, without which the format cannot be used.
        read_all: ``(content, where, ...) -> values`` of a file that can hold several; None where ``read`` does.
        read_inside: ``(content, where, ...) -> value`` that is inside each part of the file's own, None where none is;
            what that means is said where the registry of such formats is.  None where files hold no such thing.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[..., None] | None
    read: Callable[..., T] | None = None
    recognise: Callable[[str], object] = lambda _: False
    order: int = 0
    vague_suffixes: tuple[str, ...] = ()
    library: str = ""
    read_all: Callable[..., tuple[T, ...]] | None = None
    read_inside: Callable[..., T | None] | None = None


class Formats(Registry[Format[T]]):
    """The formats of one kind of file.

    Args:
        noun: what such a file holds, for messages (``"network"``).
        fault: the error to raise.
        package, group: as of a registry.
        difference: where two values differ, for a message, or ``""``; None where they are the same.
    """

    def __init__(
        self,
        noun: str,
        fault: type[PnetError],
        *,
        package: str,
        group: str,
        difference: Callable[[T, T], str | None] = lambda _, __: None,
    ) -> None:
        super().__init__(f"{noun} format", package=package, group=group)
        self.noun, self.fault = noun, fault
        self._difference = difference

    def add(self, format_: Format[T], *, summary: str) -> None:
        """Register a format under its name."""
        self.register(format_.name, summary=summary)(format_)

    def add_text(
        self,
        name: str,
        suffixes: tuple[str, ...],
        summary: str,
        parse: Callable[..., T],
        render: Callable[..., str] | None,
        *,
        begins: str | tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        """Register a format of text: ``parse(text, where, ...) -> value`` and ``render(value, ...) -> text``, or None.

        Its files begin with what ``begins`` says, blanks and comments aside; ``more`` are other attributes of
        :class:`Format`, such as ``recognise`` instead.
        """
        if begins:
            more["recognise"] = lambda head: head.startswith(begins)

        def read(data: bytes, where: str, *given: object) -> T:
            return parse(decoded(data, where, self.fault), where, *given)

        def write(value: T, temporary: Path, *given: object) -> None:
            assert render is not None
            temporary.write_text(render(value, *given), encoding="utf-8", newline="")

        self.add(Format(name, suffixes, write if render else None, read, **more), summary=summary)

    @property
    def formats(self) -> list[Format[T]]:
        """All formats, in the order of recognition."""
        return sorted((entry.build for entry in self), key=lambda known: known.order)

    def suffixes(self) -> tuple[str, ...]:
        """Return the suffixes of all formats, sorted."""
        return tuple(sorted(self._by_suffix))

    @property
    def _by_suffix(self) -> dict[str, Format[T]]:
        return {suffix: known for known in self.formats for suffix in (*known.suffixes, *known.vague_suffixes)}

    def is_path(self, text: str, *more: str) -> bool:
        """Whether a text is a path: there is a file, or it has a slash, or a suffix of ours or of ``more``."""
        return "/" in text or os.sep in text or exists(text) or text.lower().endswith((*self.suffixes(), *more))

    def suffix_of(self, path: str | Path) -> str:
        """Return the suffix that names a file's format, the longest known one (``.sndlib.xml``) if there is one."""
        name = Path(path).name.lower()
        known = [suffix for suffix in self.suffixes() if name.endswith(suffix) and name != suffix]
        return max(known, key=len, default=Path(path).suffix)

    def chosen(self, path: str | Path) -> Format[T]:
        """Return the format that the suffix of a file to be written chooses.

        Raises:
            fault: an unknown suffix.
            PnetError: the library that writes the format is not installed.
        """
        found = self._by_suffix.get(self.suffix_of(path))
        if found is None:
            raise self.fault(
                f"unknown {self.kind}", where=str(path), found=self.suffix_of(path), allowed=", ".join(self.suffixes())
            )
        if found.library:
            need(found.library, str(path))
        return found

    def recognised(self, data: bytes, where: str) -> Format[T]:
        """Return the format of the file ``where``: the first that recognises its content, or else that of its suffix.

        Raises:
            fault: the format is unknown.
        """
        head = opening(data)
        readable = [known for known in self.formats if known.read is not None]
        for known in readable:
            if known.order < LAST and known.recognise(head):
                return known
        named = {suffix: known for known in readable for suffix in known.suffixes}
        if found := named.get(self.suffix_of(where)):
            return found
        for known in readable:
            if known.order == LAST and known.recognise(head):
                return known
        decoded(data, where, self.fault)
        raise self.fault(
            f"not a known {self.kind}",
            where=where,
            found=head.partition("\n")[0].strip() or None,
            allowed=f"a suffix that names the format: {', '.join(sorted(named))}" if named else ", ".join(self.names()),
        )

    def parse(self, data: bytes, where: str, *given: object) -> T:
        """Return the value in the content of the file ``where``; ``given`` is what readers take besides.

        Raises:
            fault: whatever is wrong with the file.
        """
        read = self.recognised(data, where).read
        assert read is not None
        return read(data, where, *given)

    def parse_all(self, data: bytes, where: str, *given: object) -> tuple[T, ...]:
        """Return the values in the content of the file ``where``, one in most formats; see :meth:`parse`."""
        found = self.recognised(data, where)
        return (self.parse(data, where, *given),) if found.read_all is None else found.read_all(data, where, *given)

    def save(self, value: T, path: str | Path, *given: object, reading: tuple[object, ...] | None = None) -> None:
        """Write a value in the format of the suffix, whole or not at all, and check that it is read back the same.

        Args:
            value: what is written.
            path: the file.
            given: what writers take besides.
            reading: what readers take besides; default: the same.

        Raises:
            fault: an unknown suffix, or a value that the format cannot hold.
            OutputError: the file cannot be written.
        """
        chosen = self.chosen(path)
        assert chosen.write is not None
        with output_file(path) as temporary:
            chosen.write(value, temporary, *given)
            if chosen.read is not None:
                again = chosen.read(temporary.read_bytes(), str(path), *(reading or given))
                lost = self._difference(value, again)
                if lost is not None:
                    raise self.fault(
                        f"{chosen.name} cannot hold this {self.noun} without loss", where=str(path), found=lost or None
                    )
