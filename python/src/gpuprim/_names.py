"""Names of fields and arguments in programs.

They may come from a file of a stranger's, so none is pasted as it is: an identifier that means nothing else in OpenCL C
keeps its text, another one gets a name made here, and what is no identifier is refused.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Mapping

_LONGEST = 64  # characters; compilers take time by the square of a name's length
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    """
    auto break case const continue default do else enum extern for goto if inline register restrict return signed sizeof
    static struct switch typedef union unsigned void volatile while asm typeof complex imaginary kernel global local
    constant private generic pipe uniform read_only write_only read_write true false vec_step nullptr
    size_t ptrdiff_t intptr_t uintptr_t sampler_t event_t queue_t ndrange_t clk_event_t reserve_id_t
    linux unix i386 NULL NAN INFINITY MAXFLOAT
    """.split()
)
#: Types, macros of OpenCL C, and what the library and this package call their own.
_TAKEN = re.compile(
    r"(bool|half|float|double|quad|u?(char|short|int|long))(2|3|4|8|16)?|image\w*_t"
    r"|(CL|CLK|cl|M|FP|FLT|DBL|HALF|HUGE|CHAR|SCHAR|SHRT|INT|LONG|UCHAR|USHRT|UINT|ULONG)_\w+"
    r"|(gp|gpi|GP|GPI|pad|have|field|record)_\w*"
)
#: A number, a name, or a field: in "x1.f + 2.f" that is the first f only.
_NAME = r"[^\W\d]\w*"
_TOKEN = re.compile(rf"\.?\d(?:[eEpP][+-]|[\w.])*|{_NAME}|((?:\.|->)\s*)({_NAME})")
#: Comments and literals.
_NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)


def is_free(name: str) -> bool:
    """Whether a name is an identifier that means nothing else in OpenCL C."""
    free = len(name) <= _LONGEST and _PLAIN.fullmatch(name) and name not in _KEYWORDS and not _TAKEN.fullmatch(name)
    return bool(free)


def c_name(name: str) -> str:
    """The name in programs of a record's field, different for different fields; TypeError if it is no identifier."""
    if not (str.isidentifier(name) and re.fullmatch(_NAME, name)):
        raise TypeError(f"the field {name[:80]!r} is no identifier, which expressions on records need: rename it")
    if is_free(name):
        return name
    short = name.isascii() and len(name) <= _LONGEST
    return "field_" + (name if short else hashlib.sha256(name.encode()).hexdigest())


def rename_fields(text: str, names: Mapping[str, str]) -> str:
    """An expression with C names in the place of fields' own."""

    def renamed(token: re.Match[str]) -> str:
        return token[1] + names.get(token[2], token[2]) if token[2] else token[0]

    return _TOKEN.sub(renamed, text) if names else text


def index_columns(text: str, columns: Mapping[str, str]) -> str:
    """An expression with the elements of columns in the place of the columns' names, which stay as they are in comments and literals."""

    def element(token: re.Match[str]) -> str:
        return token[0] if token["no_code"] else columns.get(token[0], token[0])

    return re.sub(rf"(?s:(?P<no_code>{_NO_CODE.pattern}))|{_TOKEN.pattern}", element, text)


def has_name(text: str, name: str) -> bool:
    """Whether an expression has this name in it."""
    return index_columns(text, {name: ""}) != text


def as_bool(text: str) -> str:
    """Returns an expression's text as one that is 0 or 1; a text that is no whole expression, as it is, for the library to refuse."""
    bare, depth = _NO_CODE.sub(" ", text), 0
    for sign in bare:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return text
    return f"({text}\n) != 0" if bare.strip() else text


def c_text(what: str, text: Any) -> bytes:
    """A text for the library, which ends at the first character 0; a text that has one is refused."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} has a character 0 in it")
    return str.encode(text)


def argument_name(name: Any) -> bytes:
    """The name of an argument of expressions."""
    if not isinstance(name, str) or not is_free(name):
        shown = repr(name)[:80]
        raise TypeError(f"the argument {shown} needs another name: an identifier in ASCII that OpenCL C does not use")
    return str.encode(name)
