"""That no expectation can be made of what a play came to."""


class NothingFitsError(Exception):
    """Nothing can be written that the play would meet.

    Attributes:
        because: why, in one clause.
    """

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because
