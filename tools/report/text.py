"""text.py - numbers as text."""


def count(n):
    """Returns the number as text, such as 2^24 for a power of two."""
    n = int(n)
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else str(n)


def digits(x):
    """Returns the number with three significant digits."""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def rate(x):
    return next((digits(x / scale) + unit for scale, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")) if x >= scale), digits(x))


def short(x):
    """Returns the number as short as possible: 1.5 G, 0.2, 0."""
    return next(
        (f"{x / scale:.3g}{unit}" for scale, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")) if x >= scale), f"{x:.3g}"
    )


def seconds(x):
    return digits(x) + " s" if x >= 1 else digits(x * 1e3) + " ms" if x >= 1e-3 else digits(x * 1e6) + " µs"


def fraction(x):
    return f"{x:.2f}" if x else ""
