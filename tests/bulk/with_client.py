"""A program: `fewaspect bulk ARGUMENTS` against a Ray of its own that is reached by ray://, as a cluster elsewhere is.

python with_client.py INPUT OUTPUT --model MODEL ...
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys

os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))  # both sides must know it

from ray.cluster_utils import Cluster as Machines


def main(*arguments: str) -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    machines = Machines(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "object_store_memory": 80 << 20, "ray_client_server_port": port},
    )
    command = [sys.executable, "-m", "fewaspect", "bulk", *arguments, "--address", f"ray://127.0.0.1:{port}"]
    try:
        return subprocess.run(command).returncode
    finally:
        machines.shutdown()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
