"""Application of overlays and `like` to syntax trees: overlays on a base, then what is `like` it, then overlays on that."""
