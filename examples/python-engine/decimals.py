"""Decimal numbers of the contract: text, of at most 64 characters, of which no digit is ever lost."""

import re
from decimal import Context, Decimal

from contract import INVALID_PARAMS, Refusal

# Wide enough for the sum of any two decimals of the contract.
EXACT = Context(prec=160)
MAX_LENGTH = 64
PATTERN = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def read_decimal(name, text):
    if not isinstance(text, str) or len(text) > MAX_LENGTH or not PATTERN.fullmatch(text):
        raise Refusal(INVALID_PARAMS, f"params.input.{name}: must be a decimal string")
    return Decimal(text)


def decimal_text(value, places=None):
    """
    A number of the engine as a decimal of the contract: no exponent, no trailing zeros; rounded to `places` digits behind the point if
    given. None stands for a value that there is not, and so do NaN and the infinities. Raises ValueError for more than 64 characters.
    """
    if value is None:
        return None
    exact = exact_of(value)
    if not exact.is_finite():
        return None
    if places is not None and exact.adjusted() < MAX_LENGTH:
        exact = exact.quantize(Decimal(1).scaleb(-places), context=EXACT)
    text = format(exact, "f") if exact else "0"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    if len(text) > MAX_LENGTH:
        raise ValueError(f"{value} has more than {MAX_LENGTH} characters as a decimal; `places` rounds a fraction")
    return text


def exact_of(value):
    if isinstance(value, float):
        # The shortest text that is this float, which is what its author wrote, unless it was computed.
        return Decimal(float.__repr__(value))
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return Decimal(value)
    raise TypeError(f"{value!r} is not a number")
