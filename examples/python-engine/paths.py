"""Projection paths such as `Account[GOLD]/Symbol[EUR/USD]` (docs/engine/bus.md, "Values")."""

import json

from contract import rejected


def read_path(text, known_keys):
    """The values of a path by key, in its order; the empty path is the root. A malformed path is rejected."""
    segments = {}
    rest = text
    while rest:
        key, opened, behind = rest.partition("[")
        value, closed, rest = split_value(behind)
        if not opened or not closed or value == "":
            raise malformed(text, "expected Key[value] segments joined by /")
        if key not in known_keys:
            raise malformed(text, f"unknown projection key {json.dumps(key)}")
        if key in segments:
            raise malformed(text, f"projection key {json.dumps(key)} is given twice")
        segments[key] = value
    return segments


def split_value(text):
    """A value, whether it was closed, and what comes behind. A `]` ends it only at the end or before `/`."""
    value, bracket, rest = text.partition("]/")
    if bracket:
        # A path does not end with "/", so there has to be a segment behind it.
        return value, rest != "", rest
    return text[:-1], text.endswith("]"), ""


def print_path(segments):
    return "/".join(f"{key}[{value}]" for key, value in segments.items())


def malformed(text, reason):
    return rejected(f"projection path {json.dumps(text)}: {reason}")
