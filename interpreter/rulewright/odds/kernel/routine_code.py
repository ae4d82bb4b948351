"""A routine under construction: its names, and code of its expressions as values, tests and members."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.kernel_module import KernelModule
from rulewright.odds.kernel.value_conversion import convert_value
from rulewright.odds.kernel.value_shapes import NONE_CODE, BatchUnsupportedError, PoolShape, SequenceShape, Shape
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter, Variable, after, as_code, const
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression, Local
from rulewright.program.types import strip_optional


@dataclass
class RoutineCode:
    """A routine under construction."""

    module: KernelModule
    w: FunctionWriter
    routine: core.Routine
    variables: dict[int, Variable] = field(default_factory=dict)
    known: dict[int, Code] = field(default_factory=dict)  # constants by index of their name
    frame: Variable | None = None  # address of the names that a watch shares
    shared: dict[int, int] = field(default_factory=dict)  # offset in the frame by index
    plain_dice: frozenset[int] = frozenset()  # names that hold the face of a die
    address: str = ""  # of the statement under construction
    inlined: int = 0  # functions around that this one is written into
    line: Code | None = None  # of a window, the line that asks (`KernelModule.find_line`)

    # Names.

    def read(self, local: Local) -> Code:
        if local.index in self.known:
            return self.known[local.index]
        if local.index in self.shared:
            assert self.frame is not None
            return self.frame.load(self.shared[local.index])
        return self.variable(local)

    def variable(self, local: Local) -> Variable:
        result = self.variables.get(local.index)
        if result is None:
            result = self.variables[local.index] = self.w.new_local()
        return result

    def assign(self, local: Local, value: Code | int) -> None:
        if local.index in self.shared:
            assert self.frame is not None
            self.w.store(self.frame, value, self.shared[local.index])
        else:
            self.w.set(self.variable(local), value)

    def shape(self, node: Expression) -> Shape:
        return self.shape_of(node.type)

    def shape_of(self, type_: core.CoreType | None) -> Shape:
        if isinstance(type_, core.RankingType):
            return SequenceShape(self.module.shapes.of(type_.member))
        return self.module.shapes.of(type_)

    # Expressions.

    def emit(self, node: Expression) -> Code:
        """Code of an expression, a value or a test; what cannot be done gives the play back there."""
        try:
            with self.w.capture() as pieces:
                code = self.module.emit_expression(self, node)
        except BatchUnsupportedError as unfit:
            address = getattr(node.origin, "address", None) or self.address or self.routine.key
            why = str(unfit)
            why = why if why.startswith("at `") else f"at `{address}`: {why}"
            return Code(self.module.give_back(why) + const(0).code)
        return after(pieces, code) if pieces else code

    def value(self, node: Expression) -> Code:
        return self.emit(node).as_flag()

    def test(self, node: Expression) -> Code:
        return self.emit(node).as_test()

    def held(self, node: Expression) -> Code:
        """A value that may be read several times."""
        return self.hold(self.value(node))

    def hold(self, value: Code) -> Code:
        if value.constant is not None or isinstance(value, Variable):
            return value
        return self.w.new_local(value)

    def slot(self, node: Expression, target: core.CoreType | None) -> Code:
        """A value as a place of a type holds it."""
        return self.convert(self.value(node), node.type, target)

    def convert(self, code: Code, source: core.CoreType | None, target: core.CoreType | None) -> Code:
        if source is None or isinstance(source, ty.NoneType) or target is None or source == target:
            return code
        return convert_value(self.module, code, self.shape_of(source), self.shape_of(target))

    def present(self, node: Expression) -> Code:
        """A value, or the play is given back if it is none."""
        value = self.value(node)
        if not isinstance(node.type, ty.OptionalType | ty.NoneType):
            return value
        return self.require_value(value)

    def require_value(self, value: Code) -> Code:
        value = self.hold(value)
        self.require(value.ne(NONE_CODE), "none where a value is needed")
        return value

    def require(self, test: Code, why: str) -> None:
        self.module.require(self.w, test, why)

    def sequence(self, node: Expression, item: Shape | None = None) -> Code:
        """Members of a collection as a sequence."""
        shape = self.shape(node)
        if isinstance(shape, PoolShape):
            return lib.list_kept_dice(self.w, self.module, self.held(node))
        wanted = SequenceShape(item or self.item_shape(node))
        return convert_value(self.module, self.value(node), shape, wanted)

    def item_shape(self, node: Expression) -> Shape:
        """Shape of the members of a collection."""
        return self.shape_of(find_member_type(node.type))

    def allocate_words(self, values: Sequence[Code | int]) -> Code:
        """Address of new words with these values, which are computed before."""
        held = [self.hold(as_code(value)) for value in values]
        new = self.allocate(len(held))
        for at, value in enumerate(held):
            self.w.store(new, value, 8 * at)
        return new

    def allocate(self, words: int) -> Variable:
        """Address of a known number of new words."""
        module = self.module
        new = self.w.new_local(module.heap)
        self.w.set(module.heap, new + 8 * words)
        self.require(module.heap.operate("le_u", module.heap_end), "very many values in memory")
        return new

    def arguments(self, key: str, nodes: Sequence[Expression]) -> list[Code]:
        parameters = self.module.core.routines[key].parameters
        return [self.slot(node, parameter.type) for node, parameter in zip(nodes, parameters, strict=True)]


def find_member_type(type_: core.CoreType | None) -> ty.Type:
    """Type of the members of a collection; of a map of its keys.

    Raises:
        BatchUnsupportedError: it has none.
    """
    result = ty.get_member_type(strip_optional(type_))  # type: ignore[arg-type]
    if result is None:
        raise BatchUnsupportedError(f"members of {type_}")
    return result


EmitOperation = Callable[[RoutineCode, core.Op], Code]


class OperationTable(dict[str, EmitOperation]):
    """Code of operations of core by name."""

    def register(self, *names: str) -> Callable[[EmitOperation], EmitOperation]:
        """Decorator of the function that writes these operations."""

        def add(function: EmitOperation) -> EmitOperation:
            self.update(dict.fromkeys(names, function))
            return function

        return add
