"""A fork beside threads: the child gets no lock that somebody holds."""

from __future__ import annotations

import os
import threading
import time

import pytest

from fewaspect.core.forking import NO_FORK, cached_property


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_waits_for_those_inside_and_keeps_others_out() -> None:
    entered, order = threading.Event(), []

    def inside() -> None:
        with NO_FORK:
            entered.set()
            time.sleep(0.3)
            order.append("left")

    def later() -> None:
        time.sleep(0.1)  # the fork waits by now
        with NO_FORK:
            order.append("entered")

    threads = [threading.Thread(target=inside), threading.Thread(target=later)]
    threads[0].start()
    entered.wait()
    threads[1].start()
    child = os.fork()
    if not child:
        with NO_FORK:  # free again in the child
            os._exit(0 if order == ["left"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for thread in threads:
        thread.join()
    assert order == ["left", "entered"]


def test_a_cached_property_is_computed_once_for_each_instance() -> None:
    class Counted:
        count = 0

        @cached_property
        def value(self) -> list[int]:
            """What it is."""
            self.count += 1
            return [self.count]

    one, other = Counted(), Counted()
    assert one.value is one.value
    assert one.value is not other.value
    assert one.count == other.count == 1
    assert Counted.value.__doc__ == "What it is."
