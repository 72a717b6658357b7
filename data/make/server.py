"""A small streaming completions server with known latencies.

It speaks enough of the OpenAI /v1/completions protocol for a serving benchmark
client: one SSE chunk per token, exactly `max_tokens` tokens per answer, usage in
the last chunk. No model runs; each token is sent at a time drawn in advance.

How the times are drawn (all from --seed, so a run can be drawn again):
  per start    speed factors exp(N(0, sd)) on prefill and decode: what a restart
               of a real server changes (memory layout, clocks, graph capture)
  per request  lognormal factor on prefill, and a small one on decode; a few
               requests are slow
  per token    small lognormal factor
All factors except the per-start ones and the slow requests have mean 1.
"""

import argparse
import asyncio
import json
import math
import random
import time

from aiohttp import web

SLOW_PREFILL = 2.0  # how much longer prefill takes in a slow request
SLOW_DECODE = 1.25  # the same for decode


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--port", type=int, default=8123)
    p.add_argument("--model", default="tiny-model")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--prefill-ms", type=float, default=60.0)
    p.add_argument("--decode-ms", type=float, default=12.0)
    p.add_argument("--prefill-factor", type=float, default=1.0, help="the change under test")
    p.add_argument("--decode-factor", type=float, default=1.0, help="the change under test")
    p.add_argument("--start-prefill-sd", type=float, default=0.02, help="restart to restart")
    p.add_argument("--start-decode-sd", type=float, default=0.008, help="restart to restart")
    p.add_argument("--prefill-sigma", type=float, default=0.25, help="request to request")
    p.add_argument("--decode-sigma", type=float, default=0.03, help="request to request")
    p.add_argument("--token-sigma", type=float, default=0.05, help="token to token")
    p.add_argument("--slow-share", type=float, default=0.03, help="share of slow requests")
    return p.parse_args()


class Latency:
    """Draws the send times of the tokens of one request after another."""

    def __init__(self, a):
        self.a = a
        self.rng = random.Random(a.seed)
        self.start_prefill = math.exp(self.rng.gauss(0, a.start_prefill_sd))
        self.start_decode = math.exp(self.rng.gauss(0, a.start_decode_sd))
        self.prefill = a.prefill_ms / 1000 * a.prefill_factor * self.start_prefill
        self.decode = a.decode_ms / 1000 * a.decode_factor * self.start_decode

    def jitter(self, sigma):
        """A lognormal factor with mean 1."""
        return math.exp(self.rng.gauss(-sigma * sigma / 2, sigma))

    def offsets(self, tokens):
        """Seconds after arrival at which each token is due."""
        a = self.a
        prefill = self.prefill * self.jitter(a.prefill_sigma)
        decode = self.decode * self.jitter(a.decode_sigma)
        if self.rng.random() < a.slow_share:
            prefill *= SLOW_PREFILL
            decode *= SLOW_DECODE
        due, out = prefill, [prefill]
        for _ in range(tokens - 1):
            due += decode * self.jitter(a.token_sigma)
            out.append(due)
        return out


def event(payload):
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def make_app(a, latency):
    async def models(_request):
        return web.json_response(
            {"object": "list", "data": [{"id": a.model, "object": "model", "owned_by": "test"}]}
        )

    async def completions(request):
        arrived = time.perf_counter()
        body = await request.json()
        tokens = int(body.get("max_tokens") or 16)
        prompt = body.get("prompt", "")
        prompt_tokens = len(prompt.split()) if isinstance(prompt, str) else len(prompt)
        due = latency.offsets(tokens)

        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        head = {"id": "cmpl", "object": "text_completion", "model": a.model}
        for i, offset in enumerate(due):
            # Absolute deadlines: a late wake-up does not delay the tokens after it.
            wait = arrived + offset - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            reason = "length" if i == tokens - 1 else None
            choice = {"index": 0, "text": " a", "finish_reason": reason}
            await response.write(event({**head, "choices": [choice]}))
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": tokens,
                "total_tokens": prompt_tokens + tokens,
            }
            await response.write(event({**head, "choices": [], "usage": usage}))
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    app = web.Application()
    app.router.add_get("/v1/models", models)
    app.router.add_post("/v1/completions", completions)
    return app


def main():
    a = arguments()
    latency = Latency(a)
    print(
        f"seed={a.seed} decode_factor={a.decode_factor} prefill_factor={a.prefill_factor}"
        f" start_prefill={latency.start_prefill:.5f} start_decode={latency.start_decode:.5f}",
        flush=True,
    )
    web.run_app(make_app(a, latency), host="127.0.0.1", port=a.port, print=None, access_log=None)


if __name__ == "__main__":
    main()
