"""The description of the interface, as plain HTML without scripts."""

import re
from collections.abc import Iterable, Mapping
from html import escape
from importlib import resources
from string import Template
from typing import Any


def page(title: str, body: str) -> str:
    """A whole page; the title is text, the body HTML."""
    template = Template((resources.files("server") / "static" / "page.html").read_text())
    return template.substitute(title=escape(title), body=body)


def docs_page(openapi: Mapping[str, Any]) -> str:
    """An OpenAPI document for people to read."""
    info = openapi["info"]
    sections = [
        _operation(method, path, operation)
        for path, operations in openapi["paths"].items()
        for method, operation in operations.items()
    ]
    return page(
        f"{info['title']} {info['version']}",
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"<p>{escape(info['description'])}</p>"
        '<p>The same for programs: <a href="/openapi.json">/openapi.json</a>.'
        ' <a href="/">The map</a></p>' + "".join(sections),
    )


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    parts = [
        f"<h2>{escape(operation.get('summary', path))}</h2>",
        f'<code class="path">{method.upper()} {escape(path)}</code>',
        f"<p>{_text(operation.get('description', ''))}</p>",
    ]
    parameters = operation.get("parameters", ())
    if parameters:
        parts.append("<h3>Parameters</h3>")
        parts.append(
            _rows((f"<code>{escape(p['name'])}</code>", _parameter(p)) for p in parameters)
        )
    parts.append("<h3>Answers</h3>")
    parts.append(
        _rows(
            (f"<code>{escape(status)}</code>", _text(answer["description"]))
            for status, answer in operation["responses"].items()
        )
    )
    return "".join(parts)


def _parameter(parameter: Mapping[str, Any]) -> str:
    schema = parameter["schema"]
    values = schema.get("enum") or ("true", "false") * (schema.get("type") == "boolean")
    text = _text(parameter.get("description", ""))
    if values:
        text += "<br>" + " &middot; ".join(f"<code>{escape(value)}</code>" for value in values)
    if "default" in schema:
        text += f"<br>default <code>{escape(str(schema['default']).lower())}</code>"
    if "example" in parameter:
        text += f"<br>for example <code>{escape(str(parameter['example']))}</code>"
    return text


def _text(markdown: str) -> str:
    """Text in which `backticks` mark code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(markdown))


def _rows(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{left}</td><td>{right}</td></tr>" for left, right in rows)
    return f"<table>{cells}</table>"
