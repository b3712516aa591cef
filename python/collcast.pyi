# SPDX-License-Identifier: Apache-2.0
"""Forecasts how long collective communication takes, and what it does to an application."""
from typing import Any, Mapping, Optional, Sequence, Union

import numpy
import numpy.typing

__version__: str

Text = Union[str, Sequence[str]]
Size = Union[float, str]  # bytes, or "64KiB"

class InputError(ValueError): ...
class SubstrateError(RuntimeError): ...

def platforms() -> list[dict[str, Any]]: ...
def algorithms(collective: Optional[str] = None) -> list[dict[str, Any]]: ...
def predict(
    collective: Text, platform: Text, ranks: Union[int, Sequence[int]], size: Union[Size, Sequence[Size]] = ..., *,
    algorithm: str = "auto", policy: str = "fastest", engine: str = "auto", set: Sequence[str] = [], root: int = 0,
    segment: Size = "", placement: str = "block", radix: Optional[int] = None, channels: Optional[int] = None,
    counts: Sequence[Size] = [], buffer: Size = "", ranks_per_node: Optional[int] = None, memory: str = "device",
    transport: str = "", import_: str = "", offload: str = "", workers: Optional[int] = None, pieces: int = 1,
    compute: Optional[float] = None, with_synthesized: bool = False, explain: bool = False,
    sensitivity: bool = False, timeline: str = "") -> list[dict[str, Any]]: ...
def times(
    collective: Text, platform: Text, ranks: Union[int, Sequence[int]], size: Union[Size, Sequence[Size]] = ..., *,
    algorithm: str = "auto", policy: str = "fastest", engine: str = "auto", set: Sequence[str] = [], root: int = 0,
    segment: Size = "", placement: str = "block", radix: Optional[int] = None, channels: Optional[int] = None,
    counts: Sequence[Size] = [], buffer: Size = "", ranks_per_node: Optional[int] = None, memory: str = "device",
    transport: str = "", import_: str = "", offload: str = "", workers: Optional[int] = None, pieces: int = 1,
    compute: Optional[float] = None) -> numpy.typing.NDArray[numpy.float64]: ...
def prove(
    collective: str, algorithm: str, ranks: int, *, root: int = 0, radix: int = 2,
    size: Size = "1MiB") -> dict[str, Any]: ...
def replay(
    trace: Text, platform: str, *, algorithm: Mapping[str, str] = {}, policy: str = "", engine: str = "",
    set: Sequence[str] = [], compute_scale: float = 1.0, placement: str = "block", steps: str = "", fusion: Size = "",
    cycle: str = "", bucket: Size = "", nonblocking: str = "", offload: str = "", pieces: int = 1,
    delivery: str = "staged", ranks: Optional[int] = None, memory: Optional[str] = None, explain: bool = False,
    sensitivity: bool = False, timeline: str = "") -> dict[str, Any]: ...
def train(
    model: Text, platform: Text, ranks: Union[int, Sequence[int]], *, framework: str = "ddp", precision: str = "fp32",
    batch: int = 32, throughput: Optional[float] = None, slowdown: float = 0.0, noise: float = 0.0, input: str = "",
    checkpoint: str = "", policy: str = "", engine: str = "", set: Sequence[str] = [], steps: str = "",
    explain: bool = False, sensitivity: bool = False) -> list[dict[str, Any]]: ...
def job(
    what: Text, platform: Text, ranks: Union[int, Sequence[int]] = [], *, policy: str = "", engine: str = "",
    set: Sequence[str] = [], pieces: int = 1, delivery: str = "staged", samples: float = 0.0) -> list[dict[str, Any]]: ...
def inspect(files: Text) -> dict[str, Any]: ...
def calibrate(tables: Text, base: str, *, policy: str = "") -> dict[str, Any]: ...
