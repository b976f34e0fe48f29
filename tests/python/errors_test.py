"""What goes wrong is an exception that says all of it."""

import pathlib
import unittest
import warnings

import support

import inlay

BAD_ARCH = support.ARCH.replace("capacity: 64 words", "capactiy: 64 words").replace(
    "word_bits: 16", "word_bits: sixteen")


class KeywordsTest(unittest.TestCase):
    def test_an_unknown_keyword_is_a_type_error_with_the_nearest_one(self):
        with self.assertRaisesRegex(TypeError, r"map\(\) has no keyword 'objectve'; did you mean "
                                               r"'objective'\?"):
            inlay.map("alexnet", arch="eyeriss", objectve="edp")

    def test_missing_and_too_many_arguments_are_type_errors(self):
        with self.assertRaisesRegex(TypeError, "map.*workload"):
            inlay.map(arch="eyeriss")
        with self.assertRaisesRegex(TypeError, "codesign.* needs workload"):
            inlay.codesign(technology="thistle-45nm", area=1)
        with self.assertRaisesRegex(TypeError, "too many"):
            inlay.map("alexnet", "eyeriss")

    def test_a_value_of_the_wrong_kind_is_a_type_error(self):
        for keywords, word in [({"seed": "seven"}, "seed: expected a whole number"),
                               ({"seed": True}, "seed: expected a whole number"),
                               ({"time_limit": object()}, "time_limit: expected seconds"),
                               ({"arch": 3.5j}, "arch: expected a name, a path"),
                               ({"objective": 5}, "objective: expected a text or a list"),
                               ({"dim": ["batch"]}, "dim: expected a dict"),
                               ({"progress": 5}, "progress: expected a callable")]:
            with self.subTest(word), self.assertRaisesRegex(TypeError, word):
                inlay.map("alexnet", **keywords)
        with self.assertRaisesRegex(TypeError, "explain: expected True or False"):
            inlay.codesign("alexnet", explain="yes")

    def test_a_value_out_of_range_is_an_error_in_pythons_words(self):
        with self.assertRaises(inlay.Error) as caught:
            inlay.map("alexnet", arch="eyeriss", objective="enrgy", threads=0)
        messages = [each.message for each in caught.exception.diagnostics]
        self.assertEqual(messages, ["objective: unknown value 'enrgy'", "threads: '0' does not fit"])
        self.assertEqual(caught.exception.diagnostics[0].hint, "did you mean 'energy'?")

    def test_hints_name_keywords_and_no_flags(self):
        with self.assertRaises(inlay.Error) as caught:
            inlay.map("alexnet", arch="eyeriss", search_size=5, accounting="elide")
        text = str(caught.exception)
        self.assertIn("search_size is for the strategy 'random'", text)
        self.assertIn("add strategy=random", text)
        self.assertIn("add semantics=thistle", text)
        self.assertNotIn("--", text)
        with self.assertRaisesRegex(inlay.Error, "give arch=ARCH"):
            inlay.map("alexnet")
        layers = {"format": "inlay/1", "layers": {"name": "n", "layers": [
            {"name": "g", "gemm": {"P": 1, "K": 1, "C": 1}}]}}
        with self.assertRaisesRegex(inlay.Error, r'inlay\.list\("mixes"\) lists the built-ins'):
            inlay.batch(layers)


    def test_values_in_hints_are_written_as_python_takes_them(self):
        with support.inputs():
            pathlib.Path("arch.yaml.jinja2").write_text("a: {{tokens}}\n", encoding="utf-8")
            with self.assertRaisesRegex(inlay.Error, r'give one with set={"tokens": VALUE}'):
                inlay.map("alexnet", arch="arch.yaml.jinja2")
        with self.assertRaisesRegex(inlay.Error, r"memory=\"\d+ MiB\""):
            inlay.batch("mix-e", memory="1 MiB")
        with self.assertRaisesRegex(inlay.Error, r"give technology and area, such as "
                                                 r"technology=thistle-45nm area=2363756, or arch"):
            inlay.codesign("alexnet")


class DiagnosticsTest(unittest.TestCase):
    def test_all_errors_of_a_file_with_their_places(self):
        with support.inputs() as folder:
            pathlib.Path("bad.yaml").write_text(BAD_ARCH, encoding="utf-8")
            with self.assertRaises(inlay.Error) as caught:
                inlay.map("problem.yaml", arch=folder / "bad.yaml")
        found = {(each.line, each.severity) for each in caught.exception.diagnostics}
        self.assertEqual(found, {(5, "error"), (8, "error")})
        misspelt = caught.exception.diagnostics[-1]
        self.assertEqual(misspelt.file, str(folder / "bad.yaml"))
        self.assertEqual(BAD_ARCH.splitlines()[7][misspelt.column - 1:][:8], "capactiy")
        self.assertIn("capacity", misspelt.hint)
        self.assertIn("bad.yaml:8:", str(caught.exception))

    def test_a_text_is_known_by_its_keyword(self):
        with self.assertRaises(inlay.Error) as caught:
            inlay.map(support.PROBLEM, arch=BAD_ARCH)
        self.assertEqual({each.file for each in caught.exception.diagnostics}, {"arch.yaml"})
        self.assertIn("arch.yaml:8:", str(caught.exception))

    def test_an_unknown_name_is_an_error_with_the_nearest_one(self):
        with self.assertRaisesRegex(inlay.Error, "did you mean 'eyeriss'"):
            inlay.map("alexnet", arch="eyerisss")
        self.assertFalse(issubclass(inlay.Error, TypeError))

    def test_no_answer_is_infeasible(self):
        tiny = support.ARCH.replace("64 words", "1 words")
        with self.assertRaises(inlay.Infeasible) as caught:
            inlay.map(support.PROBLEM, arch=tiny)
        self.assertIsInstance(caught.exception, inlay.Error)
        self.assertIn("'buffer'", str(caught.exception))

    def test_what_there_is_comes_along(self):
        with self.assertRaises(inlay.Infeasible) as caught:
            inlay.alloc(support.BUFFERS, capacity=11)
        self.assertEqual(caught.exception.result.status, "infeasible")
        self.assertEqual(caught.exception.result.capacity, 11)

    def test_warnings_are_warnings(self):
        arch = support.ARCH + "  constraints:\n  - {at: DRAM, loops: [K]}\n"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            free = inlay.eval(support.PROBLEM, support.ARCH, support.MAPPING)
            self.assertEqual((caught, free.warnings), ([], ()))
            result = inlay.eval(support.PROBLEM, arch, support.MAPPING)
        self.assertEqual([each.category for each in caught], [inlay.InputWarning])
        self.assertIn("breaks a constraint of the architecture", str(caught[0].message))
        self.assertEqual(str(caught[0].message), str(result.warnings[0]))
        self.assertEqual(caught[0].filename, __file__)
        self.assertEqual(result.cycles, free.cycles)


if __name__ == "__main__":
    unittest.main()
