"""The software and hardware a result was made with."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGES = ("fewaspect", "torch", "transformers", "accelerate", "numpy", "safetensors")
OPTIONAL = ("onnxruntime",)


def describe_environment() -> dict[str, Any]:
    """Package versions, processor, threads and GPU; no host name, user or paths. JSON-able."""
    import torch

    optional = [name for name in OPTIONAL if find_spec(name)]
    versions = {name: metadata.version(name) for name in (*PACKAGES, *optional)}
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "packages": versions,
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
