# SPDX-License-Identifier: MIT
"""Many reviews at the same time, each by a connection of its own."""
import asyncio
import json
import re
import time

from webhook import HEAD, response_of

SECONDS = 50


def send(questions, at_once=None):
    """
    Sends [(webhook, question)] when all connections are open; with at_once in groups of that size. Returns [(response,
    seconds)] in the same order.
    """
    return asyncio.run(asyncio.wait_for(query_all(questions, at_once or len(questions)), SECONDS))


async def query_all(questions, at_once):
    answers = []
    for first in range(0, len(questions), at_once):
        some = questions[first:first + at_once]
        connections = await asyncio.gather(*(connect(hook) for hook, _ in some))
        answers += await asyncio.gather(*(query_one(connection, question)
                                          for connection, (_, question) in zip(connections, some)))
    return answers


async def connect(hook):
    return await asyncio.open_connection("127.0.0.1", hook.port, ssl=hook.tls, server_hostname="localhost",
                                         ssl_handshake_timeout=SECONDS)


async def query_one(connection, question):
    reader, writer = connection
    body = json.dumps(question).encode()
    begin = time.monotonic()
    writer.write(HEAD % len(body) + body)
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    assert head.startswith("HTTP/1.1 200 "), head
    length = re.search(r"^Content-Length: ([0-9]+)\r$", head, re.M)[1]
    text = (await reader.readexactly(int(length))).decode()
    seconds = time.monotonic() - begin
    writer.close()
    return response_of(question, text), seconds
