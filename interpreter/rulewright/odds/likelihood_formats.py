"""How a probability, a mean and a large number are written: as percentage, fraction or odds."""

from fractions import Fraction

from rulewright.runtime.type_codecs import format_exact_fraction

STYLES = ("fraction", "percent", "odds")
"""Formats of likelihoods on request."""
MAX_REQUESTED_DENOMINATOR = 10**30
"""Limit of the denominator of a fraction if fractions are requested."""
NO_FRACTION = "…"
"""Placeholder for a fraction too long to be read."""
_MAX_READABLE_DENOMINATOR = 10**6
_MAX_WRITTEN_OUT = 10**15
_MIN_FIXED_PERCENT = 0.001


def format_percent(likely: Fraction) -> str:
    """`  4.167 %`; a tiny share with its first significant digit."""
    number = float(likely * 100)
    return f"{number:7.3f} %" if number >= _MIN_FIXED_PERCENT or not likely else f"{number:7.1e} %"


def format_likelihood(likely: Fraction, style: str) -> str:
    """`7/12`, `58.333 %` or `7 in 12`, rounded if too long."""
    if style == "percent":
        return format_percent(likely).strip()
    if style == "fraction":
        is_printable = likely.denominator <= MAX_REQUESTED_DENOMINATOR
        return str(likely) if is_printable else f"about {format_percent(likely).strip()}"
    if likely in {0, 1}:
        return "always" if likely else "never"
    if likely.denominator > _MAX_READABLE_DENOMINATOR:
        return f"about 1 in {float(1 / likely):.3g}"
    return f"{likely.numerator} in {likely.denominator}"


def format_mean(mean: Fraction) -> str:
    """A mean in decimals, and exactly if that differs and is short enough: `8.142 (57/7)`."""
    about, exact = f"{float(mean):.4g}", format_fraction(mean)
    return about if mean.denominator == 1 or exact == NO_FRACTION else f"{about} ({exact})"


def format_fraction(likely: Fraction) -> str:
    """A fraction, or `NO_FRACTION` if it is too long to be read."""
    return str(likely) if likely.denominator <= _MAX_READABLE_DENOMINATOR else NO_FRACTION


def format_short_percent(share: Fraction) -> str:
    """`4.167 %`, with four digits; what only rounds to 100 is `over 99.99 %`."""
    percent = f"{float(share * 100):.4g}"
    return "over 99.99 %" if percent == "100" and share < 1 else f"{percent} %"


def format_share(likely: Fraction) -> str:
    """`1/3 (33.3333 %)`; `about 33.3333 %` if the fraction is too long, a whole number as it is."""
    if likely.denominator == 1:
        return format_exact_fraction(likely)
    about = f"{float(likely * 100):.6g} %"
    return f"{likely} ({about})" if likely.denominator <= _MAX_READABLE_DENOMINATOR else f"about {about}"


def format_large_number(number: int, rounded: str = "") -> str:
    """`1,000`; from 10^15 only its power of ten, after the words of `rounded`."""
    return f"{number:,}" if number < _MAX_WRITTEN_OUT else f"{rounded}10^{len(str(number)) - 1}"
