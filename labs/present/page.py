"""A whole HTML file that needs no other: figures, tables and sentences. Pure."""

from collections.abc import Sequence

from markupsafe import Markup

from labs.present.markup import script_data
from labs.present.plot import Figure

# Scripts and styles of the page itself, and nothing from anywhere else.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}"
    "figure{margin:1rem 0}div{overflow-x:auto}table{border-collapse:collapse}"
    "th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #858585}"
)
# Text takes the page's colour; a narrow screen takes what a layout says for it.
DRAW = (
    "const merge = (a, b) => { for (const k in b) a[k] = b[k] && b[k].constructor === Object"
    " ? merge(a[k] || {}, b[k]) : b[k]; return a; };"
    "for (const place of document.querySelectorAll('[data-figure]')) {"
    " const made = JSON.parse(place.querySelector('script').textContent), layout = made.layout;"
    " if (innerWidth < 600 && layout.meta) merge(layout, layout.meta.narrow);"
    " const line = 'rgba(133,133,133,0.25)', clear = 'rgba(0,0,0,0)';"
    " for (const axis of Object.keys(layout).filter(key => /^[xy]axis/.test(key)))"
    "  merge(layout[axis], {gridcolor: line, zerolinecolor: line, automargin: true});"
    " merge(layout, {paper_bgcolor: clear, plot_bgcolor: clear,"
    "  font: {color: getComputedStyle(document.body).color}});"
    " Plotly.newPlot(place.querySelector('div'), made.data, layout, {responsive: true});"
    "}"
)


def page(title: str, heading: str, body: Sequence[Markup], script: str) -> Markup:
    """Put these parts into one HTML file. script: plotly's, or "" where nothing is drawn."""
    return Markup(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{}">'
        '<meta name="viewport" content="width=device-width"><title>Wall Time: {}</title>'
        "<style>{}</style></head><body><h1>{}</h1>{}<script>{}</script><script>{}</script>"
        "</body></html>\n"
    ).format(
        POLICY,
        title,
        Markup(STYLE),
        heading,
        Markup("").join(body),
        Markup(script.replace("</script", "<\\/script")),
        Markup(DRAW),
    )


def drawn(alt: str, figure: Figure) -> Markup:
    """Write a figure with its description, which the page's script draws."""
    return Markup(
        '<figure data-figure><div role="img" aria-label="{0}"></div>'
        "{1}<figcaption>{0}</figcaption></figure>"
    ).format(alt, script_data(figure))
