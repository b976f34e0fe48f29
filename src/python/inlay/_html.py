"""A result in a notebook: a title, a table, and the command's own summary to unfold."""

import html

# What a person looks at first; other columns are in to_pandas().
_COLUMNS = {
    "map": ("name", "repeat", "operations", "cost.energy_pj", "cost.cycles", "cost.edp",
            "cost.utilization", "certificate.status", "certificate.gap"),
    "eval": ("semantics", "level", "tensor", "tile_words", "total.reads", "total.fills",
             "total.updates", "total.drains", "energy_pj"),
    "systolic": ("name", "repeat", "operations", "folds", "cycles", "utilization"),
    "plan": ("tensor", "memory", "address", "bytes", "from", "to"),
}
_COLUMNS["walk"] = _COLUMNS["eval"]
_MOST_COLUMNS, _MOST_ROWS = 12, 100
_SUBJECTS = ("workload", "network", "problem", "study", "mix")
_PLACES = ("architecture", "machine", "accelerator")
_FIGURES = ("latency_us", "offchip_bytes", "energy_pj", "cycles", "edp", "size", "status")


def number(value):
    """A value for people: digits in groups, four significant ones of a fraction."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def _name(data, keys):
    for key in keys:
        value = data.get(key)
        if isinstance(value, dict):
            value = value.get("name")
        if isinstance(value, str):
            return value
    return ""


def title(data):
    """'map of resnet50 on eyeriss: energy_pj 5.899e+08, cycles 688 128'"""
    if isinstance(data, list):
        return f"{title(data[0])} and {len(data) - 1} more" if data else "nothing"
    text = str(data.get("command", "result"))
    subject, place = _name(data, _SUBJECTS), _name(data, _PLACES)
    if subject:
        text += f" of {subject}"
    if place:
        text += f" on {place}"
    total = data.get("total")
    figures = total if isinstance(total, dict) else data
    shown = [f"{key} {number(figures[key])}" for key in _FIGURES
             if isinstance(figures.get(key), (int, float, str))]
    if data.get("interrupted"):
        shown.append("interrupted")
    return text + (": " + ", ".join(shown) if shown else "")


def _columns(command, rows):
    seen = list(dict.fromkeys(key for row in rows for key in row))
    chosen = [key for key in _COLUMNS.get(command, seen) if key in seen]
    return (chosen or [key for key in seen if not key.startswith("measured")])[:_MOST_COLUMNS]


def _cell(value):
    align = "right" if isinstance(value, (int, float)) else "left"
    return f'<td style="text-align:{align}">{html.escape(number(value))}</td>'


def page(data, rows, summary):
    """The HTML of a result; everything that is not ours is escaped."""
    first = data[0] if isinstance(data, list) else data
    columns = _columns(first.get("command"), rows[:_MOST_ROWS])
    head = "".join(f'<th style="text-align:left">{html.escape(key)}</th>' for key in columns)
    body = "".join("<tr>" + "".join(_cell(row.get(key)) for key in columns) + "</tr>"
                   for row in rows[:_MOST_ROWS])
    more = len(rows) - _MOST_ROWS
    note = f"<p>and {more} more rows</p>" if more > 0 else ""
    return (f"<div><p><b>{html.escape(title(data))}</b></p>"
            f'<table style="font-variant-numeric:tabular-nums"><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>{note}"
            f"<details><summary>summary</summary><pre>{html.escape(summary)}</pre></details></div>")
