"""Deeds with the text of an answer: what a parser, a journal or a terminal may choke on."""

import json

from villain import log

#: Clears the screen, sets the title, answers back, and looks like a line of the referee.
ESCAPES = "\x1b[2J\x1b]0;VILLAIN\x07\x1b[6n\x1bP$q\"p\x1b\\\r\x9b31mVILLAIN\u202e"


def with_field(villain, field):
    return '{"type":"move","pit":%d,%s}\n' % (villain.turn["legal"][0], field)


def brackets(villain):
    """Longer than a line may be."""
    return with_field(villain, '"x":' + "[" * 50000 + "]" * 50000)


def fitting_brackets(villain):
    """As deep as fits in a line, in a field that the protocol does not have."""
    return with_field(villain, '"x":' + "[" * 32000 + "]" * 32000)


def open_brackets(villain):
    return with_field(villain, '"x":' + '{"a":[' * 10000)


def brackets_in_info(villain):
    return with_field(villain, '"info":{"pv":' + "[" * 2000 + "]" * 2000 + "}")


def brackets_as_answer(villain):
    return "[" * 60000 + "\n"


def nul(villain):
    return b'{"type":"move","pit":0}\x00\n'


def nul_inside(villain):
    return b'{"type":"move",\x00"pit":0}\n'


def invalid_utf8(villain):
    return b'{"type":"move","pit":0,"x":"\xff\xfe\xed\xa0\x80"}\n'


def lone_surrogate(villain):
    """An escape that is not a character, in a field that is kept."""
    return with_field(villain, '"info":{"comment":"\\ud800"}')


def huge_number(villain):
    return '{"type":"move","pit":1e400}\n'


def long_number(villain):
    return '{"type":"move","pit":' + "9" * 5000 + "}\n"


def huge_number_in_info(villain):
    return with_field(villain, '"info":{"score":1e400,"depth":-1e999}')


def duplicate_keys(villain):
    return '{"type":"move","pit":99,"pit":%d}\n' % villain.turn["legal"][0]


def duplicate_types(villain):
    return with_field(villain, '"type":"resign"')


def half_a_pit(villain):
    return '{"type":"move","pit":0.5}\n'


def pit_of_the_opponent(villain):
    return '{"type":"move","pit":7}\n'


def negative_pit(villain):
    return '{"type":"move","pit":-1}\n'


def other_turn(villain):
    return with_field(villain, '"turn":%d' % (villain.turn["turn"] + 2))


def two_answers(villain):
    """One line with two objects."""
    return villain.honest().strip() + villain.honest()


def large_info(villain):
    return with_field(villain, '"info":{"comment":"%s"}' % ("x" * 5000))


def escapes_in_info(villain):
    log(ESCAPES)
    return with_field(villain, '"info":' + json.dumps({"comment": ESCAPES, ESCAPES: ESCAPES}))


def escapes_in_garbage(villain):
    log(ESCAPES)
    return ESCAPES + "\n"


def escapes_in_name(villain):
    log(ESCAPES)


escapes_in_name.own_name = ESCAPES

DEEDS = {
    deed.__name__: deed
    for deed in (
        brackets, fitting_brackets, open_brackets, brackets_in_info, brackets_as_answer, nul,
        nul_inside, invalid_utf8, lone_surrogate, huge_number, long_number, huge_number_in_info,
        duplicate_keys, duplicate_types, half_a_pit, pit_of_the_opponent, negative_pit, other_turn,
        two_answers, large_info, escapes_in_info, escapes_in_garbage, escapes_in_name,
    )
}
