"""The engine of the example without the operations that the environment variable WITHOUT names."""

import asyncio
import os

from engine import arguments
from server import run

host, port, token, operations = arguments()
for name in os.environ["WITHOUT"].split(","):
    del operations[name]
asyncio.run(run(host, port, token, operations))
