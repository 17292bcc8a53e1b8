import numpy as np
import pytest

import gpuprim

NONE = 2**32 - 1


def by_stack(codes):
    """match, parent, depth"""
    stack, match, parent, depth = [], [NONE] * len(codes), [], []
    for i, code in enumerate(codes):
        parent.append(stack[-1] if stack else NONE)
        depth.append(len(stack))
        if code > 0:
            stack.append(i)
        elif code < 0 and stack:
            match[i] = stack.pop()
            match[match[i]] = i
    return match, parent, depth


@pytest.mark.parametrize("n", [0, 1, 1000, 65537])
def test_brackets(ctx, rng, n):
    codes = rng.integers(-2, 3, n).astype(np.int8)
    expected = by_stack(codes)
    found = ctx.brackets(codes, outputs=("match", "parent", "depth", "errors"))
    for array, numbers in zip((found.match, found.parent, found.depth), expected):
        assert array.get().tolist() == numbers
    assert found.errors.max_depth == max(expected[2], default=0) or n
    text = ctx.brackets("(a[b])x)", outputs=("match", "errors"))
    assert text.match.get().tolist() == [5, NONE, 4, NONE, 2, 0, NONE, NONE] and text.parent is None
    assert text.errors.unmatched_closers == 1 and text.errors.first_unmatched_closer == 7
    assert text.errors.first_unmatched_opener is None and text.errors.max_depth == 2


def test_codes(ctx):
    table = np.zeros(256, np.int8)
    table[ord("b")], table[ord("e")] = 1, -1
    for options in ({"table": table}, {"map": "x == 'b' ? 1 : x == 'e' ? -1 : 0"}, {"pairs": "be"}):
        assert ctx.brackets(b"b-e", **options).match.get().tolist() == [2, NONE, 0]
    with pytest.raises(ValueError, match="256 codes"):
        ctx.brackets("()", table=[1, -1])
    with pytest.raises(ValueError, match="outputs are"):
        ctx.brackets("()", outputs=["partner"])
    with pytest.raises(gpuprim.ArgumentError):
        ctx.brackets("()", pairs="(")


def test_stack_scan(ctx, rng):
    codes = rng.integers(-1, 2, 5000).astype(np.int8)
    values = rng.integers(0, 100, 5000).astype(np.int32)
    for exclusive in (False, True):
        stack, expected = [], []
        for code, value in zip(codes.tolist(), values.tolist()):
            if exclusive:
                expected.append(sum(stack))
            if code > 0:
                stack.append(value)
            elif code < 0 and stack:
                stack.pop()
            if not exclusive:
                expected.append(sum(stack))
        assert ctx.stack_scan(codes, values, exclusive=exclusive).get().tolist() == expected
    least = ctx.stack_scan("((x", values[:3], "min", initial=1000).get()
    assert least.tolist() == [values[0], values[:2].min(), values[:2].min()]


def test_tree(ctx):
    text = "(a,(b,c),d)"
    parent = ctx.brackets(text, outputs=["parent"]).parent
    tree = ctx.tree(parent, text, map="x == ','", outputs=("index", "children", "end"))
    parents = parent.get()
    is_comma = np.array([c == "," for c in text])
    assert tree.children.get()[0] == 2
    expected = [(is_comma[:i] & (parents[:i] == parents[i])).sum() for i in range(len(text))]
    assert tree.index.get().tolist() == expected
    assert tree.end.get()[0] == len(text) and tree.end.get()[1] == 2
    signed = ctx.tree(np.array([-1, 0, 0, 2]), outputs=["children"])
    assert signed.children.get().tolist() == [2, 0, 1, 0] and signed.index is None
