"""The log on Redis over TLS: a real handshake, with a certificate that is trusted or is not."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.log.homes import Heard
from server.log.proxy import Proxy
from server.log.redis_server import RedisServer
from stampede.server.log.port import LogUnusable, StorageError
from stampede.server.log.redis_streams import RedisLog


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed one for 127.0.0.1; its key lies beside it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl is installed to make a certificate with")
    path = tmp_path / "certificate.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(path.with_name("key.pem")), "-out", str(path)]
    subprocess.run([openssl, *words], check=True, capture_output=True)
    return path


@pytest.fixture
async def front(certificate: Path, servers: dict[str, RedisServer]) -> AsyncIterator[Proxy]:
    """Speaks TLS, in front of a server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    server = next(iter(servers.values()))
    async with Proxy(server.port, context) as proxy:
        yield proxy


async def append_until_taken(log: RedisLog, fact: bytes) -> None:
    while True:
        try:
            await log.append("room:A", [fact])
        except StorageError:  # it stood in a line that was cut, and never left
            continue
        return


async def test_two_nodes_hear_of_each_other_over_tls_in_order_and_over_a_cut_line(
    front: Proxy, certificate: Path
) -> None:
    url = f"rediss://127.0.0.1:{front.port}/0?ssl_ca_certs={certificate}"
    one, other = await RedisLog.open(url, prefix="tls:"), await RedisLog.open(url, prefix="tls:")
    heard = Heard()
    other.follow("room:A", 0, heard.deliver, heard.reset)
    facts = [b"%d" % number for number in range(1000)]
    await asyncio.gather(*(one.append("room:A", [fact]) for fact in facts[:600]))
    front.cut()
    for fact in facts[600:]:
        await append_until_taken(one, fact)
    async with asyncio.timeout(30):
        while heard.facts != facts:
            await asyncio.sleep(0.002)
    assert heard.entries == await one.read("room:A")
    await one.delete("room:A")
    await one.close()
    await other.close()


async def test_a_certificate_that_nobody_vouches_for_is_refused_with_a_sentence(front: Proxy) -> None:
    with pytest.raises(LogUnusable, match="certificate verify failed"):
        await RedisLog.open(f"rediss://127.0.0.1:{front.port}/0")
