"""Shapes of published models, by name: what ``training`` takes where a parameter is not given."""

from __future__ import annotations

from collections.abc import Mapping

MODELS: Mapping[str, Mapping[str, int | float | bool]] = {
    # Narayanan et al., SC 2021 (arXiv 2104.04473), table 1 and section 5.
    "gpt-3": {"layers": 96, "hidden": 12288, "sequence": 2048, "vocabulary": 51200},
    "gpt-1t": {"layers": 128, "hidden": 25600, "sequence": 2048, "vocabulary": 51200},
    # Llama Team: The Llama 3 Herd of Models (arXiv 2407.21783), table 3; 8 heads of keys and values.
    "llama-3-8b": {
        "layers": 32,
        "hidden": 4096,
        "ffn": 14336,
        "gated": True,
        "kv_share": 8 / 32,
        "sequence": 8192,
        "vocabulary": 128000,
    },
    "llama-3-70b": {
        "layers": 80,
        "hidden": 8192,
        "ffn": 28672,
        "gated": True,
        "kv_share": 8 / 64,
        "sequence": 8192,
        "vocabulary": 128000,
    },
    "llama-3-405b": {
        "layers": 126,
        "hidden": 16384,
        "ffn": 53248,
        "gated": True,
        "kv_share": 8 / 128,
        "sequence": 8192,
        "vocabulary": 128000,
    },
    # Jiang et al.: Mixtral of Experts (arXiv 2401.04088), table 1.
    "mixtral-8x7b": {
        "layers": 32,
        "hidden": 4096,
        "ffn": 14336,
        "gated": True,
        "kv_share": 8 / 32,
        "sequence": 32768,
        "vocabulary": 32000,
        "experts": 8,
        "top_k": 2,
    },
}
"""Parameters of each model, by name; the sequence is that of its training, or the longest that it reads."""
