#!/usr/bin/env python3
"""A linalg module on tensors is planned like the same network in the native format."""

import unittest

import support

MODULE = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @mlp(%x: tensor<8x64xf32>, %w1: tensor<64x128xf32>, %b: tensor<128xf32>,
               %w2: tensor<128x32xf32>) -> tensor<2x4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x64xf32>, tensor<64x128xf32>) outs(%f1 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h, %b : tensor<8x128xf32>, tensor<128xf32>) outs(%e1 : tensor<8x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8x128xf32>
  %e2 = tensor.empty() : tensor<8x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<8x128xf32>, tensor<128x32xf32>) outs(%f2 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %v = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 4, 32] : tensor<8x32xf32> into tensor<2x4x32xf32>
  return %v : tensor<2x4x32xf32>
}
"""

NETWORK = """format: inlay/1
network:
  name: n
  inputs: {x: [8, 64], w1: [64, 128], b: [128], w2: [128, 32]}
  nodes:
  - {name: up, op: gemm, inputs: [x, w1], output: h}
  - {name: relu, op: elementwise, inputs: [h, b], output: r}
  - {name: down, op: gemm, inputs: [r, w2], output: y}
  outputs: [y]
"""

NAMES = {"step0": "up", "step1": "relu", "step2": "down", "arg0": "x", "arg1": "w1", "arg2": "b",
         "arg3": "w2", "linalg.matmul#0": "h", "linalg.generic#1": "r", "linalg.matmul#2": "y"}

GENERIC = ("linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, k, l)>, "
           "affine_map<(i, j, k, l) -> (l, j, k)>, affine_map<(i, j, k, l) -> (j, i)>], "
           'iterator_types = ["parallel", "parallel", "reduction", "reduction"]}')
BODY = """{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  }"""
STRIDE2 = "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}"
STRIDE1 = "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}"

# Multiply-accumulates by hand: operator, element, shapes of the inputs, of the output, count.
OPERATORS = [
    ("linalg.matmul", "f32", ["3x4", "4x5"], "3x5", "", 60),
    ("linalg.matmul_transpose_b", "f32", ["3x4", "5x4"], "3x5", "", 60),
    ("linalg.batch_matmul", "f32", ["2x3x4", "2x4x5"], "2x3x5", "", 120),
    ("linalg.matvec", "f32", ["3x4", "4"], "3", "", 12),
    ("linalg.dot", "f32", ["7", "7"], "", "", 7),
    (GENERIC, "f32", ["3x5x6", "6x4x5"], "4x3", BODY, 3 * 4 * 5 * 6),
    (f"linalg.conv_2d_nhwc_hwcf {STRIDE2}", "f32", ["1x9x9x3", "3x3x3x8"], "1x4x4x8", "",
     4 * 4 * 8 * 27),
    (f"linalg.conv_2d_nchw_fchw {STRIDE2}", "f32", ["1x3x10x9", "8x3x3x3"], "1x8x4x4", "",
     4 * 4 * 8 * 27),
    (f"linalg.conv_2d_ngchw_fgchw {STRIDE1}", "f32", ["1x2x3x9x9", "4x2x3x3x3"], "1x2x4x7x7", "",
     7 * 7 * 8 * 27),
    (f"linalg.depthwise_conv_2d_nhwc_hwc {STRIDE1}", "f32", ["1x9x9x6", "3x3x6"], "1x7x7x6", "",
     7 * 7 * 6 * 9),
    (f"linalg.depthwise_conv_2d_nhwc_hwcm {STRIDE1}", "f32", ["1x9x9x6", "3x3x6x2"], "1x7x7x6x2",
     "", 7 * 7 * 6 * 2 * 9),
    ("linalg.conv_1d", "f32", ["9", "3"], "7", "", 21),
    ("linalg.conv_2d", "f32", ["9x9", "3x3"], "7x7", "", 49 * 9),
    # No multiplication: a pooling, a sum.
    (f"linalg.pooling_nhwc_max {STRIDE1}", "f32", ["1x9x9x6", "3x3"], "1x7x7x6", "", 0),
    ("linalg.add", "f32", ["9x9", "9x9"], "9x9", "", 0),
]


def tensor(shape, element):
    return f"tensor<{shape}x{element}>" if shape else f"tensor<{element}>"


class Linalg(unittest.TestCase):
    def setUp(self):
        self.folder = support.Folder()
        self.addCleanup(self.folder.remove)
        self.machine = self.folder.write("machine.yaml", support.TWO_PADS)
        self.network = self.folder.write("network.yaml", NETWORK)

    def test_figures_are_those_of_the_native_network(self):
        for strategy in ("none", "next-use", "greedy", "lns", "exact"):
            with self.subTest(strategy=strategy):
                ours = support.figures(support.plan(MODULE, self.machine, strategy=strategy))
                theirs = support.inlay_plan(self.network, self.machine, "--bits", "32",
                                            "--strategy", strategy)
                for key in ("latency_us", "offchip_bytes", "energy_pj"):
                    self.assertAlmostEqual(ours[key] / theirs[key], 1, 9, key)
                self.assertAlmostEqual(ours["gap"], theirs["certificate"]["gap"], 9)

    def test_attributes_tell_a_plan_that_can_be_replayed(self):
        module = support.plan(MODULE, self.machine)
        self.assertTrue(support.residencies(module))
        told = self.folder.write("plan.json", support.plan_json(module, NAMES, bits=32))
        replayed = support.inlay_plan(self.network, self.machine, "--check", told)
        self.assertEqual(support.figures(module)["offchip_bytes"], replayed["offchip_bytes"])

    def test_multiplications_are_counted(self):
        machine = self.folder.write("slow.yaml", support.SLOW_CORE)
        for text, element, inputs, output, body, macs in OPERATORS:
            with self.subTest(text):
                types = [tensor(shape, element) for shape in inputs]
                result = tensor(output, element)
                module = (f"func.func @f(%a: {types[0]}, %b: {types[1]}, %c: {result}) -> {result} {{\n"
                          f"  %r = {text} ins(%a, %b : {', '.join(types)}) outs(%c : {result}) {body}"
                          f" -> {result}\n  return %r : {result}\n}}\n")
                planned = support.plan(module, machine, strategy="none")
                self.assertAlmostEqual(support.figures(planned)["latency_us"], macs / 1000, 3)

    def test_quantized_products_multiply_too(self):
        machine = self.folder.write("slow.yaml", support.SLOW_CORE)
        module = """func.func @f(%a: tensor<3x4xi8>, %b: tensor<4x5xi8>, %z: i32, %c: tensor<3x5xi32>)
            -> tensor<3x5xi32> {
          %r = linalg.quantized_matmul ins(%a, %b, %z, %z : tensor<3x4xi8>, tensor<4x5xi8>, i32, i32)
            outs(%c : tensor<3x5xi32>) -> tensor<3x5xi32>
          return %r : tensor<3x5xi32>
        }"""
        planned = support.plan(module, machine, strategy="none")
        self.assertAlmostEqual(support.figures(planned)["latency_us"], 0.06, 4)

    def test_elements_have_the_width_of_their_type(self):
        module = """func.func @f(%a: tensor<3x4xi8>, %b: tensor<4x5xi8>, %c: tensor<3x5xi32>)
            -> tensor<3x5xi32> {
          %r = linalg.matmul ins(%a, %b : tensor<3x4xi8>, tensor<4x5xi8>)
            outs(%c : tensor<3x5xi32>) -> tensor<3x5xi32>
          return %r : tensor<3x5xi32>
        }"""
        planned = support.plan(module, self.machine, strategy="none")
        # a and b once; c is read and its sum is written.
        self.assertEqual(support.figures(planned)["offchip_bytes"], 12 + 20 + 60 + 60)

    def test_operations_nobody_knows_move_their_operands(self):
        module = """func.func @f(%a: tensor<64xf32>) -> tensor<32xf32> {
          %b = "other.thing"(%a) : (tensor<64xf32>) -> tensor<48xf32>
          %c = "other.thing"(%b, %a) : (tensor<48xf32>, tensor<64xf32>) -> tensor<32xf32>
          return %c : tensor<32xf32>
        }"""
        done = support.run_plan(module, self.machine, "--allow-unregistered-dialect",
                                strategy="none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(support.figures(done.stdout)["offchip_bytes"],
                         4 * (64 + 48 + 48 + 64 + 32))

    def test_a_call_takes_what_it_reads_from_off_chip(self):
        module = """func.func private @outside(tensor<64xf32>) -> tensor<64xf32>
        func.func @f(%a: tensor<64xf32>) -> tensor<64xf32> {
          %b = tosa.negate %a : (tensor<64xf32>) -> tensor<64xf32>
          %c = func.call @outside(%b) : (tensor<64xf32>) -> tensor<64xf32>
          %d = tosa.negate %c : (tensor<64xf32>) -> tensor<64xf32>
          return %d : tensor<64xf32>
        }"""
        planned = support.plan(module, self.machine, strategy="exact")
        self.assertEqual([row["unit"] for row in support.steps(planned)],
                         ["core", "outside", "core"])
        self.assertEqual(support.figures(planned)["offchip_bytes"], 6 * 64 * 4)

    def test_bufferizes_and_lowers_as_before(self):
        module = support.plan(MODULE, self.machine)
        lowered = support.opt(module, "--one-shot-bufferize=bufferize-function-boundaries=1",
                              "--convert-linalg-to-loops")
        self.assertIn("scf.for", lowered)
        self.assertIn("inlay.plan", lowered)


if __name__ == "__main__":
    unittest.main()
