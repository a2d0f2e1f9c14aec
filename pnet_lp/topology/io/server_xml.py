"""Servers as NCCL and hwloc's lstopo write them, in XML, through the translators of the package InfraGraph.

What becomes of them is what becomes of an InfraGraph device alone: accelerators, and what joins them.  The translators
keep no speeds.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from pnet_lp.errors import TopologyError
from pnet_lp.extras import load
from pnet_lp.layouts import parse_xml
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.topology.io.infragraph import plane_of

_NCCL = re.compile(r"(?:<\?xml[^>]*>\s*)?<system[\s>]")
_LSTOPO = re.compile(r"(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE topology SYSTEM \"hwloc[0-9]*\.dtd\">\s*)?<topology[\s>]")
_DOCTYPE = re.compile(r"<!DOCTYPE topology SYSTEM \"hwloc[0-9]*\.dtd\">")

_MOST_ELEMENTS = 100_000


def _parse_nccl(text: str, where: str, link_gbps: float) -> Plane:
    return _parse(text, where, link_gbps, "nccl_translator", "NcclParser")


def _parse_lstopo(text: str, where: str, link_gbps: float) -> Plane:
    # The declaration names a file that declares nothing; any other is refused.
    return _parse(_DOCTYPE.sub("", text, count=1), where, link_gbps, "lstopo_translator", "LstopoParser")


def _parse(text: str, where: str, link_gbps: float, module: str, name: str) -> Plane:
    _, places = parse_xml(text, where, TopologyError)
    if len(places) > _MOST_ELEMENTS:
        raise TopologyError(
            "too many elements for one server", where=where, found=len(places), allowed=f"at most {_MOST_ELEMENTS:,}"
        )
    translator = getattr(load(f"infragraph.translators.{module}", where), name)
    with TemporaryDirectory() as folder:
        temporary = Path(folder) / "server.xml"
        temporary.write_text(text, encoding="utf-8")
        try:
            # It prints what it does not know.
            with contextlib.redirect_stdout(io.StringIO()):
                document = json.loads(translator(str(temporary), "server").parse().serialize("json"))
        except Exception as error:
            problem = str(error).partition("\n")[0] or type(error).__name__
            raise TopologyError(f"InfraGraph's translator refuses it: {problem}", where=where) from None
    return plane_of({"edges": [], **document}, where, link_gbps)


NETWORK_FORMATS.add_text(
    "nccl", (), "a server as NCCL writes it, only read", _parse_nccl, None, recognise=_NCCL.match, library="infragraph"
)
NETWORK_FORMATS.add_text(
    "lstopo",
    (),
    "a server as hwloc writes it, only read",
    _parse_lstopo,
    None,
    recognise=_LSTOPO.match,
    library="infragraph",
)
