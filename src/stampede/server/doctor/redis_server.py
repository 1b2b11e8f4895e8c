"""The Redis server of a log: what the doctor finds about it."""

import asyncio

from stampede.server.app import redis_password
from stampede.server.doctor.finding import Finding, Grade
from stampede.server.log.port import LogUnusable
from stampede.server.settings import Settings, masked


def redis_server(settings: Settings) -> list[Finding]:
    """The server the log would be on: whether it may hold one, and what it keeps over which mishap."""
    try:
        from stampede.server.log.redis_server import ask_server  # an extra
    except ImportError:
        return [Finding("wrong", "A log on Redis needs the extra `redis`: pip install 'stampede[redis]'.")]
    try:
        password = redis_password(settings.redis_password_file)
        facts = asyncio.run(ask_server(settings.log, password))
    except LogUnusable as error:
        return [Finding("wrong", masked(str(error)))]
    if objection := facts.objection("the log's address"):
        return [Finding("wrong", objection)]
    return [
        Finding("ok", f"{facts.software}: new enough, a primary, and no cluster."),
        memory_policy(facts.maxmemory_policy),
        *durability(appendonly=facts.appendonly, appendfsync=facts.appendfsync),
    ]


def memory_policy(policy: str) -> Finding:
    """What happens when the memory of Redis is full."""
    text = f"maxmemory-policy {policy}"
    if policy == "noeviction":
        return Finding("ok", f"{text}: when its memory is full, moves are refused (server.storage), and none is lost.")
    if policy.startswith("allkeys-"):
        return Finding("wrong", f"{text}: when its memory is full, Redis would forget rooms. Set it to noeviction.")
    return Finding("mind", f"{text}: no room's key expires, but noeviction is what is meant; set it.")


def durability(*, appendonly: bool, appendfsync: str) -> list[Finding]:
    """What survives when Redis, or its machine, dies."""
    if not appendonly:
        text = "appendonly no: when Redis restarts, everything since its last snapshot is gone. Set appendonly yes."
        return [Finding("wrong", text)]
    text = f"appendonly yes, appendfsync {appendfsync}"
    match appendfsync:
        case "always":
            meaning = "whatever was acknowledged survives the death of Redis and a power cut."
            grade: Grade = "ok"
        case "everysec":
            meaning = "a power cut takes about the last second of acknowledged moves; set it to always."
            grade = "mind"
        case "no":
            meaning = "a power cut takes what the kernel had not written yet, often 30 s; set it to always."
            grade = "mind"
        case _:
            meaning = "this server may not be asked; what a power cut takes depends on it, and it should be always."
            grade = "mind"
    return [Finding(grade, f"{text}: {meaning}")]
