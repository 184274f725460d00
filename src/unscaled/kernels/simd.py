"""Eight numbers at a time: a vector type for compiled loops that gives the same bits on every machine.

LLVM may or may not vectorise a plain loop, and a sum that it does vectorise depends on the width of the
machine's registers. Here the width is part of the program: `Float64x8` is always eight doubles, whether the
machine has them in one register or in four, so a sum has the same eight partial sums everywhere.

    total = fill8(0.0)
    for j in range(0, m, LANES):            # x and y have room for whole vectors, and zeros after m
        total = total + load8(x, j) * load8(y, j)
    return sum8(total)

Arrays of ours come from `room8`. In an array of the user's, which ends where it ends, `load_part8` and `store_part8`
touch only the places of a mask. They cost more than they look: what a mask has just written can be read only once it
has reached the cache.

Loads widen float32 to float64, stores narrow it again. `+ - * /`, comparison `<=`, `abs` and `math.sqrt` work
on vectors, and with a float on the right-hand side, so that a formula can be written once for one and for eight.
"""

import math
import operator
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

LANES = 8

CACHE_LINE = 64

_F64 = ir.DoubleType()
_I1 = ir.IntType(1)
_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_VECTOR = ir.VectorType(_F64, LANES)
_MASK = ir.VectorType(_I1, LANES)


class Float64x8(types.Type):
    """Numba's name for a vector of eight doubles."""

    def __init__(self) -> None:
        super().__init__(name="Float64x8")


class Mask8(types.Type):
    """Numba's name for eight yes-or-nos."""

    def __init__(self) -> None:
        super().__init__(name="Mask8")


float64x8 = Float64x8()
mask8 = Mask8()


@register_model(Float64x8)
class _Float64x8Model(models.PrimitiveModel):
    def __init__(self, manager, vector_type):
        super().__init__(manager, vector_type, _VECTOR)


@register_model(Mask8)
class _Mask8Model(models.PrimitiveModel):
    def __init__(self, manager, mask_type):
        super().__init__(manager, mask_type, _MASK)


def _constant(kind, values):
    return ir.Constant(kind, values)


def _broadcast(builder, scalar, kind):
    """All eight places filled with one value."""
    single = builder.insert_element(_constant(kind, ir.Undefined), scalar, _constant(_I32, 0))
    return builder.shuffle_vector(single, single, _constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _address(context, builder, array_type, array, index):
    """A pointer to array[index] and the vector type of what stands there."""
    data = context.make_array(array_type)(context, builder, array).data
    element = context.get_data_type(array_type.dtype)
    block = ir.VectorType(element, LANES)
    return builder.bitcast(builder.gep(data, [index]), block.as_pointer()), block


def _llvm_function(builder, name, result, arguments):
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


def _suffix(block):
    return "v8f32" if block.element == ir.FloatType() else "v8f64"


@intrinsic
def between(typingctx, low, high):
    """The mask of the places k with low <= k < high."""

    def generate(context, builder, signature, arguments):
        low, high = (_broadcast(builder, value, ir.VectorType(_I64, LANES)) for value in arguments)
        places = _constant(ir.VectorType(_I64, LANES), list(range(LANES)))
        return builder.and_(builder.icmp_signed("<=", low, places), builder.icmp_signed("<", places, high))

    return mask8(types.int64, types.int64), generate


@intrinsic
def first(typingctx, n):
    """The mask of the first n places, all of them if n is eight or more."""

    def generate(context, builder, signature, arguments):
        bound = _broadcast(builder, arguments[0], ir.VectorType(_I64, LANES))
        places = _constant(ir.VectorType(_I64, LANES), list(range(LANES)))
        return builder.icmp_signed("<", places, bound)

    return mask8(types.int64), generate


def room8(shape: int | tuple[int, ...], kind: npt.DTypeLike = np.float64) -> np.ndarray:
    """Zeros that start where a line of the cache does: no vector then lies across two of them."""
    kind = np.dtype(kind)
    size = int(np.prod(shape)) * kind.itemsize
    raw = np.zeros(size + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + size].view(kind).reshape(shape)


def padded(n: int) -> int:
    """Room for n numbers in whole vectors."""
    return -(-n // LANES) * LANES


@intrinsic
def load8(typingctx, array, start):
    """array[start : start + 8]."""

    def generate(context, builder, signature, arguments):
        array_type = signature.args[0]
        pointer, block = _address(context, builder, array_type, *arguments)
        value = builder.load(pointer, align=array_type.dtype.bitwidth // 8, typ=block)
        return value if block == _VECTOR else builder.fpext(value, _VECTOR)

    return float64x8(array, types.intp), generate


@intrinsic
def store8(typingctx, array, start, value):
    """Writes value to array[start : start + 8]."""

    def generate(context, builder, signature, arguments):
        array_type = signature.args[0]
        pointer, block = _address(context, builder, array_type, arguments[0], arguments[1])
        value = arguments[2] if block == _VECTOR else builder.fptrunc(arguments[2], block)
        builder.store(value, pointer, align=array_type.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, float64x8), generate


@intrinsic
def load_part8(typingctx, array, start, mask):
    """array[start : start + 8] where the mask says so, 0 elsewhere; start may lie before the masked part."""

    def generate(context, builder, signature, arguments):
        array_type = signature.args[0]
        pointer, block = _address(context, builder, array_type, arguments[0], arguments[1])
        bytes_each = array_type.dtype.bitwidth // 8
        read = _llvm_function(
            builder,
            f"llvm.masked.load.{_suffix(block)}.p0",
            block,
            [block.as_pointer(), _I32, _MASK, block],
        )
        absent = _constant(block, [0.0] * LANES)
        value = builder.call(read, [pointer, _constant(_I32, bytes_each), arguments[2], absent])
        return value if block == _VECTOR else builder.fpext(value, _VECTOR)

    return float64x8(array, types.intp, mask8), generate


@intrinsic
def store_part8(typingctx, array, start, mask, value):
    """Writes the masked places of value to array[start : start + 8]."""

    def generate(context, builder, signature, arguments):
        array_type = signature.args[0]
        pointer, block = _address(context, builder, array_type, arguments[0], arguments[1])
        value = arguments[3] if block == _VECTOR else builder.fptrunc(arguments[3], block)
        write = _llvm_function(
            builder,
            f"llvm.masked.store.{_suffix(block)}.p0",
            ir.VoidType(),
            [block, block.as_pointer(), _I32, _MASK],
        )
        alignment = _constant(_I32, array_type.dtype.bitwidth // 8)
        builder.call(write, [value, pointer, alignment, arguments[2]])
        return context.get_dummy_value()

    return types.void(array, types.intp, mask8, float64x8), generate


def _addresses(context, builder, array_type, array, slots_type, slots, start):
    """Pointers to array[slots[start]], array[slots[start + 1]] and so on."""
    pointer, block = _address(context, builder, slots_type, slots, start)
    places = builder.load(pointer, align=8, typ=block)
    element = context.get_data_type(array_type.dtype)
    made = context.make_array(array_type)(context, builder, array)
    data = builder.ptrtoint(made.data, _I64)
    if array_type.layout == "C":
        stride = _constant(_I64, array_type.dtype.bitwidth // 8)
    else:
        (stride,) = cgutils.unpack_tuple(builder, made.strides)
    flat = builder.add(_broadcast(builder, data, block), builder.mul(places, _broadcast(builder, stride, block)))
    return builder.inttoptr(flat, ir.VectorType(element.as_pointer(), LANES)), ir.VectorType(element, LANES)


@intrinsic
def gather8(typingctx, array, slots, start):
    """array[slots[start + k]] for each place k."""

    def generate(context, builder, signature, arguments):
        array_type, slots_type = signature.args[:2]
        pointers, block = _addresses(context, builder, array_type, arguments[0], slots_type, *arguments[1:])
        kind = _suffix(block)
        read = _llvm_function(builder, f"llvm.masked.gather.{kind}.v8p0", block, [pointers.type, _I32, _MASK, block])
        alignment = _constant(_I32, array_type.dtype.bitwidth // 8)
        everywhere = _constant(_MASK, [1] * LANES)
        value = builder.call(read, [pointers, alignment, everywhere, _constant(block, [0.0] * LANES)])
        return value if block == _VECTOR else builder.fpext(value, _VECTOR)

    return float64x8(array, slots, types.intp), generate


@intrinsic
def copy_slots8(typingctx, target, place, source, start, mask, offset):
    """target[place : place + 8] = source[start : start + 8] + offset, and just offset where the mask is not set."""

    def generate(context, builder, signature, arguments):
        target, place, source, start, mask, offset = arguments
        source_type = signature.args[2]
        pointer, block = _address(context, builder, source_type, source, start)
        read = _llvm_function(
            builder,
            f"llvm.masked.load.v8i{source_type.dtype.bitwidth}.p0",
            block,
            [block.as_pointer(), _I32, _MASK, block],
        )
        bytes_each = _constant(_I32, source_type.dtype.bitwidth // 8)
        slots = builder.call(read, [pointer, bytes_each, mask, _constant(block, [0] * LANES)])
        wide = ir.VectorType(_I64, LANES)
        slots = slots if block == wide else builder.sext(slots, wide)
        pointer, _ = _address(context, builder, signature.args[0], target, place)
        builder.store(builder.add(slots, _broadcast(builder, offset, wide)), pointer, align=8)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp, mask8, types.int64), generate


@intrinsic
def fill8(typingctx, scalar):
    """Eight times the same number."""

    def generate(context, builder, signature, arguments):
        return _broadcast(builder, arguments[0], _VECTOR)

    return float64x8(types.float64), generate


@intrinsic
def sum8(typingctx, vector):
    """The sum of the eight places, always in the same order: halves onto halves."""

    def generate(context, builder, signature, arguments):
        value = arguments[0]
        for width in (4, 2, 1):
            places = ir.VectorType(_I32, width)
            low = builder.shuffle_vector(value, value, _constant(places, list(range(width))))
            high = builder.shuffle_vector(value, value, _constant(places, list(range(width, 2 * width))))
            value = builder.fadd(low, high)
        return builder.extract_element(value, _constant(_I32, 0))

    return types.float64(float64x8), generate


@intrinsic
def fma8(typingctx, one, other, added):
    """one * other + added, rounded once."""

    def generate(context, builder, signature, arguments):
        return builder.call(_llvm_function(builder, "llvm.fma.v8f64", _VECTOR, [_VECTOR] * 3), arguments)

    return float64x8(float64x8, float64x8, float64x8), generate


@intrinsic
def any8(typingctx, mask):
    """Whether any place of the mask is set."""

    def generate(context, builder, signature, arguments):
        bits = builder.bitcast(arguments[0], ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, _constant(ir.IntType(LANES), 0))

    return types.boolean(mask8), generate


@intrinsic
def absent8(typingctx, vector):
    """The mask of the places that are 0 or not a number."""

    def generate(context, builder, signature, arguments):
        return builder.fcmp_unordered("==", arguments[0], _constant(_VECTOR, [0.0] * LANES))

    return mask8(float64x8), generate


@intrinsic
def and8(typingctx, one, other):
    """The places of both masks."""

    def generate(context, builder, signature, arguments):
        return builder.and_(*arguments)

    return mask8(mask8, mask8), generate


@intrinsic
def or8(typingctx, one, other):
    """The places of either mask."""

    def generate(context, builder, signature, arguments):
        return builder.or_(*arguments)

    return mask8(mask8, mask8), generate


@intrinsic
def not_within(typingctx, vector, limit):
    """The mask of the places that are not <= limit: greater, or not a number."""

    def generate(context, builder, signature, arguments):
        return builder.fcmp_unordered(">", *arguments)

    return mask8(float64x8, float64x8), generate


@intrinsic
def positive8(typingctx, vector):
    """The mask of the places that are > 0."""

    def generate(context, builder, signature, arguments):
        return builder.fcmp_ordered(">", arguments[0], _constant(_VECTOR, [0.0] * LANES))

    return mask8(float64x8), generate


@intrinsic
def nonzero8(typingctx, vector):
    """The mask of the places that are not 0."""

    def generate(context, builder, signature, arguments):
        return builder.fcmp_unordered("!=", arguments[0], _constant(_VECTOR, [0.0] * LANES))

    return mask8(float64x8), generate


@intrinsic
def where8(typingctx, mask, yes, no):
    """Place by place yes where the mask is set, no elsewhere."""

    def generate(context, builder, signature, arguments):
        return builder.select(*arguments)

    return float64x8(mask8, float64x8, float64x8), generate


_ROOT_GUESS = 0x5FE6EB50C7B537A9
"""Half the bits of a double, taken from this, are those of its inverse root to 3.5 %."""

_ROOTED = 2.0**-1000, 2.0**1000
"""Between these, none of the products in `inverse_root8` is too small for a normal double."""


@intrinsic
def inverse_root8(typingctx, vector):
    """1 / √x, where x below 2^-1000 counts as that and x above 2^1000 as this; never infinite.

    A third of the time of a root and a division, which keep a processor busy for thirty cycles. With e = 1 - x y²,
    1 / √x = y / √(1 - e) = y (1 + e/2 + 3/8 e² + 5/16 e³ + …), twice. As e is found to more than double precision the
    second time, only one rounding is left: 1 / √4 is 1/2. All of it is products and sums, which are the same
    everywhere, and y(4 x) = y(x) / 2 to the bit.
    """

    def generate(context, builder, signature, arguments):
        fma = _llvm_function(builder, "llvm.fma.v8f64", _VECTOR, [_VECTOR] * 3)
        least, most, one, half, second, third = (
            _constant(_VECTOR, [number] * LANES) for number in (*_ROOTED, 1.0, 1.0 / 2.0, 3.0 / 8.0, 5.0 / 16.0)
        )
        integers = ir.VectorType(_I64, LANES)
        x = arguments[0]
        x = builder.select(builder.fcmp_ordered(">", x, least), x, least)
        x = builder.select(builder.fcmp_ordered("<", x, most), x, most)
        halved = builder.lshr(builder.bitcast(x, integers), _constant(integers, [1] * LANES))
        y = builder.bitcast(builder.sub(_constant(integers, [_ROOT_GUESS] * LANES), halved), _VECTOR)
        for is_last in (False, True):
            root = builder.fmul(x, y)
            e = builder.call(fma, [builder.fneg(root), y, one])
            if is_last:
                rounded = builder.call(fma, [x, y, builder.fneg(root)])
                e = builder.call(fma, [builder.fneg(rounded), y, e])
            series = builder.call(fma, [third, e, second])
            series = builder.call(fma, [series, e, half])
            y = builder.call(fma, [builder.fmul(y, e), series, y])
        return y

    return float64x8(float64x8), generate


_LOG2_E, _LN2_HIGH, _LN2_LOW = 1.4426950408889634, 0.6931471803691238, 1.9082149292705877e-10
_ROUNDER = 1.5 * 2.0**52
"""Added to a number below 2^51 and taken away again, it rounds it."""


def _spread(number: float) -> ir.Constant:
    return _constant(_VECTOR, [number] * LANES)


@intrinsic
def exp8(typingctx, vector):
    """e^x for x from -700 to 700, and what is beyond counts as that; to the last bit or two.

    With x = n ln 2 + r, 2^n is a matter of the bits, and e^r a series of r of at most 0.35. The library's exp has one
    number at a time and other bits on other machines.
    """

    def generate(context, builder, signature, arguments):
        fma = _llvm_function(builder, "llvm.fma.v8f64", _VECTOR, [_VECTOR] * 3)
        integers = ir.VectorType(_I64, LANES)
        x = arguments[0]
        x = builder.select(builder.fcmp_ordered(">", x, _spread(-700.0)), x, _spread(-700.0))
        x = builder.select(builder.fcmp_ordered("<", x, _spread(700.0)), x, _spread(700.0))
        shifted = builder.call(fma, [x, _spread(_LOG2_E), _spread(_ROUNDER)])
        n = builder.fsub(shifted, _spread(_ROUNDER))
        r = builder.call(fma, [n, _spread(-_LN2_HIGH), x])
        r = builder.call(fma, [n, _spread(-_LN2_LOW), r])
        series = _spread(1.0 / math.factorial(13))
        for power in range(12, -1, -1):
            series = builder.call(fma, [series, r, _spread(1.0 / math.factorial(power))])
        places = builder.bitcast(shifted, integers)  # n stands in its lowest bits
        exponent = builder.shl(places, _constant(integers, [52] * LANES))
        return builder.bitcast(builder.add(builder.bitcast(series, integers), exponent), _VECTOR)

    return float64x8(float64x8), generate


@intrinsic
def log8(typingctx, vector):
    """ln x for normal x above 0, to the last bit or two.

    With x = 2^n m and m from √½ to √2, ln m = 2 artanh(t) for t = (m - 1) / (m + 1), a series of t² of at most 0.03.
    """

    def generate(context, builder, signature, arguments):
        fma = _llvm_function(builder, "llvm.fma.v8f64", _VECTOR, [_VECTOR] * 3)
        integers = ir.VectorType(_I64, LANES)
        root_half = int(np.float64(math.sqrt(0.5)).view(np.int64))
        bits = builder.bitcast(arguments[0], integers)
        n = builder.ashr(builder.sub(bits, _constant(integers, [root_half] * LANES)), _constant(integers, [52] * LANES))
        m = builder.bitcast(builder.sub(bits, builder.shl(n, _constant(integers, [52] * LANES))), _VECTOR)
        n = builder.sitofp(n, _VECTOR)
        f = builder.fsub(m, _spread(1.0))
        t = builder.fdiv(f, builder.fadd(m, _spread(1.0)))
        t2 = builder.fmul(t, t)
        series = _spread(2.0 / 23.0)
        for odd in range(21, 0, -2):
            series = builder.call(fma, [series, t2, _spread(2.0 / odd)])
        low = builder.call(fma, [t, series, builder.fmul(n, _spread(_LN2_LOW))])
        return builder.call(fma, [n, _spread(_LN2_HIGH), low])

    return float64x8(float64x8), generate


def _arithmetic(instruction: str) -> Callable:
    @intrinsic
    def operation(typingctx, left, right):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return float64x8(float64x8, float64x8), generate

    return operation


def _overload_operator(symbol: Callable, operation: Callable) -> None:
    @overload(symbol, inline="never")
    def _(left, right):
        if isinstance(left, Float64x8) and isinstance(right, Float64x8):
            return lambda left, right: operation(left, right)
        if isinstance(left, Float64x8) and isinstance(right, types.Float):
            return lambda left, right: operation(left, fill8(right))
        if isinstance(left, types.Float) and isinstance(right, Float64x8):
            return lambda left, right: operation(fill8(left), right)
        return None


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _overload_operator(_symbol, _arithmetic(_instruction))


def _elementwise(name: str) -> Callable:
    @intrinsic
    def function(typingctx, vector):
        def generate(context, builder, signature, arguments):
            llvm = _llvm_function(builder, f"llvm.{name}.v8f64", _VECTOR, [_VECTOR])
            return builder.call(llvm, arguments)

        return float64x8(float64x8), generate

    return function


_sqrt8 = _elementwise("sqrt")
_abs8 = _elementwise("fabs")


@overload(math.sqrt)
def _(x):
    if isinstance(x, Float64x8):
        return lambda x: _sqrt8(x)
    return None


@overload(abs)
def _(x):
    if isinstance(x, Float64x8):
        return lambda x: _abs8(x)
    return None
