"""Writes ``pnet_lp/notebook/ask.pyi``: the functions that ask questions, with the types of their arguments.

python tools/stubs.py           write it
python tools/stubs.py --check   exit with 1 where it is not what the models say
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pnet_lp import questions
from pnet_lp.notebook.ask import first_argument, own_keys, shared_keywords, takes_values
from pnet_lp.questions.base import QUESTIONS, Case
from pnet_lp.registry import AsText
from pnet_lp.units import quantity_of

STUB = Path(__file__).parents[1] / "pnet_lp" / "notebook" / "ask.pyi"

_LIKE = {
    "topology": "TopologyLike",
    "architecture": "TopologyLike",
    "traffic": "TrafficLike",
    "workload": "WorkloadLike",
}
"""What a key can be beside a name, of a question that takes values."""
_HEAD = """from collections.abc import Sequence
from typing import Literal

from pnet_lp.notebook.inputs import TopologyLike, TrafficLike, WorkloadLike"""


def stub() -> str:
    """Return the text of the stub, formatted."""
    names = [name for name, _ in questions.commands().values()]
    parts = [part for name in sorted(names) for part in _function(name)]
    imports = sorted(part for part in parts if part.startswith("from "))
    text = "\n".join([_HEAD, *imports, "", *(part for part in parts if not part.startswith("from "))])
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(STUB), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def _function(name: str) -> Iterator[str]:
    """Yield the import of an answer's class, and the function that returns it."""
    entry = QUESTIONS.get(name)
    model = entry.params
    assert issubclass(model, Case)
    answer = model.__name__.removesuffix("Case") + "Answer"
    yield f"from {entry.build.__module__} import {answer}"
    first, fields = first_argument(model), model.model_fields
    like = _LIKE if takes_values(name) else {}
    lines = [f"    {first}: {like.get(first, 'str')},"] if first else []
    lines.append("    *,")
    for key in own_keys(model):
        field = fields[key]
        kind = like.get(key) or _written(field.annotation, field.metadata)
        lines.append(f"    {key}: {kind}," if field.is_required() else f"    {key}: {_or_none(kind)} = ...,")
    lines += [f"    {key}: {kind} = ...," for key, (kind, _) in shared_keywords(model).items()]
    yield "\n".join([f"def {name.replace('-', '_')}(", *lines, f") -> {answer}: ..."])


def _or_none(kind: str) -> str:
    return kind if kind.endswith("None") else f"{kind} | None"


def _written(annotation: Any, metadata: Any = ()) -> str:
    """Return the type of what may be given for a key."""
    kinds = get_args(annotation)
    if AsText in (*metadata, *getattr(annotation, "__metadata__", ())):
        text = annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation
        return f"{_written(text).removesuffix(' | None')} | float"
    if quantity_of(annotation, metadata) is not None:
        return "str"
    match get_origin(annotation):
        case origin if origin is Literal:
            return f"Literal[{', '.join(map(repr, kinds))}]"
        case origin if origin in (Union, UnionType):
            inner = [_written(kind) for kind in kinds if kind is not NoneType]
            return " | ".join([*inner, *(["None"] if NoneType in kinds else [])])
        case origin if origin is tuple:
            inner = _written(kinds[0])
            return f"{inner} | Sequence[{inner}]" if kinds[-1] is Ellipsis else f"Sequence[{inner}]"
        case _:
            return str(annotation.__name__)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(STUB.read_text(encoding="utf-8") != stub())
    STUB.write_text(stub(), encoding="utf-8")
