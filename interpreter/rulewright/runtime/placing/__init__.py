"""Where a base can be put: the search that answers whether some pose satisfies conditions.

A pose that is found is sure, for it was judged. That none is found is no proof. The places tried depend on the state
alone, in an order that belongs to a version of the search, so that a play comes out the same every time.
"""

VERSION = 2
"""Of the places tried and their order; kept in saves, for another version may find what this one does not."""
