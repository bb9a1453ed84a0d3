"""The kernel that waits for a page, without a kernel."""

import logging
from typing import Any

import pytest
from waiting import awaited

from labs.site.live.warm_kernel import WarmKernel


class Kernels:
    """A kernel manager whose first kernels die on the way."""

    def __init__(self, dying: int) -> None:
        self.dying, self.started, self.there = dying, 0, set[str]()
        self.kernel_spec, self.metadata = self, dict[str, int]()

    def __contains__(self, kernel_id: str) -> bool:
        return kernel_id in self.there

    async def start_kernel(self, path: str) -> str:
        self.started += 1
        self.there.add(name := f"kernel {self.started}")
        return name

    async def shutdown_kernel(self, kernel_id: str, now: bool) -> None:
        self.there.remove(kernel_id)

    def get_kernel(self, kernel_id: str) -> Any:
        return self

    # as a kernel, its specification, and its client

    def client(self) -> Any:
        return self

    def start_channels(self, hb: bool) -> None: ...

    def stop_channels(self) -> None: ...

    async def wait_for_ready(self, timeout: float) -> None:
        if self.started <= self.dying:
            raise RuntimeError("Kernel died before replying to kernel_info")

    async def execute(self, code: str, **how: Any) -> dict[str, Any]:
        return {"content": {"status": "ok"}}


def taken(kernels: Kernels) -> str:
    async def take() -> str:
        warm = WarmKernel(kernels, "pass", logging.getLogger(__name__))
        try:
            return await warm.take()
        finally:
            await warm.close()

    return awaited(take(), 10)


@pytest.mark.parametrize("dying", [0, 1])
def test_a_page_gets_a_kernel_though_the_first_one_dies_on_the_way(dying: int) -> None:
    """Somebody may take its port between choice and use; the page said “error 500”."""
    kernels = Kernels(dying)
    assert taken(kernels) == f"kernel {dying + 1}"
    assert kernels.there == {f"kernel {dying + 1}"}


def test_a_kernel_that_cannot_start_is_told_and_leaves_nothing() -> None:
    kernels = Kernels(2)
    with pytest.raises(RuntimeError, match="Kernel died"):
        taken(kernels)
    assert kernels.started == 2 and not kernels.there


def test_a_kernel_that_died_while_it_waited_is_replaced_before_a_page_takes_it() -> None:
    kernels = Kernels(0)

    async def warmed() -> None:
        warm = WarmKernel(kernels, "pass", logging.getLogger(__name__))
        for _ in range(2):
            warm.warm()
            assert warm._warming is not None
            await warm._warming
            kernels.there.clear()

    awaited(warmed(), 10)
    assert kernels.started == 2
