"""Domains with other values of some fields, which may be those of their parts."""

from dataclasses import fields, replace
from typing import Any

from searchlab import Chance, Domain


def changed(domain: Domain, **values: Any) -> Domain:
    """Return a domain with these values; `picture` is put into its views, `events` into its chance, and so on."""
    for part, kind in Domain.parts.items():
        given = {field.name: values.pop(field.name) for field in fields(kind) if field.name in values}
        if given:
            now = values.get(part, getattr(domain, part)) or Chance()
            values[part] = replace(now, **given)
    return replace(domain, **values)
