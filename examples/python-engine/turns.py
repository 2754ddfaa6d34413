"""Operations that take their time: which of them wait for others."""

import asyncio
from contextlib import asynccontextmanager


class Turns:
    """
    Commands on the same target are carried out one after the other, as they were received, and a read waits for the commands before it on
    what it reads. Nothing else waits: not a stop for a command on another target, nor any command for a read.
    """

    def __init__(self):
        # The latest command on each subject and target, while it waits or runs.
        self._latest = {}

    @asynccontextmanager
    async def turn(self, request):
        if request.lane == "read":
            await ended(self._read_by(request))
            yield
            return
        thing = (request.subject, request.target)
        before, mine = self._latest.get(thing), asyncio.get_running_loop().create_future()
        self._latest[thing] = mine
        try:
            await ended([before] if before else [])
            yield
        finally:
            mine.set_result(None)
            if self._latest[thing] is mine:
                del self._latest[thing]

    def _read_by(self, request):
        wanted = request.target
        return [
            command
            for (subject, target), command in self._latest.items()
            if subject == request.subject and wanted <= target
        ]


async def ended(commands):
    if commands:
        await asyncio.wait(commands)
