"""Fuzzes the codec: any bytes are a command, a named problem, or undecodable; what is a command survives the way back.

python fuzz/codec.py [options of libFuzzer]
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["stampede"]):
    from stampede.protocol import commands
    from stampede.protocol.codec import ENCODINGS, JSON, MSGPACK, BadMessage, Encoding, Undecodable
    from stampede.protocol.commands import Do, Settings

SEEDS = Path(__file__).parent.parent / "build" / "fuzz" / "codec"
"""Examples to begin with, and whatever is found on the way."""
EXAMPLES = [
    commands.Hello(id=1, name="Ann", client="x", kind="bot", token="x" * 43),
    commands.Open(deal="YU1-C-AAAAAAB", settings=Settings(passphrase="p", grade="easy"), role="watcher"),
    commands.Join(room="abcdefgh", role="watcher"),
    commands.Play(n=1, do=Do(move="TD", to="home")),
    commands.Play(n=2, do=Do(undo=True)),
    commands.Targets(card="AS"),
    commands.Say(text="é"),
    commands.Replay(room="abcdefgh", player="x"),
]


def codec(data: bytes) -> None:
    """One byte chooses the encoding, the rest is a frame."""
    encodings = list(ENCODINGS.values())
    encoding: Encoding = encodings[data[0] % len(encodings)] if data else JSON
    try:
        command = encoding.decode_command(data[1:])
    except Undecodable:
        return
    except BadMessage as bad:
        if bad.problem.code not in ("message.unknown_type", "message.bad_field"):
            raise AssertionError(bad.problem) from None
        encoding.encode(bad.problem)
        return
    if encoding.decode_command(encoding.encode(command)) != command:
        raise AssertionError(command)


def main() -> None:
    """Run until libFuzzer has had enough."""
    SEEDS.mkdir(parents=True, exist_ok=True)
    for number, command in enumerate(EXAMPLES):
        for at, encoding in enumerate((MSGPACK, JSON)):
            (SEEDS / f"example{number}-{encoding.name}").write_bytes(bytes((at,)) + encoding.encode(command))
    atheris.Setup([sys.argv[0], str(SEEDS), "-max_len=4097", *sys.argv[1:]], codec)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
