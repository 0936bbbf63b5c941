#!/usr/bin/env python3
# An ACP agent as Python programs are: asyncio writes its stdout, which it refuses when that is a file
# ("Pipe transport is only for pipes, sockets and character devices"). Echoes what it is told.
import asyncio
import json
import sys


async def main():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)

    async def send(message):
        writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await writer.drain()

    async def answer(method, params):
        if method == "initialize":
            return {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}
        if method == "session/new":
            return {"sessionId": "s1"}
        if method == "session/prompt":
            text = "".join(block.get("text", "") for block in params["prompt"])
            chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": f"python heard: {text}"}}
            await send({"method": "session/update", "params": {"sessionId": "s1", "update": chunk}})
            return {"stopReason": "end_turn"}
        return {}

    while line := await reader.readline():
        message = json.loads(line)
        if "id" in message and "method" in message:
            await send({"id": message["id"], "result": await answer(message["method"], message.get("params", {}))})


asyncio.run(main())
