"""As much of JSON Schema as the schemas of the manual use; any other keyword is an error."""

from __future__ import annotations

import re
from typing import Any

_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
_NOTES = {"$schema", "$defs", "title", "properties"}


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, where: str = "it") -> list[str]:
    """What in the value is not as the schema says, a sentence each."""
    root = root or schema
    if "type" in schema and not _holds(value, "type", schema["type"], schema):
        return [f"{where} = {str(value)[:60]}: type {schema['type']}"]
    found = []
    for keyword, wanted in schema.items():
        if keyword == "$ref":
            found += faults(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, where)
        elif keyword == "items":
            found += [fault for item in value for fault in faults(item, wanted, root, f"an item of {where}")]
        elif keyword not in _NOTES and not _holds(value, keyword, wanted, schema):
            found.append(f"{where} = {str(value)[:60]}: {keyword} {wanted}")
    if isinstance(value, dict):
        for name, part in schema.get("properties", {}).items():
            if name in value:
                found += faults(value[name], part, root, f"{where}.{name}")
    return found


def _holds(value: Any, keyword: str, wanted: Any, schema: dict[str, Any]) -> bool:
    if keyword == "type":
        types = [wanted] if isinstance(wanted, str) else wanted
        return any(isinstance(value, _TYPES[name]) and isinstance(value, bool) <= (name == "boolean") for name in types)
    if keyword == "additionalProperties":
        return wanted or value.keys() <= schema["properties"].keys()
    if keyword == "required":
        return value.keys() >= set(wanted)
    if keyword in ("minimum", "maximum"):
        return value is None or (value >= wanted if keyword == "minimum" else value <= wanted)
    return {
        "const": lambda: value == wanted,
        "enum": lambda: value in wanted,
        "pattern": lambda: re.search(wanted, value) is not None,
    }[keyword]()
