#!/usr/bin/env python3
"""A tosa module is planned like the same network in the native format."""

import unittest

import support

MODULE = """
func.func @small(%image: tensor<1x32x32x3xf16>) -> tensor<1x32x32x16xf16> {
  %w1 = "tosa.const"() {value = dense<0.5> : tensor<16x3x3x3xf16>} : () -> tensor<16x3x3x3xf16>
  %w2 = "tosa.const"() {value = dense<0.5> : tensor<16x3x3x16xf16>} : () -> tensor<16x3x3x16xf16>
  %bias = "tosa.const"() {value = dense<0.0> : tensor<16xf16>} : () -> tensor<16xf16>
  %a = tosa.conv2d %image, %w1, %bias {dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x32x32x3xf16>, tensor<16x3x3x3xf16>, tensor<16xf16>) -> tensor<1x32x32x16xf16>
  %b = tosa.clamp %a {max_fp = 6.0 : f32, max_int = 6 : i64, min_fp = 0.0 : f32, min_int = 0 : i64} : (tensor<1x32x32x16xf16>) -> tensor<1x32x32x16xf16>
  %c = tosa.conv2d %b, %w2, %bias {dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x32x32x16xf16>, tensor<16x3x3x16xf16>, tensor<16xf16>) -> tensor<1x32x32x16xf16>
  %d = tosa.add %b, %c : (tensor<1x32x32x16xf16>, tensor<1x32x32x16xf16>) -> tensor<1x32x32x16xf16>
  return %d : tensor<1x32x32x16xf16>
}
"""

NETWORK = """format: inlay/1
network:
  name: n
  inputs: {image: [1, 3, 32, 32]}
  weights: {w1: [16, 3, 3, 3], w2: [16, 16, 3, 3], bias: [16]}
  nodes:
  - {name: conv1, op: conv, inputs: [image, w1, bias], output: a, pads: 1}
  - {name: clamp, op: elementwise, inputs: [a], output: b}
  - {name: conv2, op: conv, inputs: [b, w2, bias], output: c, pads: 1}
  - {name: add, op: elementwise, inputs: [b, c], output: d}
  outputs: [d]
"""

NAMES = {"step0": "conv1", "step1": "clamp", "step2": "conv2", "step3": "add",
         "arg0": "image", "constant0": "w1", "constant1": "w2", "constant2": "bias",
         "tosa.conv2d#0": "a", "tosa.clamp#1": "b", "tosa.conv2d#2": "c", "tosa.add#3": "d"}

# Multiply-accumulates by hand: operator, types, count.
OPERATORS = [
    ('tosa.conv2d %a, %b, %c {dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 1>, '
     'stride = array<i64: 2, 2>}',
     ["tensor<2x8x8x3xi8>", "tensor<5x3x3x3xi8>", "tensor<5xi32>"], "tensor<2x4x4x5xi32>",
     2 * 4 * 4 * 5 * 3 * 3 * 3),
    ('tosa.depthwise_conv2d %a, %b, %c {dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, '
     'stride = array<i64: 1, 1>}',
     ["tensor<1x8x8x6xi8>", "tensor<3x3x6x2xi8>", "tensor<12xi32>"], "tensor<1x8x8x12xi32>",
     8 * 8 * 12 * 3 * 3),
    ('tosa.conv3d %a, %b, %c {dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 0, 0>, '
     'stride = array<i64: 1, 1, 1>}',
     ["tensor<1x4x5x6x3xi8>", "tensor<7x2x3x2x3xi8>", "tensor<7xi32>"], "tensor<1x3x3x5x7xi32>",
     3 * 3 * 5 * 7 * 2 * 3 * 2 * 3),
    ('tosa.transpose_conv2d %a, %b, %c {out_pad = array<i64: 0, 0, 0, 0>, '
     'out_shape = array<i64: 1, 8, 8, 5>, stride = array<i64: 2, 2>}',
     ["tensor<1x4x4x3xi8>", "tensor<5x2x2x3xi8>", "tensor<5xi32>"], "tensor<1x8x8x5xi32>",
     4 * 4 * 3 * 5 * 2 * 2),
    ('tosa.matmul %a, %b', ["tensor<3x4x5xi8>", "tensor<3x5x6xi8>"], "tensor<3x4x6xi32>",
     3 * 4 * 5 * 6),
    ('tosa.fully_connected %a, %b, %c', ["tensor<4x5xf32>", "tensor<6x5xf32>", "tensor<6xf32>"],
     "tensor<4x6xf32>", 4 * 5 * 6),
]


class Tosa(unittest.TestCase):
    def setUp(self):
        self.folder = support.Folder()
        self.addCleanup(self.folder.remove)
        self.machine = self.folder.write("machine.yaml", support.TWO_PADS)
        self.network = self.folder.write("network.yaml", NETWORK)

    def test_figures_are_those_of_the_native_network(self):
        for strategy in ("none", "next-use", "eager", "greedy", "lns", "exact"):
            for objective in ("latency", "bytes", "energy"):
                with self.subTest(strategy=strategy, objective=objective):
                    module = support.plan(MODULE, self.machine, strategy=strategy,
                                          objective=objective)
                    ours = support.figures(module)
                    theirs = support.inlay_plan(self.network, self.machine, "--strategy", strategy,
                                                "--objective", objective)
                    for key in ("latency_us", "offchip_bytes", "energy_pj"):
                        self.assertAlmostEqual(ours[key] / theirs[key], 1, 9, key)
                    certificate = theirs["certificate"]
                    self.assertAlmostEqual(ours["lower_bound"], certificate["lower_bound"], 6)
                    self.assertAlmostEqual(ours["gap"], certificate["gap"], 9)
                    self.assertEqual(ours["status"], certificate["status"])

    def test_attributes_tell_a_plan_that_can_be_replayed(self):
        for strategy in ("none", "next-use", "greedy", "lns"):
            with self.subTest(strategy=strategy):
                module = support.plan(MODULE, self.machine, strategy=strategy)
                told = self.folder.write("plan.json", support.plan_json(module, NAMES))
                replayed = support.inlay_plan(self.network, self.machine, "--check", told)
                ours = support.figures(module)
                self.assertEqual(ours["offchip_bytes"], replayed["offchip_bytes"])
                self.assertAlmostEqual(ours["latency_us"], replayed["latency_us"], 6)

    def test_without_management_every_operand_goes_off_chip(self):
        words = (3072 + 432 + 16 + 16384) + 2 * 16384 + (16384 + 2304 + 16 + 16384) + 3 * 16384
        module = support.plan(MODULE, self.machine, strategy="none")
        self.assertEqual(support.figures(module)["offchip_bytes"], 2 * words)
        module = support.plan(MODULE, self.machine, strategy="none", bits=8)
        self.assertEqual(support.figures(module)["offchip_bytes"], words)

    def test_multiplications_are_counted(self):
        machine = self.folder.write("slow.yaml", support.SLOW_CORE)
        for text, types, result, macs in OPERATORS:
            with self.subTest(text):
                arguments = ", ".join(f"%{n}: {t}" for n, t in zip("abc", types))
                if text.startswith("tosa.conv") or "depthwise" in text or "transpose" in text:
                    text = text.replace("}", ", quantization_info = #tosa.conv_quant<input_zp = 0, "
                                             "weight_zp = 0>}")
                module = (f"func.func @f({arguments}) -> {result} {{\n"
                          f"  %r = {text} : ({', '.join(types)}) -> {result}\n"
                          f"  return %r : {result}\n}}\n")
                planned = support.plan(module, machine, strategy="none")
                self.assertAlmostEqual(support.figures(planned)["latency_us"], macs / 1000, 3)

    def test_lowers_as_before(self):
        lowering = "--pass-pipeline=builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg))"
        module = support.plan(MODULE, self.machine)
        self.assertIn("linalg.conv_2d_nhwc", support.opt(module, lowering))

    def test_same_input_same_output(self):
        first = support.plan(MODULE, self.machine)
        self.assertEqual(first, support.plan(MODULE, self.machine))


if __name__ == "__main__":
    unittest.main()
