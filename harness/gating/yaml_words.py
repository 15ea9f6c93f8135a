"""What the YAML parser found, in words that say what to write instead."""

import re

from ruamel.yaml.error import MarkedYAMLError

from policies.arguments import shown

_STRAY = re.compile(r"found character '(.+)' that cannot start any token", re.DOTALL)


def in_our_words(wrong: MarkedYAMLError) -> str:
    """One line. What is not known here keeps the parser's own words."""
    problem, context = str(wrong.problem or ""), str(wrong.context or "")
    stray = _STRAY.search(problem)
    if stray is not None and stray[1] in ("\t", "\\t"):
        return "a tab stands where spaces belong. Indent with spaces"
    if stray is not None:
        return f"a value cannot begin with {stray[1][:1]}. Put it in quotes"
    if "mapping values are not allowed" in problem:
        return (
            "a second colon is on this line, or its indentation does not match. Put text with ': ' in quotes"
        )
    if "sequence entries are not allowed" in problem:
        return "a list begins within a line. Put each '- ' on a line of its own, or write [a, b]"
    if "quoted scalar" in context and "end of stream" in problem:
        return "a quote is opened and never closed. Close it"
    if "double-quoted" in context:
        return "a backslash in double quotes begins an escape, and this is none. Use single quotes"
    if "flow sequence" in context or "flow mapping" in context:
        return f"a bracket is not closed, or a comma is missing: {_told(problem)}. Close it"
    if "<block end>" in problem:
        return "the indentation does not match the lines above. Keys of one level begin in one column"
    return f"this is no YAML: {_told(' '.join((context, problem)).strip())}. See docs/gate.md"


def _told(words: str) -> str:
    return shown(words.replace("\n", " "))[1:-1]
