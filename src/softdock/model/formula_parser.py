"""Recursive-descent parser of formulas and conditions; the grammar is in docs/expressions.md."""

import re
from collections.abc import Callable

from softdock.errors import suggest
from softdock.model.formulas import (
    FUNCTIONS,
    LOGIC,
    Constant,
    ExpressionError,
    Formula,
    Operation,
    constant_value,
    is_condition,
)
from softdock.model.observations import QUANTITY, SIGNED_FIELDS, Observation, observation_of
from softdock.quantities.units import LARGEST, NUMBER, UNITS, parse_unit

MAX_LENGTH = 2000
"""Characters of an expression."""
MAX_DEPTH = 40
"""Levels of nested parentheses, functions and signs."""
MAX_OPERATIONS = 100
MAX_EXPONENT = 9
MAX_UNIT_DEPTH = 5
MAX_UNIT_LENGTH = 100
STATISTICS = ("max", "min", "start", "final", "mean", "rms", "integral")
WINDOWS = ("after", "before", "between", "within", "during")
KEYWORDS = {*LOGIC, *FUNCTIONS, *STATISTICS, *WINDOWS, "for", "in", "of", "from", "to", "time", "duration"}
_NAME = re.compile(r"[A-Za-z][\w-]*")
_OPEN_POINT = re.compile(r"\s*@\s*(?P<bracket>\[)[^\[\]]*(?=\[|$)")
_WORD = re.compile(r"[^\W\d]\w*")
_UNIT_SYMBOL = re.compile(r"[A-Za-z%_°µμ][A-Za-z0-9_]*")
_ONE_PER = re.compile(r"\s+1(?=\s*/\s*[A-Za-z°µμ(])")
_UNIT_EXPONENT = re.compile(r"\s*(?:(?:\^|\*\*)\s*[+-]?[0-9](?![0-9.])|[²³])")
_UNIT_SEPARATOR = re.compile(r"\s*[*/·](?!\*)\s*|\s+|(?=[°%])")
_SYMBOL = re.compile(r">=|<=|\*\*|[-+*/^()<>,−·²³]")
_EXPONENT = re.compile(r"[+-]?[0-9]+(?![0-9.])")
_DECIMAL_COMMA = re.compile(r"(?<=\d),\d")
_BLANKS = re.compile(r"\s*")
OPERATORS = "an operator (+ - * / ^)"


def explain(text: str, error: ExpressionError) -> str:
    """Return the message of an error with the place in the text: column and what is written there."""
    words = text[error.at :].split(maxsplit=1)
    place = f"at column {error.at + 1} (`{_shortened(words[0])}`)" if words else "at the end"
    return f"{place}: {error}"


def _shortened(text: str) -> str:
    printable = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[:24])
    return printable + ("..." if len(text) > 24 else "")


class FormulaParser:
    """Recursive descent over one text; `at` is where it reads next."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth, self.operations = text, 0, 0, 0
        if len(text) > MAX_LENGTH:
            raise ExpressionError(
                f"an expression has at most {MAX_LENGTH} characters, and not {len(text)}", MAX_LENGTH
            )
        self._skip()

    def _skip(self) -> None:
        self.at = _blanks_end(self.text, self.at)

    def error(self, message: str, at: int | None = None) -> ExpressionError:
        """Return an error at a place, by default here."""
        return ExpressionError(message, self.at if at is None else at)

    def finish(self, *allowed: str) -> None:
        """Raise ExpressionError unless the text ends here."""
        if self.at < len(self.text):
            word = _WORD.match(self.text, self.at)
            meant = suggest(word[0], KEYWORDS) if word and word[0] not in KEYWORDS else ""
            if _DECIMAL_COMMA.match(self.text, self.at):
                raise self.error("numbers have a decimal point, as in `0.5 m`, and no comma")
            options = f"{', '.join(allowed)} or " if allowed else ""
            raise self.error(f"{options}the end of the text is expected here{meant}")

    def word(self) -> str:
        """Return the word here, empty if there is none; a quantity such as `max.force` is none."""
        match = _WORD.match(self.text, self.at)
        return match[0] if match and not QUANTITY.match(self.text, self.at) else ""

    def is_called(self) -> bool:
        """Return whether the word here is followed by a parenthesis."""
        match = _WORD.match(self.text, self.at)
        return match is not None and self.text[match.end() :].lstrip().startswith("(")

    def take(self, word: str) -> bool:
        """Skip a keyword; returns whether it is here."""
        if self.word() != word:
            return False
        self.at += len(word)
        self._skip()
        return True

    def symbol(self, *symbols: str) -> str:
        """Skip one of some symbols and return it, empty if none is here."""
        match = _SYMBOL.match(self.text, self.at)
        if match is None or match[0] not in symbols:
            return ""
        self.at = match.end()
        self._skip()
        return match[0]

    def event(self, what: str = "an event") -> str:
        """Read the name of an event or phase."""
        match = _NAME.match(self.text, self.at)
        if match is None:
            raise self.error(f"the name of {what} is expected")
        self.at = match.end()
        self._skip()
        return match[0]

    def duration(self) -> float:
        """Read a time above zero [s]."""
        at = self.at
        constant = self._constant()
        fits = constant is not None and (
            constant.unit is None or parse_unit(constant.unit).dimension == UNITS["s"].dimension
        )
        if constant is None or not fits or constant.value <= 0.0:
            raise self.error("a time above zero is expected, as in `0.2 s`", at)
        return constant.value

    # Conditions and formulas; both in parentheses are told apart by what is in them.

    def number(self, formula: Formula) -> Formula:
        """Return a formula; raises ExpressionError if it is a condition."""
        if is_condition(formula):
            raise self.error("a number is needed here, and this is a condition", formula.at)
        return formula

    def truth(self, formula: Formula) -> Formula:
        """Return a condition; raises ExpressionError if it is a number. `motor.stalled` means `motor.stalled > 0`."""
        if isinstance(formula, Observation) and formula.field in SIGNED_FIELDS:
            return self._operation(">", formula, Constant("0", 0.0), at=formula.at)
        if not is_condition(formula):
            raise self.error(
                f"a comparison (> <) or {OPERATORS} is expected: a condition is like `probe.z in drogue > 80 mm`"
            )
        return formula

    def condition(self) -> Formula:
        """Read conditions joined by `or`."""
        return self._joined("or", self._conjunction)

    def _conjunction(self) -> Formula:
        return self._joined("and", self._negation)

    def _joined(self, word: str, read: Callable[[], Formula]) -> Formula:
        left = read()
        while self.word() == word:
            at = self.at
            left = self.truth(left)
            self.take(word)
            left = self._operation(word, left, self.truth(read()), at=at)
        return left

    def _negation(self) -> Formula:
        at = self.at
        if self.word() == "not" and self.take("not"):
            with _Nesting(self):
                return self._operation("not", self.truth(self._negation()), at=at)
        return self._comparison()

    def _comparison(self) -> Formula:
        left = self._sum()
        comparisons: list[Formula] = []
        while True:
            at = self.at
            sign = self.symbol(">", ">=", "<", "<=")
            if not sign:
                break
            self.number(left)
            right = self.number(self._sum())
            comparisons.append(self._operation(sign[0], left, right, at=at))
            left = right
        if not comparisons:
            return left
        whole = comparisons[0]
        for other in comparisons[1:]:  # `1 mm < a.x < 2 mm`
            whole = self._operation("and", whole, other, at=other.at)
        return whole

    def _sum(self) -> Formula:
        left = self._product()
        while True:
            at = self.at
            sign = self.symbol("+", "-", "−")
            if not sign:
                return left
            name = "+" if sign == "+" else "-"
            left = self._operation(name, self.number(left), self.number(self._product()), at=at)

    def _product(self) -> Formula:
        left = self._signed()
        while True:
            at = self.at
            sign = self.symbol("*", "/", "·")
            if not sign:
                return left
            name = "/" if sign == "/" else "*"
            right = self.number(self._signed())
            if name == "/" and constant_value(right) == 0.0:
                whole = Operation("/", (left, right))
                raise self.error(f"`{whole}` has no value: it divides by zero", at)
            left = self._operation(name, self.number(left), right, at=at)

    def _signed(self) -> Formula:
        at = self.at
        sign = self.symbol("+", "-", "−")
        if not sign:
            return self._power()
        with _Nesting(self):
            operand = self.number(self._signed())
        if sign == "+":
            return operand
        if isinstance(operand, Constant):
            return Constant(f"-{operand.text}".replace("--", ""), -operand.value, operand.unit, at)
        return self._operation("negate", operand, at=at)

    def _power(self) -> Formula:
        base, at = self._atom(), self.at
        sign = self.symbol("^", "**", "²", "³")
        if not sign:
            return base
        self.number(base)
        if sign in "²³":
            return self._operation("^", base, exponent="²³".index(sign) + 2, at=at)
        match = _EXPONENT.match(self.text, self.at)
        if match is None or abs(int(match[0])) > MAX_EXPONENT:
            raise self.error(f"a whole exponent from -{MAX_EXPONENT} to {MAX_EXPONENT} is expected")
        self.at = match.end()
        self._skip()
        return self._operation("^", base, exponent=int(match[0]), at=at)

    def _operation(self, name: str, *operands: Formula, exponent: int = 0, at: int) -> Operation:
        """Return an operation; raises ExpressionError if there are too many."""
        self.operations += 1
        if self.operations > MAX_OPERATIONS:
            raise self.error(f"an expression has at most {MAX_OPERATIONS} operators and functions", at)
        whole = Operation(name, operands, exponent, at)
        if not is_condition(whole):
            constant_value(whole)  # raises ExpressionError for constants without a value, as in `sqrt(-1)`
        return whole

    def _atom(self) -> Formula:
        quantity = QUANTITY.match(self.text, self.at)
        if quantity:
            at = self.at
            self.at = quantity.end()
            self._skip()
            try:
                return observation_of(quantity)
            except ValueError as error:
                raise self.error(str(error), at) from None
        constant = self._constant()
        if constant is not None:
            return constant
        at, word = self.at, self.word()
        if word in FUNCTIONS:
            return self._function(word)
        if self.take("time"):
            return Observation(name="time", at=at)
        if self.symbol("("):
            with _Nesting(self):
                inner = self.condition()
            if not self.symbol(")"):
                raise self.error("a `)` is expected, or an operator or a comparison")
            return inner
        if word and word not in KEYWORDS:
            name = _NAME.match(self.text, self.at)
            given = name[0] if name else word
            point = _OPEN_POINT.match(self.text, name.end()) if name else None
            if point:
                raise self.error(
                    f"the `]` of this point of `{_shortened(given)}` is missing, as in `rod@[0, 0, 150 mm].z`",
                    point.start("bracket"),
                )
            raise self.error(
                f"`.` and a field are expected after `{_shortened(given)}`, as in `probe.z` or "
                f"`rod@[0, 0, 150 mm].z`{suggest(given, ('time', *FUNCTIONS))}"
            )
        raise self.error(
            "a quantity (`probe.z in drogue`, `time`), a number with a unit, a function "
            f"({', '.join(FUNCTIONS)}), `not` or `(` is expected"
        )

    def _function(self, name: str) -> Operation:
        at = self.at
        self.take(name)
        if not self.symbol("("):
            raise self.error(f"`(` is expected after the function `{name}`")
        operands: list[Formula] = []
        with _Nesting(self):
            while True:
                operands.append(self.number(self.condition()))
                if not self.symbol(","):
                    break
        if not self.symbol(")"):
            raise self.error("`,`, `)` or an operator (+ - * / ^) is expected")
        least, most = FUNCTIONS[name]
        if not least <= len(operands) <= most:
            counts = str(least) if least == most else f"{least} to {most}"
            raise self.error(f"`{name}` takes {counts} arguments, and not {len(operands)}", at)
        return self._operation(name, *operands, at=at)

    def _constant(self) -> Constant | None:
        """Read a number and its unit."""
        number = NUMBER.match(self.text, self.at)
        if number is None or number[0][0] in "+-":
            return None
        at, value = self.at, float(number[0])
        end = _unit_end(self.text, number.end())
        unit = self.text[number.end() : end].strip() or None
        if unit is not None and len(unit) > MAX_UNIT_LENGTH:
            raise self.error(f"a unit has at most {MAX_UNIT_LENGTH} characters, and not {len(unit)}", at)
        factor = 1.0
        if unit is not None:
            try:
                factor = parse_unit(f"1{unit}" if unit[0] in "*/·" else unit).factor
            except ValueError as error:
                raise self.error(f"`{_shortened(self.text[at:end])}` {error}", at) from None
        else:
            self._refuse_unknown_unit(number.end())
        value = value * factor if unit is not None else value
        if not abs(value) <= LARGEST:
            raise self.error(f"a number has a magnitude of at most {LARGEST:g} in SI", at)
        self.at = end
        self._skip()
        text = " ".join(self.text[at:end].split())
        return Constant(text, value, unit and (f"1{unit}" if unit[0] in "*/·" else unit), at)

    def _refuse_unknown_unit(self, at: int) -> None:
        """Raise ExpressionError where a word after a number is neither a unit nor a keyword."""
        at = _blanks_end(self.text, at)
        word = _WORD.match(self.text, at)
        if word and word[0] not in KEYWORDS - {"in"} and not QUANTITY.match(self.text, at):
            try:
                parse_unit(word[0])
            except ValueError as error:
                meant = suggest(word[0], (*LOGIC, *WINDOWS, "for"))
                message = (
                    f"the number has the unknown unit {word[0]!r}{meant}" if meant else f"the number {error}"
                )
                raise self.error(message, at) from None


class _Nesting:
    """Counts the levels of nested parts, so that no text exhausts the stack."""

    def __init__(self, parser: FormulaParser) -> None:
        self.parser = parser

    def __enter__(self) -> None:
        self.parser.depth += 1
        if self.parser.depth > MAX_DEPTH:
            raise self.parser.error(
                f"at most {MAX_DEPTH} levels of parentheses, functions and signs are possible"
            )

    def __exit__(self, *_: object) -> None:
        self.parser.depth -= 1


def _unit_end(text: str, at: int, depth: int = 0) -> int:
    """Return the end of the unit after a number, which is its beginning if there is none.

    A unit is a product of powers of known symbols; a word with a field, a point or arguments is none.
    """
    reciprocal = _ONE_PER.match(text, at) if depth == 0 else None
    at, first = (reciprocal.end(), False) if reciprocal else (at, True)
    while True:
        separator = _UNIT_SEPARATOR.match(text, at)
        if not separator and not first:
            return at
        begin = separator.end() if separator else at
        end = _factor_end(text, begin, depth)
        if end == begin:
            return at
        at, first = end, False


def _factor_end(text: str, at: int, depth: int) -> int:
    """Return the end of one factor of a unit, which is its beginning if there is none."""
    symbol = _UNIT_SYMBOL.match(text, at)
    if symbol:
        plain = symbol[0].replace("°", "deg").replace("µ", "u").replace("μ", "u")
        called = plain in FUNCTIONS and text[symbol.end() :].lstrip().startswith("(")
        if plain not in UNITS or called or QUANTITY.match(text, at):
            return at
        end = symbol.end()
    elif text.startswith("(", at) and depth < MAX_UNIT_DEPTH:
        inner = _blanks_end(text, at + 1)
        end = _unit_end(text, inner, depth + 1)
        close = _blanks_end(text, end)
        if end == inner or not text.startswith(")", close):
            return at
        end = close + 1
    else:
        return at
    exponent = _UNIT_EXPONENT.match(text, end)
    return exponent.end() if exponent else end


def _blanks_end(text: str, at: int) -> int:
    """Return where the blanks end that begin at a place."""
    match = _BLANKS.match(text, at)
    return match.end() if match else at
