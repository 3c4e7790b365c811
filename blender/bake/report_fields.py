"""The fields that a report needs to be read back."""

from collections.abc import Collection
from dataclasses import MISSING, fields
from typing import Any


def check_fields(kind: type, values: Any, *, newer: Collection[str] = (), older: Collection[str] = ()) -> None:
    """Raise ValueError unless these are the fields of a report of this kind.

    newer : fields that reports of older versions do not have
    older : names that reports have beside the fields
    """
    if not isinstance(values, dict):
        raise ValueError(f"a {kind.__name__} must be an object with its fields, but is {values!r}")
    needed = {field.name: field.default is MISSING and field.name not in newer for field in fields(kind)}
    for name, is_needed in needed.items():
        if is_needed and name not in values:
            raise ValueError(f'a {kind.__name__} must have the field "{name}", but has {", ".join(values) or "none"}')
    for name in values:
        if name not in needed and name not in older:
            raise ValueError(f'a {kind.__name__} has no field "{name}": a later version may have written it')
