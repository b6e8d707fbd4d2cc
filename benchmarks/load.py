"""Load: one process, eight threads, ten thousand requests over three artifacts; then a server and slow readers.

    python benchmarks/load.py [--requests N] [--threads N] [--model M] [--server SECONDS]

Every answer is compared with the one of a single thread, byte for byte, and the resident memory of the second
half with that after the first. Exit code: 0 if every answer is the same, memory grew by at most 1 % over the
second half and the server refused politely, 1 if not.
"""

from __future__ import annotations

import argparse
import gc
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

sys.path.append(str(Path(__file__).resolve().parent.parent))  # the package beside, where none is installed

from load_domains import DOMAINS, build, cheap, costly, shown

from constrained_du import Converter
from constrained_du.server.options import Limits

GROWTH = 0.01  # of resident memory over the second half
CLIENTS, SLOW = 16, 8
SHARE = 0.03  # of requests that take the model


def main() -> int:
    parser = argparse.ArgumentParser(description="Load on one process, and on a server.")
    parser.add_argument("--requests", type=int, default=10_000, metavar="N", help="0 leaves the threads out")
    parser.add_argument("--threads", type=int, default=8, metavar="N")
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--server", type=float, default=20.0, metavar="SECONDS", help="0 leaves the server out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="load-") as scratch:
        for name in DOMAINS:
            build(name, options.model, Path(scratch) / name)
        good = not options.requests or threads(Path(scratch), options.requests, options.threads)
        if options.server:
            good &= server(Path(scratch), options.server)
    return int(not good)


def threads(folder: Path, count: int, workers: int) -> bool:
    converters = {name: Converter.load_from_disk(folder / name) for name in DOMAINS}
    quick, slow = [[one for name in DOMAINS for one in kind(name, 300)] for kind in (cheap, costly)]
    wanted = {one: shown(one.put(converters)) for one in (*quick, *slow)}
    random = Random(8)
    work = [random.choice(slow if random.random() < SHARE else quick) for _ in range(count)]
    changed, sizes = 0, list[float]()
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        for at in range(0, count, max(1, count // 20)):
            part = work[at : at + max(1, count // 20)]
            answers = pool.map(lambda one: shown(one.put(converters)), part)
            changed += sum(answer != wanted[one] for one, answer in zip(part, answers, strict=True))
            sizes.append(resident_mib())
    half, last = sizes[len(sizes) // 2 - 1], sizes[-1]
    print(
        f"{count:,} requests, {workers} threads, {len(DOMAINS)} artifacts: {changed} answers changed, "
        f"{half:.1f} MiB at half and {last:.1f} MiB at the end ({last / half - 1:+.2%}), {time.perf_counter() - started:.0f} s",
        flush=True,
    )
    return changed == 0 and last <= half * (1 + GROWTH)


def resident_mib() -> float:
    """Resident memory of this process after a collection (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def server(folder: Path, seconds: float) -> bool:
    """Sixteen clients as fast as they can, eight that read and write a byte a second; then SIGTERM under load."""
    command = [sys.executable, "-m", "constrained_du", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    place = urlsplit(process.stdout.readline().split()[1]).netloc
    for name in DOMAINS:
        ask(place, name, DOMAINS[name]["cheap"].format(n=1))
    done, end = threading.Event(), time.monotonic() + seconds
    slow = [threading.Thread(target=dawdle, args=(place, done), daemon=True) for _ in range(SLOW)]
    for one in slow:
        one.start()
    found: list[tuple[int, float]] = []

    def client(number: int) -> None:
        random = Random(number)
        while time.monotonic() < end:
            name = random.choice(list(DOMAINS))
            domain, number = DOMAINS[name], random.randrange(300)
            text = random.choice(domain["costly"]) if random.random() < SHARE else domain["cheap"].format(n=number)
            started = time.monotonic()
            found.append((ask(place, name, text), time.monotonic() - started))

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
    burst = ThreadPoolExecutor(64)
    crowd = [burst.submit(ask, place, "notes", "please remember to buy milk", 8) for _ in range(64)]
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    told = time.monotonic()
    statuses = Counter(one.result() for one in crowd)
    burst.shutdown()
    drained = time.monotonic() - told
    done.set()
    code = process.wait(120)
    times = sorted(took for _, took in found)
    plain = Counter(status for status, _ in found)
    print(
        f"{len(found):,} requests of {CLIENTS} clients beside {SLOW} slow ones in {seconds:.0f} s: statuses {dict(plain)}, "
        f"p50 {times[len(times) // 2] * 1000:.0f} ms, p99 {times[len(times) * 99 // 100] * 1000:.0f} ms; "
        f"64 at once and SIGTERM: statuses {dict(statuses)}, exit {code}, {drained:.0f} s",
        flush=True,
    )
    cut = {500} if drained >= Limits().draining else set[int]()  # what the limit of draining cut off
    return set(plain) <= {200} and set(statuses) <= {200, 429, 0} | cut and statuses[429] > 0 and statuses[200] > 0 and code == 0


def ask(place: str, model: str, text: str, n: int = 1) -> int:
    """The status of one chat request; 0 for a connection that was not taken any more."""
    connection = http.client.HTTPConnection(place, timeout=120)
    try:
        body = {"model": model, "messages": [{"role": "user", "content": text}], "n": n}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def dawdle(place: str, done: threading.Event) -> None:
    """A client that sends its request, and reads its answer, a byte at a time."""
    host, port = place.split(":")
    body = json.dumps({"model": "garden", "messages": [{"role": "user", "content": "open up"}]}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {place}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    while not done.is_set():
        try:
            with socket.create_connection((host, int(port)), timeout=5) as one:
                for byte in head + body:
                    one.sendall(bytes([byte]))
                    if done.wait(0.2):
                        return
                while one.recv(1) and not done.wait(0.2):
                    pass
        except OSError:
            continue


if __name__ == "__main__":
    sys.exit(main())
