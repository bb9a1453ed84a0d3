"""A Sphinx extension: what a page may write, roles and directives, each with numbers from
recordings and laws."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the roles and directives to a Sphinx, which calls this."""
    from labs.site.roles import exercise_directives, scene_directive
    from labs.site.roles.claim_role import ClaimRole
    from labs.site.roles.law_role import LawDirective, LawRole
    from labs.site.roles.measured_role import MeasuredRole
    from labs.site.roles.output_directive import OutputDirective
    from labs.site.roles.progress_directive import ProgressDirective

    exercise_directives.add_to(app)
    scene_directive.add_to(app)
    app.add_role("measured", MeasuredRole())
    app.add_role("claim", ClaimRole())
    app.add_role("law", LawRole())
    app.add_directive("law", LawDirective)
    app.add_directive("output", OutputDirective)
    app.add_directive("progress", ProgressDirective)
    return {"version": "1", "parallel_read_safe": True}
