#!/usr/bin/env python3
"""Operations that cannot be planned are all reported, each at its place with a hint."""

import re
import unittest

import support

GOOD = """func.func @f(%a: tensor<64xf32>) -> tensor<64xf32> {
  %b = tosa.negate %a : (tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}
"""


class Errors(unittest.TestCase):
    def setUp(self):
        self.folder = support.Folder()
        self.addCleanup(self.folder.remove)
        self.machine = self.folder.write("machine.yaml", support.TWO_PADS)

    def refused(self, text, machine=None, **options):
        """The errors and hints, one a line, without what MLIR quotes."""
        done = support.run_plan(text, self.machine if machine is None else machine,
                                "--allow-unregistered-dialect", **options)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        said = [line.replace(str(self.folder.path) + "/", "") for line in done.stderr.splitlines()
                if re.search(r": (error|note): ", line) and "see current operation" not in line]
        return "\n".join(said)

    def test_dynamic_shapes_all_of_them(self):
        self.assertEqual(self.refused("""func.func @f(%a: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %c = tosa.negate %b : (tensor<4xf32>) -> tensor<4xf32>
  %d = tosa.negate %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = "other.op"(%c) : (tensor<4xf32>) -> tensor<*xf32>
  return %d : tensor<?x4xf32>
}"""), """\
<stdin>:3:8: error: 'tosa.negate' op cannot be planned: the size of 'tensor<?x4xf32>' is not known
<stdin>:3:8: note: hint: give every dimension an extent before inlay-plan
<stdin>:4:8: error: 'other.op' op cannot be planned: the size of 'tensor<*xf32>' is not known
<stdin>:4:8: note: hint: give every dimension an extent before inlay-plan""")

    def test_unknown_machine(self):
        said = self.refused(GOOD, "onsran")
        self.assertIn("onsran", said)
        self.assertIn("did you mean 'onsram'?", said)

    def test_no_machine(self):
        said = self.refused(GOOD, "")
        self.assertIn("inlay-plan: there is no machine", said)
        self.assertIn("give machine=MACHINE", said)

    def test_a_fault_in_the_machine_is_told_at_its_line(self):
        wrong = support.TWO_PADS.replace("peak: 0.5 TMAC/s", "peek: 0.5 TMAC/s")
        said = self.refused(GOOD, self.folder.write("wrong.yaml", wrong))
        self.assertRegex(said, r"(?m)^wrong\.yaml:5:\d+: error: inlay-plan: unknown key 'peek'")
        self.assertIn("hint: did you mean 'peak'?", said)

    def test_options_all_of_them(self):
        said = self.refused(GOOD, strategy="lms", objective="speed", bits="0", time_limit="soon")
        for word in ("lms", "did you mean 'lns'?", "speed", "bits", "time-limit", "soon"):
            self.assertIn(word, said)
        self.assertNotIn("--", said)

    def test_a_second_plan(self):
        planned = support.plan(GOOD, self.machine)
        self.assertIn("this function is planned already", self.refused(planned))

    def test_control_flow(self):
        said = self.refused("""func.func @f(%a: tensor<64xf32>) -> tensor<64xf32> {
  cf.br ^next
^next:
  %b = tosa.negate %a : (tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}""")
        self.assertIn("this function has several blocks", said)

    def test_a_buffer_nobody_can_follow(self):
        said = self.refused("""func.func @f(%c: i1, %a: memref<64xf32>, %b: memref<64xf32>) {
  %x = arith.select %c, %a, %b : memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  return
}""")
        self.assertIn("<stdin>:2:8: error: 'arith.select' op cannot be planned: the buffer behind "
                      "'memref<64xf32>' is unknown", said)

    def test_a_buffer_that_has_a_space(self):
        said = self.refused("""func.func @f() {
  %x = memref.alloc() : memref<64xf32, 3>
  return
}""")
        self.assertIn("'memref.alloc' op has a memory space already: 'memref<64xf32, 3>'", said)

    def test_bits_that_are_fewer_than_the_buffers(self):
        said = self.refused("""func.func @f(%a: memref<64xf32>) {
  %x = memref.alloc() : memref<64xf32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  return
}""", bits=8)
        self.assertIn("has elements of 32 bits, but inlay-plan was given bits=8", said)

    def test_a_tensor_of_no_elements(self):
        said = self.refused("""func.func @f(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %b = "other.op"(%a) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %b : tensor<0x4xf32>
}""")
        self.assertIn("has no elements", said)

    def test_elements_of_unknown_size(self):
        said = self.refused("""func.func @f(%a: tensor<4x!llvm.ptr>) -> tensor<4x!llvm.ptr> {
  %b = "other.op"(%a) : (tensor<4x!llvm.ptr>) -> tensor<4x!llvm.ptr>
  return %b : tensor<4x!llvm.ptr>
}""")
        self.assertIn("elements must be integers, floats, complex or vectors", said)

    def test_functions_that_others_call_are_left_to_them(self):
        module = """func.func @inner(%a: tensor<64xf32>) -> tensor<64xf32> {
  %b = tosa.negate %a : (tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}
func.func @outer(%a: tensor<64xf32>) -> tensor<64xf32> {
  %b = func.call @inner(%a) : (tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}"""
        done = support.run_plan(module, self.machine)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("remark: this function is not planned: others call it", done.stderr)
        self.assertEqual(done.stdout.count("inlay.plan"), 1)


if __name__ == "__main__":
    unittest.main()
