#!/usr/bin/env python3
"""Words that comments, documents, messages and names do without, and what to write instead.

The meanings of the words we do use stand in CONTRIBUTING.md. Run as a program, it prints every place."""

import re

# A pattern, and what to write instead. Upper and lower case are alike unless the pattern says otherwise.
WORDS = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in (
    (r"\bnobody\b", "name who does not"),
    (r"\b(some|any|every)body\b", "name the user, the process or the thread"),
    (r"\bwhoever\b", "name the caller or the user"),
    (r"\bwho comes\b", "a client that connects"),
    (r"\bstrangers\b", "other users, or other processes"),
    (r"\banew\b", "again"),
    (r"\bfor until\b", '"Until ..., ..."'),
    (r"\b(told|tells?|telling) of\b", "reported, reports"),
    (r"teller", "reporter"),
    (r"\b(comes?|coming|came) round\b", "say what recovers, and when"),
    (r"\bstands? for no\b", "is not"),
    (r"\bno wish of\b", "not requested by"),
    (r"\bthose (that )?there are\b", "the known ones, or the existing ones"),
    (r"\bthat (is|are) none\b", "unknown, or invalid"),
    (r"\b(is|are) no more\b(?! than)", "no longer exists"),
    (r"\blets? go\b", "releases"),
    (r"\bas good as\b", "say what it equals"),
    (r"\b(what|that) will not do\b", "invalid, or unusable"),
    (r"\bcr(y|ies) wolf\b", "false alarms"),
    (r"mood", "state"),
    (r"by_?stander", "other threads"),
    (r"\b(an?|the|as|its|no|independent|same) witness", "check, or second measurement"),
    # Not the rule of style sheets, `@font-face`.
    (r"(?<!-)\bfaces?\b", "format, interface or wrapper"),
)] + [(re.compile(pattern), "a document that is not in the repository: say it here") for pattern in (
    r"\b(CONTRACT|DESIGN|FIGURES)\b", r"\bcontract('s| names| lists)", r"\b(SEEDS|STYLE)(\.md|'s)",
    r"\b[Ii]ssues? #?\d")]

# Habits of comments: a comment is a sentence with a subject and a verb.
COMMENTS = [(re.compile(r"^\s*//\s+(Of|Likewise|As|Those|None|The same)\b"),
             "begin with the subject of the sentence"),
            (re.compile(r"//.*\b(\d+|one|two|three|four|once|twice|bytes|samples|times|[mnu]s) "
                        r"an? (step|cell|launch|round|batch|row|token|thread|lane|block|node|layer|query|key|"
                        r"kind|process|page|value|op|line|second)\b"), '"per", as in "once per step"')]

# Here the words are data.
EXEMPT = ("LICENSE", "tests/integration/tidy_test.py", "tests/integration/tidy_words.py")


def faults_of_words(path, lines):
    if path in EXEMPT or path.endswith("package-lock.json"):
        return
    for number, line in enumerate(lines, 1):
        for pattern, instead in WORDS:
            match = pattern.search(line)
            if match:
                yield f'{path}:{number}: "{match.group()}": {instead}'


def faults_of_comments(path, lines):
    if path.startswith("tests/") or not path.endswith((".hpp", ".cpp", ".h", ".cu", ".cuh")):
        return
    for number, line in enumerate(lines, 1):
        goes_on = number > 1 and lines[number - 2].lstrip().startswith("//")
        for place, (pattern, instead) in enumerate(COMMENTS):
            match = pattern.search(line)
            if match and not (place == 0 and goes_on):
                yield f'{path}:{number}: "{match.group().strip()}": {instead}'


def main():
    import tidy_test  # which imports this file's rules
    for path in tidy_test.tracked_files():
        text = (tidy_test.ROOT / path).read_text(encoding="utf-8", errors="replace")
        for fault in faults_of_words(path, text.splitlines()):
            print(fault)


if __name__ == "__main__":
    main()
