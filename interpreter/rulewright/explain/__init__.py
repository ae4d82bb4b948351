"""Why a play came to what it came to, and the smallest change by which it would have come to something else."""
