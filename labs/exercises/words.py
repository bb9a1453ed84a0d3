"""The words of the exercises, as their pages have them, and the fields in them. Pure.

A number in a question, a hint or a solution is a field:

- `{users}` one of the exercise's numbers, `{answer}` among them;
- `{cpu_s:.3f}` formatted; `{cores:words}` eight, `{cores:Words}` Eight, `{part:part}` a quarter,
  `{part:Part}` A quarter, `{part:percent}` 25;
- `{users|your}` of the reader's own run, and what stands there before it.

After TeX the braces stay: `\\frac{a}{D}`.
"""

import re
from fractions import Fraction

from labs.exercises.exercise import Numbers
from labs.present.quantities import NoSuchNumber
from labs.records.format import digits

TEX = r"\\\w}^_"  # after one of these, braces are TeX's
FIELD = re.compile(
    rf"(?<![{TEX}])\{{(?P<name>[a-z]\w*)(?::(?P<format>[^{{}}|]*))?(?:\|(?P<else>[^{{}}]*))?\}}(?!`)"
)
CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)

WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
PARTS = {
    Fraction(1, 2): "half", Fraction(1, 3): "a third", Fraction(2, 3): "two thirds",
    Fraction(1, 4): "a quarter", Fraction(3, 4): "three quarters", Fraction(1, 5): "a fifth",
    Fraction(1, 6): "a sixth", Fraction(1, 8): "an eighth", Fraction(3, 8): "three eighths",
    Fraction(1, 10): "a tenth", Fraction(9, 10): "nine tenths", Fraction(1): "all",
}  # fmt: skip

PLAIN = (  # TeX and its plain words
    (r"\cdot", "·"), (r"\times", "×"), (r"\le", "≤"), (r"\ge", "≥"), (r"\min", "min"),
    (r"\max", "max"), (r"\mu", "µ"), (r"\lambda", "λ"), (r"\,", ""), (r"\ ", " "),
)  # fmt: skip


def fill(text: str, numbers: Numbers) -> str:
    """Fill a text's fields with the numbers. NoSuchNumber where there is none."""

    def said(match: re.Match[str]) -> str:
        try:
            return _formatted(numbers, match["name"], match["format"] or "")
        except NoSuchNumber:
            if match["else"] is None:
                raise
            return match["else"]

    return FIELD.sub(said, text)


def _formatted(numbers: Numbers, name: str, form: str) -> str:
    value = float(numbers[name])
    match form.lower():
        case "":
            return numbers.said(name)
        case "words":
            whole = value.is_integer() and 0 <= value < len(WORDS)
            said = WORDS[int(value)] if whole else numbers.said(name)
        case "part":
            said = PARTS.get(Fraction(value).limit_denominator(100), f"{digits(100 * value)} %")
        case "percent":
            return digits(100 * value)
        case _:
            return format(value, form)
    return said[:1].upper() + said[1:] if form[0].isupper() else said


def plain(text: str) -> str:
    """Rid paragraphs of their marks, for whoever reads them outside the book's pages."""

    def formula(match: re.Match[str]) -> str:
        tex = match[1]
        for mark, word in PLAIN:
            tex = re.sub(re.escape(mark) + r"(?![a-z])", word, tex)
        tex = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", tex)
        tex = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", tex)
        return re.sub(r"\\text\b|[{}]", "", tex)

    text = re.sub(r"\{term\}`([^`<]*?)(?: *<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\$([^$]+)\$", formula, text)
    text = re.sub(r"(?<!\*)(\*{1,2})(?!\s)([^*]+)\1", r"\2", text)
    text = CODE.sub(lambda match: match["code"], text)
    return "\n\n".join(" ".join(each.split()) for each in re.split(r"\n\s*\n", text.strip()))
