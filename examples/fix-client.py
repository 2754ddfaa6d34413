"""A FIX 4.4 client of the simulated engine: python3 fix-client.py [PORT [SECONDS]]

It logs on as FIXCLIENT1, buys 100 AAPL each second, and prints what comes back. Python 3.8 or newer, no packages.
"""

import socket
import sys
import time

port = int(sys.argv[1]) if len(sys.argv) > 1 else 9880
pause = float(sys.argv[2]) if len(sys.argv) > 2 else 1
# An engine rejects an order whose ClOrdID it knows from an earlier run.
run = time.time_ns() // 1_000_000


def message(number, kind, *fields):
    now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
    header = [f"35={kind}", "49=FIXCLIENT1", "56=ENGINE", f"34={number}", f"52={now}"]
    body = "".join(field + "\x01" for field in [*header, *fields])
    text = f"8=FIX.4.4\x019={len(body)}\x01{body}"
    return f"{text}10={sum(text.encode()) % 256:03}\x01".encode()


try:
    engine = socket.create_connection(("127.0.0.1", port))
except OSError as error:
    sys.exit(f"No engine takes orders at 127.0.0.1:{port} ({error.strerror}); the gateway prints the ports when it starts")
engine.sendall(message(1, "A", "98=0", "108=0", "141=Y"))  # logs on, both sides count from 1
number = 1
while reply := engine.recv(65536):
    print(reply.decode().replace("\x01", "|").replace("|8=FIX", "|\n8=FIX"), flush=True)
    time.sleep(pause)
    number += 1
    engine.sendall(message(number, "D", f"11={run}-{number}", "55=AAPL", "54=1", "38=100", "40=1"))
