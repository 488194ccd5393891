"""Reads the golden formats of comparisons as their consumers do: JUnit XML as Jenkins' schema has it,
annotations as GitHub's runner parses them, Markdown as a table of so many columns."""

import pathlib
import re
import unittest
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).parent / "comparison"

# What may stand where, after the schema of Jenkins' xUnit plugin (junit-10): children and attributes.
TEXTS = {"failure", "skipped", "error"}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase", "system-out", "system-err"},
    "properties": {"property"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err"},
}
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id"},
    "testcase": {"name", "classname", "time"},
    "property": {"name", "value"},
    "failure": {"type", "message"},
    "skipped": {"type", "message"},
    "error": {"type", "message"},
}
REQUIRED = {
    "testsuite": {"name", "tests", "failures", "errors"},
    "testcase": {"name"},
    "property": {"name", "value"},
}


class Junit(unittest.TestCase):
    def documents(self):
        files = sorted(HERE.glob("junit/*.xml"))
        self.assertTrue(files)
        return [ElementTree.fromstring(file.read_bytes()) for file in files]

    def check(self, element):
        tag = element.tag
        self.assertLessEqual(set(element.attrib), ATTRIBUTES.get(tag, set()), tag)
        self.assertLessEqual(REQUIRED.get(tag, set()), set(element.attrib), tag)
        for child in element:
            self.assertIn(child.tag, CHILDREN.get(tag, set()), tag)
            self.check(child)

    def test_every_document_keeps_to_the_schema(self):
        for root in self.documents():
            self.assertEqual("testsuites", root.tag)
            self.check(root)

    def test_counts_are_those_of_the_testcases(self):
        for root in self.documents():
            suite = root.find("testsuite")
            for node in (root, suite):
                self.assertEqual(len(suite.findall("testcase")), int(node.get("tests")))
                self.assertEqual(len(suite.findall("testcase/failure")), int(node.get("failures")))
            self.assertEqual(len(suite.findall("testcase/skipped")), int(suite.get("skipped")))

    def test_testcases_are_told_apart_by_class_and_name(self):
        for root in self.documents():
            names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
            self.assertEqual(len(names), len(set(names)))

    def test_a_testcase_has_at_most_one_outcome(self):
        for root in self.documents():
            for case in root.iter("testcase"):
                self.assertLessEqual(len([child for child in case if child.tag in TEXTS]), 1)

    def test_names_come_back_as_they_were(self):
        root = ElementTree.fromstring((HERE / "junit/mixed.xml").read_bytes())
        names = [case.get("name") for case in root.iter("testcase")]
        self.assertIn("BM_Copy<float, 'a'|\"b\">/`8`/@team #12 100%::warning::x & co", names)


# The runner takes a line as a command where it matches this; properties are split at "," and "=".
COMMAND = re.compile(r"^::(error|warning|notice) (title=[^:,\r\n]*)::(.*)$")


def unescaped(text):
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


class Annotations(unittest.TestCase):
    def commands(self):
        files = sorted(HERE.glob("github/*.txt"))
        self.assertTrue(files)
        for file in files:
            matches = [COMMAND.match(line) for line in file.read_text(encoding="utf-8").splitlines()]
            self.assertNotIn(None, matches, file.name)
            yield [match.groups() for match in matches]

    def test_each_line_is_one_command_and_no_more_than_are_shown(self):
        for commands in self.commands():
            kinds = [kind for kind, _, _ in commands]
            self.assertIn(kinds[-1], ("notice", "error"))
            self.assertEqual(1 if kinds[-1] == "notice" else 0, kinds.count("notice"))
            self.assertLessEqual(kinds.count("error"), 10)
            self.assertLessEqual(kinds.count("warning"), 10)

    def test_titles_and_messages_come_back_as_they_were(self):
        for commands in self.commands():
            for _, title, message in commands:
                self.assertTrue(unescaped(title).startswith("title=graphbench: "), title)
                self.assertNotRegex(message, r"%(?!25|0A|0D)")

    def test_percent_signs_survive(self):
        text = (HERE / "github/mixed.txt").read_text(encoding="utf-8")
        self.assertIn("100%25::warning::x & co", text)


class Markdown(unittest.TestCase):
    def files(self):
        files = sorted(HERE.glob("markdown/*.md"))
        self.assertTrue(files)
        return [file.read_text(encoding="utf-8") for file in files]

    def test_every_row_has_as_many_columns_as_its_head(self):
        tables = [table for text in self.files()
                  for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]
        self.assertGreater(len(tables), 3)
        for table in tables:
            self.assertEqual(1, len({line.count("|") for line in table.splitlines()}), table)

    def test_details_are_closed_and_stand_apart_from_what_they_fold(self):
        self.assertIn("<details>", "".join(self.files()))
        for text in self.files():
            self.assertEqual(text.count("<details>"), text.count("</details>"))
            for match in re.finditer(r"</summary>(.{2})", text, re.DOTALL):
                self.assertEqual("\n\n", match.group(1))

    def test_nobody_is_mentioned_and_nothing_linked(self):
        for text in self.files():
            outside_code = re.sub(r"`[^`]*`|<code>.*?</code>", "", text)
            self.assertNotRegex(outside_code, r"(?<!&)[@#]\w|https?://|www\.")


if __name__ == "__main__":
    unittest.main()
