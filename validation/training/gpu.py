#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times kernels, or whole training steps of transformers, on this machine's GPU with PyTorch: what the efficiencies of
`collcast train` are calibrated on (validation/data/h100-kernels.csv, h100-transformers.csv). usage: gpu.py kernels|steps,
which prints CSV. Each time is the mean of at least 5 runs after 2, on random numbers."""
import csv
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY = 50304


def microseconds(run, least=0.03):
    """The mean time of `run` on the GPU; at least 5 runs that together take `least` seconds."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def timed(times):
        start.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e3 / times

    timed(2)
    return timed(max(5, min(200, int(least * 1e6 / timed(1)))))


def random(*shape, dtype=torch.bfloat16, **rest):
    return torch.randn(*shape, device="cuda", dtype=dtype, **rest)


def products(dtype, mode, sizes):
    for m, k, n in sizes:
        x, weight, gradient = random(m, k, dtype=dtype), random(n, k, dtype=dtype) * 0.02, random(m, n, dtype=dtype)
        for direction, run in (("forward", lambda: F.linear(x, weight)), ("input", lambda: gradient @ weight),
                               ("weight", lambda: gradient.t() @ x)):
            yield "product", mode, f"{m}x{k}x{n}", direction, microseconds(run)


def both(function, inputs):
    """Forward and backward."""
    gradient = torch.randn_like(function())
    return microseconds(lambda: torch.autograd.grad(function(), inputs, gradient))


def attention():
    for head, heads in ((64, 16), (128, 32)):
        for words in (128, 384, 512, 1024, 2048, 4096, 8192):
            batch = max(1, 16384 // words)
            q, k, v = (random(batch, heads, words, head, requires_grad=True) for _ in range(3))
            for causal in (False, True):
                def run(causal=causal):
                    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
                what = "attention", "causal" if causal else "full", f"{batch}x{heads}x{words}x{head}"
                yield *what, "forward", microseconds(run)
                yield *what, "both", both(run, (q, k, v))


def moving():
    """Kernels that memory limits, over tokens x channels, and the loss over tokens x vocabulary."""
    for tokens, channels in ((2048, 768), (4096, 1024), (8192, 1024), (8192, 4096), (16384, 2048)):
        x, y = random(tokens, channels, requires_grad=True), random(tokens, channels)
        for name, run in (("gelu", lambda: F.gelu(x)), ("layernorm-bf16", lambda: F.layer_norm(x, (channels,))),
                          ("rmsnorm-bf16", lambda: F.rms_norm(x, (channels,))), ("dropout", lambda: F.dropout(x, 0.1)),
                          ("add", lambda: x + y), ("silu-mul", lambda: F.silu(x) * y)):
            yield name, "bf16", f"{tokens}x{channels}", "forward", microseconds(run)
            yield name, "bf16", f"{tokens}x{channels}", "both", both(run, (x,))
    for tokens, words in ((2048, 50304), (8192, 32000)):
        logits, target = random(tokens, words, requires_grad=True), torch.randint(words, (tokens,), device="cuda")
        yield ("cross-entropy", "fp32 of bf16", f"{tokens}x{words}", "both",
               both(lambda: F.cross_entropy(logits.float(), target), (logits,)))


def convolutions(batch):
    """ResNet-50's and VGG-16's, channels_last."""
    for into, out, window, stride, image in (
            (3, 64, 7, 2, 224), (64, 64, 1, 1, 56), (64, 64, 3, 1, 56), (64, 256, 1, 1, 56), (256, 128, 1, 1, 56),
            (128, 128, 3, 2, 56), (512, 128, 1, 1, 28), (128, 128, 3, 1, 28), (512, 256, 1, 1, 28), (1024, 256, 1, 1, 14),
            (256, 256, 3, 1, 14), (1024, 512, 1, 1, 14), (2048, 512, 1, 1, 7), (512, 512, 3, 1, 7), (64, 64, 3, 1, 224),
            (128, 128, 3, 1, 112), (256, 256, 3, 1, 56), (512, 512, 3, 1, 28)):
        x = random(batch, into, image, image).to(memory_format=torch.channels_last).requires_grad_(into != 3)
        weight = random(out, into, window, window).to(memory_format=torch.channels_last).requires_grad_()
        def run(x=x, weight=weight, stride=stride, window=window):
            return F.conv2d(x, weight, stride=stride, padding=window // 2)
        what = "convolution", "amp-channels_last", f"{batch}:{into}-{out}:{window}x{window}/{stride}@{image}"
        yield *what, "forward", microseconds(run)
        yield *what, "both", both(run, (x, weight) if into != 3 else (weight,))


def kernels():
    yield "kernel", "mode", "shape", "direction", "us"
    widths = (512, 768, 1024, 1536, 2048, 2560, 4096, 5120, 7168, 8192, 12288)
    shapes = [(m, k, n) for m in (2048, 8192) for c in widths for k, n in ((c, c), (c, 4 * c), (4 * c, c))]
    odd = [(8192, 4096, n) for n in (4096, 4097, 4098, 4100, 4104)] + [(8192, 1024, n) for n in (50257, 50304)]
    yield from products(torch.bfloat16, "bf16", shapes + odd)
    yield from attention()
    yield from moving()
    for batch in (16, 64, 256):
        yield from convolutions(batch)


class Gpt(nn.Module):
    """A block of GPT-2."""

    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        batch, words, hidden = x.shape
        q, k, v = (part.view(batch, words, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).split(hidden, dim=2))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, words, hidden))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Network(nn.Module):
    def __init__(self, layers, hidden, heads, words):
        super().__init__()
        self.word, self.position = nn.Embedding(VOCABULARY, hidden), nn.Embedding(words, hidden)
        self.blocks = nn.ModuleList(Gpt(hidden, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)

    def forward(self, tokens):
        x = self.word(tokens) + self.position.weight
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.word.weight)
        return F.cross_entropy(logits[:, :-1].float().reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))


def step_of(network, tokens, autocast):
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-5, fused=True)

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=autocast):
            loss = network(tokens)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def steps():
    yield "model", "batch", "code", "parameters", "attention", "step_ms", "peak_GiB"
    for layers, hidden, heads, words, batch in (
            (12, 768, 12, 1024, 16), (24, 1024, 16, 1024, 8), (24, 1536, 12, 512, 16), (12, 2048, 16, 2048, 4),
            (8, 2560, 20, 2048, 4), (6, 4096, 32, 2048, 4), (4, 5120, 40, 2048, 4), (2, 7168, 56, 2048, 4),
            (2, 8192, 64, 4096, 1), (24, 1024, 16, 1024, 1), (12, 2048, 32, 8192, 1)):
        for parameters in ("fp32", "bf16"):
            with torch.device("cuda"):
                network = Network(layers, hidden, heads, words)
                tokens = torch.randint(VOCABULARY, (batch, words))
            step = step_of(network.bfloat16() if parameters == "bf16" else network, tokens, parameters == "fp32")
            torch.cuda.reset_peak_memory_stats()
            milliseconds = microseconds(step, 0.6) / 1e3
            yield (f"gpt:layers={layers},hidden={hidden},heads={heads},sequence={words},vocabulary={VOCABULARY},flash=1", batch,
                   "plain", parameters, "flash", f"{milliseconds:.2f}", f"{torch.cuda.max_memory_allocated() / 2**30:.2f}")
            del network, step


def main():
    torch.manual_seed(0)
    what = {"kernels": kernels, "steps": steps}.get(sys.argv[1] if len(sys.argv) == 2 else "")
    if not what:
        sys.exit("usage: gpu.py kernels|steps")
    begun, table = time.time(), csv.writer(sys.stdout, lineterminator="\n")
    for row in what():
        table.writerow([f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row])
        sys.stdout.flush()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {time.time() - begun:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
