"""The engine of the example where a peer takes its time: disabling a session and resuming wait until a service is disabled."""

import asyncio

from engine import arguments
from server import run


async def serve():
    host, port, token, operations = arguments()
    disable_session, resume = operations["disableFixSession"], operations["resumeTrading"]
    disable_service = operations["disableService"]
    answered = asyncio.Event()

    async def wait_and_disable(gateway: str, session: str):
        await answered.wait()
        return disable_session(gateway, session)

    async def wait_and_resume(projectionPath: str, reason: str):
        await answered.wait()
        return resume(projectionPath, reason)

    def answer(name: str, reason: str):
        answered.set()
        return disable_service(name, reason)

    operations.update(disableFixSession=wait_and_disable, resumeTrading=wait_and_resume, disableService=answer)
    await run(host, port, token, operations)


asyncio.run(serve())
