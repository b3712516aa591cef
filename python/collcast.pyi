# SPDX-License-Identifier: Apache-2.0
"""Forecasts how long collective communication takes, and what it does to an application."""
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy
import numpy.typing

__version__: str

Text = Union[str, Sequence[str]]
File = Union[str, os.PathLike[str]]
Files = Union[File, Sequence[File]]
Size = Union[float, str]  # bytes, or "64KiB"; where several can be, "1KiB:1GiB:x4", too
Assignments = Union[str, Sequence[str], Mapping[str, Size]]  # "network.bandwidth_GBps=25"

class InputError(ValueError): ...
class SubstrateError(RuntimeError): ...

def platforms() -> list[dict[str, Any]]: ...
def algorithms(collective: Optional[str] = None) -> list[dict[str, Any]]: ...
def predict(
    collective: Text, platform: Files, ranks: Union[int, Sequence[int]], size: Union[Size, Sequence[Size]] = ..., *,
    algorithm: Text = "auto", policy: str = "fastest", engine: str = "auto", set: Assignments = [], root: int = 0,
    segment: Size = "", placement: File = "block", radix: Optional[int] = None, channels: Optional[int] = None,
    counts: Sequence[Size] = [], buffer: Size = "", ranks_per_node: Optional[int] = None, memory: str = "device",
    transport: str = "", import_: File = "", offload: str = "", workers: Optional[int] = None, pieces: int = 1,
    compute: Optional[float] = None, with_synthesized: bool = False, explain: bool = False,
    sensitivity: bool = False, timeline: File = "") -> list[dict[str, Any]]: ...
def times(
    collective: Text, platform: Files, ranks: Union[int, Sequence[int]], size: Union[Size, Sequence[Size]] = ..., *,
    algorithm: str = "auto", policy: str = "fastest", engine: str = "auto", set: Assignments = [], root: int = 0,
    segment: Size = "", placement: File = "block", radix: Optional[int] = None, channels: Optional[int] = None,
    counts: Sequence[Size] = [], buffer: Size = "", ranks_per_node: Optional[int] = None, memory: str = "device",
    transport: str = "", import_: File = "", offload: str = "", workers: Optional[int] = None, pieces: int = 1,
    compute: Optional[float] = None) -> numpy.typing.NDArray[numpy.float64]: ...
def prove(
    collective: str, algorithm: str, ranks: int, *, root: int = 0, radix: int = 2,
    size: Size = "1MiB") -> dict[str, Any]: ...
def replay(
    trace: Files, platform: File, *, algorithm: Mapping[str, str] = {}, policy: str = "", engine: str = "",
    set: Assignments = [], compute_scale: float = 1.0, placement: File = "block", steps: str = "", fusion: Size = "",
    cycle: str = "", bucket: Size = "", nonblocking: str = "", offload: str = "", pieces: int = 1,
    delivery: str = "staged", ranks: Optional[int] = None, memory: Optional[str] = None, explain: bool = False,
    sensitivity: bool = False, timeline: File = "") -> dict[str, Any]: ...
def train(
    model: Files, platform: Files, ranks: Union[int, Sequence[int]], *, framework: str = "ddp", precision: str = "fp32",
    batch: Optional[int] = None, throughput: Optional[float] = None, slowdown: float = 0.0, noise: float = 0.0, input: str = "",
    checkpoint: str = "", policy: str = "", engine: str = "", set: Assignments = [], steps: File = "",
    explain: bool = False, sensitivity: bool = False, global_batch: Optional[int] = None) -> list[dict[str, Any]]: ...
def job(
    what: Files, platform: Files, ranks: Union[int, Sequence[int]] = [], *, policy: str = "", engine: str = "",
    set: Assignments = [], pieces: int = 1, delivery: str = "staged", samples: float = 0.0) -> list[dict[str, Any]]: ...
def plan(
    platform: Files, ranks: Union[int, Sequence[int]] = [], *, model: File = "", samples: Optional[float] = None,
    trace: File = "", job: File = "", runs: float = 1.0, framework: Text = "", precision: Text = "fp32",
    batch: Union[int, Sequence[int]] = [], global_batch: Union[int, Sequence[int]] = [],
    throughput: Optional[float] = None, slowdown: float = 0.0, noise: float = 0.0, input: str = "", checkpoint: str = "",
    policy: Text = "", layouts: bool = False, max_tp: Optional[int] = None, aim: str = "",
    time: Union[float, str] = "", efficiency: Optional[float] = None, cost: Optional[float] = None, max_power: Optional[float] = None, price: Mapping[str, float] = {},
    power: Mapping[str, float] = {}, set: Assignments = []) -> dict[str, Any]: ...
def sweep(space: Union[File, Mapping[str, Any]], *, jobs: int = 1) -> dict[str, Any]: ...
def gap(
    collective: str, platform: File, ranks: int, size: Union[Size, Sequence[Size]] = "1KiB:1GiB:x16", *,
    policy: str = "fastest", engine: str = "auto", set: Assignments = [], root: int = 0, placement: File = "block",
    memory: str = "device", transport: str = "") -> dict[str, Any]: ...
def synthesize(
    collective: str, platform: File, ranks: int, size: Union[Size, Sequence[Size]] = "1GiB", *, form: str = "json",
    trees: int = 0, set: Assignments = [], root: int = 0, placement: File = "block",
    memory: str = "device", transport: str = "") -> dict[str, Any]: ...
def tune(
    library: str, platform: File, ranks: int, size: Union[Size, Sequence[Size]], *, collective: Text = [],
    policy: str = "", engine: str = "auto", set: Assignments = [], placement: File = "block",
    memory: Optional[str] = None) -> dict[str, Any]: ...
def inspect(files: Files) -> dict[str, Any]: ...
def calibrate(tables: Files, base: File, *, policy: str = "") -> dict[str, Any]: ...
def validate(tables: Files, platform: File, *, policy: str = "fastest") -> dict[str, Any]: ...
