"""Makes `server/race/confusables.txt`: Unicode's table of look-alike characters (UTS 39), as ICU has it.

    python tools/make_confusables.py

Needs ICU's shared libraries (Debian: libicu72 or newer). ICU is Unicode's own library, and its skeleton of a single
character that does not decompose is that character's row of the table.
"""

import ctypes
import sys
import unicodedata
from ctypes.util import find_library
from pathlib import Path

TABLE = Path(__file__).parent.parent / "src" / "stampede" / "server" / "race" / "confusables.txt"
LONGEST = 1000


class Icu:
    """ICU's spoof checker."""

    def __init__(self) -> None:
        name = find_library("icui18n") or sys.exit("There is no libicui18n here.")
        version = name.rpartition(".so.")[2]
        library = ctypes.CDLL(name)
        failed = ctypes.c_int(0)
        opened = library[f"uspoof_open_{version}"]
        opened.restype = ctypes.c_void_p
        self._checker = ctypes.c_void_p(opened(ctypes.byref(failed)))
        self._skeleton = library[f"uspoof_getSkeletonUTF8_{version}"]
        unicode_version = (ctypes.c_uint8 * 4)()
        ctypes.CDLL(name.replace("i18n", "uc"))[f"u_getUnicodeVersion_{version}"](unicode_version)
        self.unicode = ".".join(map(str, unicode_version[:3]))

    def skeleton(self, text: str) -> str:
        """What looks the same has the same skeleton."""
        data = text.encode()
        out = ctypes.create_string_buffer(LONGEST)
        failed = ctypes.c_int(0)
        size = self._skeleton(self._checker, 0, data, len(data), out, LONGEST, ctypes.byref(failed))
        if failed.value > 0:
            sys.exit(f"ICU fails on {text!a}: error {failed.value}")
        return out.raw[:size].decode()


def main() -> None:
    """Write the table, keeping the notice at its top."""
    icu = Icu()
    rows: dict[str, list[str]] = {}
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if unicodedata.category(character) == "Cs" or unicodedata.normalize("NFD", character) != character:
            continue
        if (skeleton := icu.skeleton(character)) != character:
            rows.setdefault(skeleton, []).append(character)
    notice = [line for line in TABLE.read_text("utf-8").splitlines() if line.startswith("#")]
    table = [f"{_hex(to)};{' '.join(map(_hex, rows[to]))}" for to in sorted(rows)]
    notice[0] = f"# Characters that look like others (UTS 39 confusables), Unicode {icu.unicode}."
    TABLE.write_text("\n".join([*notice, *table]) + "\n", "utf-8")


def _hex(text: str) -> str:
    return "+".join(f"{ord(character):X}" for character in text)


if __name__ == "__main__":
    main()
