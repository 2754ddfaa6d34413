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


def print_decimal(value):
    """No exponent, no trailing zeros; None stays None."""
    if value is None:
        return None
    return format(value.normalize(EXACT), "f") if value else "0"
