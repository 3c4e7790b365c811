"""The fields that a report needs to be read back."""

from collections.abc import Collection
from dataclasses import MISSING, fields
from typing import Any


def check_fields(kind: type, found: Any, *, newer: Collection[str] = (), older: Collection[str] = ()) -> None:
    """Raise ValueError unless these are the fields of a report of this kind.

    newer : fields that reports of older versions do not have
    older : names that reports have beside the fields
    """
    if not isinstance(found, dict):
        raise ValueError(f"a {kind.__name__} must be an object with its fields, but is {found!r}")
    known = {each.name: each.default is MISSING and each.name not in newer for each in fields(kind)}
    for name, is_needed in known.items():
        if is_needed and name not in found:
            raise ValueError(f'a {kind.__name__} must have the field "{name}", but has {", ".join(found) or "none"}')
    for name in found:
        if name not in known and name not in older:
            raise ValueError(f'a {kind.__name__} has no field "{name}": a later version may have written it')
