"""Words that nothing may be called (manual, Reserved words)."""

RESERVED = frozenset(
    """
    across all always and any as at becomes bind board by cost decide deep die each end enter event every explode
    external face for from game halt handler if in insert kind map measure no none not of on optional or otherwise
    outside over paths procedure record relation remove replace roll ruling secretly setting side some table tagged
    tally term the times to values void when whenever whether with yes
    """.split()
)
"""Names that no line and no declaration may bind."""
