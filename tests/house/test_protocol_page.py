"""The page on the protocol: it tells every message, field, code and limit that there is, and nothing else."""

import doctest
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import msgspec
import pytest
from msgspec import UNSET, Struct, UnsetType, inspect
from msgspec.structs import FieldInfo, fields

from stampede.patience.cards import DECK
from stampede.patience.errors import Reason
from stampede.patience.referee import PLACES
from stampede.patience.variants import CATALOGUE
from stampede.protocol import commands, events
from stampede.protocol.codec import ENCODINGS, JSON, MSGPACK
from stampede.protocol.commands import AnyCommand, Command, Do, Settings
from stampede.protocol.events import Answer, AnyEvent, Event
from stampede.protocol.problems import Close, Code, fault
from stampede.server.gate import outflow, wire
from stampede.server.hall.directory import LONGEST_LIST
from stampede.server.hall.limits import Limits
from stampede.server.settings import Settings as ServerSettings

HOUSE = Path(__file__).parents[2]
PAGE = (HOUSE / "docs" / "protocol.md").read_text("utf-8")
CHOSEN = (Do, Settings)
"""Records that a client makes, and so may leave fields out of."""

COMMANDS: tuple[type[Command], ...] = AnyCommand.__args__
EVENTS: tuple[type[Event], ...] = AnyEvent.__args__


def records() -> list[type[Struct]]:
    """What the messages are made of."""
    found: dict[type[Struct], None] = {}

    def look(kind: Any) -> None:
        if isinstance(kind, inspect.StructType):
            if kind.cls in found:
                return
            if not issubclass(kind.cls, Command | Event):
                found[kind.cls] = None
            for field in kind.fields:
                look(field.type)
        for part in ("types", "item_types"):
            for inner in getattr(kind, part, ()):
                look(inner)
        for part in ("item_type", "value_type"):
            if (inner := getattr(kind, part, None)) is not None:
                look(inner)

    for message in (*COMMANDS, *EVENTS):
        look(inspect.type_info(message))
    return list(found)


def named(struct: type[Struct]) -> str:
    """The heading under which a message or record is told."""
    part = (
        "Commands" if issubclass(struct, Command) else "Answers and events" if issubclass(struct, Event) else "Records"
    )
    return f"{part}/`{struct.__struct_config__.tag or struct.__name__}`"


STRUCTS = {named(struct): struct for struct in (*COMMANDS, *EVENTS, *records())}


def sections() -> dict[str, str]:
    """The page by its headings: `Part` and `Part/Section`."""
    found: dict[str, str] = {}
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        inner = re.split(r"^### ", text, flags=re.MULTILINE)
        found[title] = inner[0]
        for section in inner[1:]:
            heading, _, body = section.partition("\n")
            assert f"{title}/{heading}" not in found, f"{heading} is told twice"
            found[f"{title}/{heading}"] = body
    return found


SECTIONS = sections()


def rows(text: str) -> list[list[str]]:
    """The cells of the tables in a section, without heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [
        row for at, row in enumerate(cells) if set(row[0]) != {"-"} and cells[at + 1 : at + 2] != [["---"] * len(row)]
    ]


def examples(text: str) -> list[str]:
    """The JSON in a section."""
    return re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


# The page against the structs.


def test_every_message_and_record_is_told_and_no_other() -> None:
    told = [heading for heading in SECTIONS if "/" in heading]
    assert told == list(STRUCTS) or sorted(told) == sorted(STRUCTS)


@pytest.mark.parametrize("heading", STRUCTS)
def test_every_field_is_told_with_its_type_and_what_it_is_if_left_out(heading: str) -> None:
    struct = STRUCTS[heading]
    common = {"id"} if issubclass(struct, Command) else {"re"} if issubclass(struct, Answer) else set()
    chosen = issubclass(struct, Command) or struct in CHOSEN
    expected = [row_of(field, chosen=chosen) for field in fields(struct) if field.name not in common]
    assert [row[: 3 if chosen else 2] for row in rows(SECTIONS[heading])] == expected


def test_what_all_commands_and_answers_have_is_told() -> None:
    (identity,) = fields(Command)
    (re_,) = fields(Answer)
    assert row_of(identity, chosen=True)[:2] in [row[:2] for row in rows(SECTIONS["Commands"])]
    assert row_of(re_, chosen=False) in [row[:2] for row in rows(SECTIONS["Answers and events"])]


@pytest.mark.parametrize("heading", STRUCTS)
def test_every_example_is_one_and_goes_both_ways(heading: str) -> None:
    struct = STRUCTS[heading]
    found = examples(SECTIONS[heading])
    assert found or not issubclass(struct, Command | Event), "a message has an example"
    for example in found:
        said = json.loads(example)
        for encoding, module in ((JSON, msgspec.json), (MSGPACK, msgspec.msgpack)):
            message = module.decode(module.encode(said), type=struct)
            if isinstance(message, Command):
                assert encoding.decode_command(encoding.encode(message)) == message
            elif isinstance(message, Event):
                assert encoding.decode_event(encoding.encode(message)) == message
            again = module.decode(encoding.encode(message))
            if issubclass(struct, Event):
                assert list(again.items()) == list(said.items()), "the server says it just so"
            else:
                assert without_defaults(struct, again) == without_defaults(struct, said)


def test_every_json_on_the_page_is_in_the_section_of_its_struct() -> None:
    told = sum(len(examples(SECTIONS[heading])) for heading in STRUCTS)
    assert told == PAGE.count("```json")


def test_each_command_names_its_answer_and_only_codes_that_exist(asyncapi: ModuleType) -> None:
    codes = {str(code) for code in (*Code, *Reason)}
    for command in COMMANDS:
        text = SECTIONS[named(command)]
        (answer,) = re.findall(r"^Answer: (.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
        words = re.findall(r"`([a-z._]+)`", answer)
        first, *_ = asyncapi.ANSWERS[command]
        assert words[0] == first.__struct_config__.tag
        assert {word for word in words if "." in word} <= codes


def test_every_error_code_is_told_with_its_fault_and_no_other() -> None:
    told = [(row[0].strip("`"), row[1]) for row in rows(SECTIONS["Error codes"])]
    assert told == [(str(code), fault(code).value) for code in (*Reason, *Code)]


def test_every_close_code_is_told_and_no_other() -> None:
    assert [int(row[0]) for row in rows(SECTIONS["Close codes"])] == [int(code) for code in Close]


def test_every_code_that_is_named_anywhere_exists() -> None:
    families = "|".join({str(code).partition(".")[0] for code in (*Code, *Reason)})
    named_ = set(re.findall(rf"`((?:{families})\.[a-z_]+)`", PAGE))
    assert named_ == {str(code) for code in (*Code, *Reason)}


def test_the_limits_are_those_of_the_server() -> None:
    limits = Limits()
    told = {row[0]: row[1] for row in rows(SECTIONS["Limits"])}
    assert list(told.values()) == [
        f"{limits.commands_per_s} a second, {limits.commands_burst} at once",
        f"{limits.connections_per_address}",
        f"{limits.rooms_per_player}",
        f"{limits.watchers_per_room}",
        f"{commands.COMMAND_BYTES}",
        f"{wire.HELLO_S:g} s",
        f"{outflow.OUTBOX_BYTES // 1024} KiB, or {outflow.SEND_S:g} s for one of them",
    ]
    assert f"from {outflow.CROWDED_BYTES // 1024} KiB on" in PAGE
    assert f"silent for {wire.PING_S:g} s" in PAGE
    assert f"another {wire.PONG_S:g} s" in PAGE.replace("\n  ", " ")
    assert f"nothing heard for {wire.PING_S + wire.PONG_S:g} s" in PAGE
    assert f"1 to {commands.NAME_GRAPHEMES} characters" in PAGE
    assert f"{LONGEST_LIST} at most" in PAGE
    assert f"can be read for {ServerSettings().retention_days} days" in PAGE


def test_the_subprotocols_and_variants_are_those_of_the_server() -> None:
    told = [row[0].strip("`") for row in rows(SECTIONS["The connection"])]
    assert told == list(ENCODINGS)
    variants = re.search(r"A variant is one of(.*?);", PAGE, re.DOTALL)
    assert variants is not None
    assert re.findall(r"`([^`]+)`", variants[1]) == list(CATALOGUE)


def test_every_web_page_is_told_and_no_other() -> None:
    source = (HOUSE / "src" / "stampede" / "server" / "gate" / "pages.py").read_text("utf-8")
    served = {*re.findall(r'case "(/\w+)"', source), "/races/ROOM.json"}
    assert {row[0].strip("`") for row in rows(SECTIONS["Web pages"])} == served - {"/ws"}


def test_the_python_on_the_page_runs() -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    said: list[str] = []
    found = doctest.DocTestParser().get_doctest(code, {}, "protocol.md", None, 0)
    assert found.examples
    doctest.DocTestRunner().run(found, out=said.append)
    assert not said, "".join(said)


# How types are written on the page.


CHOICES = {
    frozenset(get_args(choice)): get_args(choice)
    for choice in (commands.Kind, commands.Role, commands.StartRule, commands.Grade, events.Phase, events.Status)
}
"""Each closed list of words, in its own order, which msgspec forgets."""


def row_of(field: FieldInfo, *, chosen: bool) -> list[str]:
    """The cells of a field: name, type and, where a client says it, what holds if it is left out."""
    described = written(inspect.type_info(field.type))
    if chosen:
        return [f"`{field.encode_name}`", described, default_of(field)]
    optional = "?" if UnsetType in getattr(field.type, "__args__", ()) else ""
    return [f"`{field.encode_name}{optional}`", described]


def default_of(field: FieldInfo) -> str:
    """What a field is if it is left out; empty if it may not be."""
    if field.required:
        return ""
    if field.default is UNSET:
        return {
            "id": "no `re` in the answer",
            "t": "no `t` in the answer",
            "move": "no move",
            "to": "no move",
            "winnable": "true where the server draws the deal and proven ones are known",
        }[field.name]
    if isinstance(field.default, Settings):
        return "all as they are there"
    if isinstance(field.default, str) and field.default:
        return f"`{field.default}`"
    return f"`{json.dumps(field.default)}`"


def written(kind: inspect.Type) -> str:
    """A type in words."""
    match kind:
        case inspect.UnionType(types=types):
            left = [inner for inner in types if not isinstance(inner, inspect.NoneType)]
            return " or ".join(sorted((written(inner) for inner in left), reverse=True))
        case inspect.StrType(max_length=longest):
            return "text" if longest is None else f"text, up to {longest} characters"
        case inspect.IntType(ge=None, le=None):
            return "integer"
        case inspect.IntType(ge=least, le=most):
            return f"integer, {least} to {'2^53−1' if most == commands.LARGEST_ID else most}"
        case inspect.BoolType():
            return "true or false"
        case inspect.RawType():
            return "anything"
        case inspect.LiteralType(values=values) if set(values) == set(DECK):
            return "a card"
        case inspect.LiteralType(values=values) if set(values) == set(PLACES):
            return "a place"
        case inspect.LiteralType(values=values):
            *front, last = (f"`{value}`" for value in CHOICES[frozenset(values)])
            return f"{', '.join(front)} or {last}"
        case inspect.ListType(item_type=item) | inspect.CollectionType(item_type=item):
            return f"list of {written(item)}"
        case inspect.TupleType(item_types=items):
            return f"({', '.join(written(item) for item in items)})"
        case inspect.DictType(key_type=key, value_type=value):
            return f"map of {written(key)} to {written(value)}"
        case inspect.StructType(cls=cls):
            return f"[{cls.__name__}](#{anchor(cls)})"
        case _:
            raise AssertionError(f"how is {kind} written?")


def anchor(cls: type[Struct]) -> str:
    """Where a record is told: its name, numbered where a message has the same one."""
    name = cls.__name__.lower()
    taken = sum(str(struct.__struct_config__.tag) == name for struct in (*COMMANDS, *EVENTS))
    return f"{name}-{taken}" if taken else name


def without_defaults(struct: type[Struct], said: dict[str, Any]) -> dict[str, Any]:
    """What a client said, less what it need not have said."""
    defaults = {field.encode_name: field.default for field in fields(struct) if not field.required}
    kept = {key: value for key, value in said.items() if key not in defaults or value != defaults[key]}
    if isinstance(kept.get("settings"), dict):
        kept["settings"] = without_defaults(Settings, kept["settings"])
    return kept


# The same for programs.


@pytest.fixture(scope="module")
def asyncapi() -> ModuleType:
    """The maker of `docs/asyncapi.json`."""
    spec = importlib.util.spec_from_file_location("make_asyncapi", HOUSE / "tools" / "make_asyncapi.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_asyncapi_document_is_up_to_date(asyncapi: ModuleType) -> None:
    assert asyncapi.PAGE.read_text("utf-8") == asyncapi.text(), "run python tools/make_asyncapi.py"


def test_the_asyncapi_document_names_an_answer_for_every_command(asyncapi: ModuleType) -> None:
    assert list(asyncapi.ANSWERS) == list(COMMANDS)


def test_every_reference_in_the_asyncapi_document_leads_somewhere(asyncapi: ModuleType) -> None:
    document = asyncapi.document()

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for inner in value.values():
                yield from references(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from references(inner)

    found = set(references(document))
    assert len(found) > len(COMMANDS) + len(EVENTS)
    for reference in found:
        target: Any = document
        for step in reference.removeprefix("#/").split("/"):
            target = target[step]
