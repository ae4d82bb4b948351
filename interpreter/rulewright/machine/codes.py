"""Codes of faults and limits; each has a page."""

OUT_OF_BOUNDS = "RW0801"  # a value outside the bounds of its slot
NONE_THERE = "RW0802"  # none where a value is needed
NO_ROOM = "RW0803"  # a number added or taken without room
BY_ZERO = "RW0804"  # a division by zero
NOT_ONE = "RW0805"  # `the` that finds none or several
NO_SUCH_PLACE = "RW0806"  # a position outside a list, or a direction to the same cell
NOTHING_TO_COMPARE = "RW0807"  # the least or greatest of nothing
NO_ANSWER = "RW0808"  # a decision or draw without any possible answer
NEED_FAILED = "RW0809"  # an opening condition that does not hold in an inner call
INVARIANT_BROKEN = "RW0810"  # an `always` that does not hold
LOOP_TOO_LONG = "RW0811"  # a loop that goes on at its bound
JUMPED_TOO_OFTEN = "RW0812"  # a jump upwards beyond its bound
NESTED_TOO_DEEP = "RW0813"  # a `perform` nested beyond its bound
MEASURE_NOT_LOWERED = "RW0814"  # a standing rule whose measure did not fall
OUT_OF_PLAY = "RW0815"  # a thing out of play that should move, turn or be placed
UNCOVERED = "RW0816"  # rows that cover no case
NO_OTHER = "RW0817"  # `other` without a set of two
NOT_RUNNING = "RW0819"  # `finish` of a procedure that is not running
OFF_BOARD = "RW0820"  # a thing that would leave the board
NOT_IN_LIST = "RW0821"  # a member taken that is not there
NOWHERE = "RW0822"  # a distance from something that is not on the board
LEFT_EQUAL = "RW0835"  # members of a rank that every key leaves equal
NEVER_APART = "RW0836"  # dice of a rank that always fall alike
SIZE = "RW0851"  # values larger than the limit, or one number of too many digits
WORK = "RW0901"  # more lines, rounds, visits and calls than the limit
DEPTH = "RW0902"  # more calls inside each other than the limit
MEMBERS = "RW0903"  # a larger collection than the limit
DICE = "RW0904"  # more dice in one roll than the limit
WAYS = "RW0906"  # more places on the ways of a paths term than the limit
LIMITS = frozenset({SIZE, WORK, DEPTH, MEMBERS, DICE, WAYS})
"""Faults that say nothing about the rules beyond them."""
REMEDIES = {
    LOOP_TOO_LONG: "write a higher bound after `at most`, or leave the loop with `stop`",
    JUMPED_TOO_OFTEN: "write a higher bound after `at most`, or a condition before it that does not hold for ever",
    NESTED_TOO_DEEP: "write a higher bound before `deep`, or a condition before it that does not hold for ever",
    MEASURE_NOT_LOWERED: "write after `lowers` what becomes smaller each time it fires",
    SIZE: "`--max-size N` lets a play make more; a number has 4,000 digits at most",
    WORK: "`--max-steps N` lets a play go on for longer",
    DEPTH: "`--max-depth N` lets the procedures of a play go deeper; terms that call each other have to be fewer",
    MEMBERS: "`--max-members N` lets a play hold more",
    DICE: "`--max-dice N` lets a play roll more",
}
"""What to do about a fault that no single play could have foreseen, by its code."""
STALEMATE = "write a rule for the stalemate: leave with `finish` where a round changes nothing"
"""What to do where a bound was reached because nobody could end what goes on."""
