"""The guide's sessions print what it says: docs/guide/python.md, blocks `pycon`."""

import doctest
import os
import re
import tempfile
import unittest

import support

GUIDE = support.SOURCE / "docs/guide/python.md"


class GuideTest(unittest.TestCase):
    def test_sessions(self):
        text = GUIDE.read_text(encoding="utf-8")
        blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 4)
        session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "guide", str(GUIDE), 0)
        # Figures are in the tests of what computes them; exceptions by their class's own name.
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                report = []
                result = doctest.DocTestRunner(optionflags=flags).run(session, out=report.append)
            finally:
                os.chdir(before)
        self.assertEqual(result.failed, 0, "".join(report))
        self.assertGreater(result.attempted, 15)

    def test_what_the_tables_name_is_there(self):
        import inlay

        for name in re.findall(r"`inlay\.(\w+)", GUIDE.read_text(encoding="utf-8")):
            self.assertTrue(hasattr(inlay, name), name)


if __name__ == "__main__":
    unittest.main()
