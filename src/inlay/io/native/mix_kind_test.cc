#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/mix.h"
#include "inlay/io/library/library.h"
#include "tests/support/native.h"

namespace inlay::io {
namespace {

using inlay::testing::Brief;
using inlay::testing::ReadText;
using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<std::string> ErrorsOf(const std::string& text) {
  const auto inputs = ReadText(text, BuiltinContext());
  return inputs ? std::vector<std::string>() : Brief(inputs.error());
}

constexpr const char* kSmall = R"(format: inlay/1
accelerator:
  name: small
  clock: 500 MHz
  arrays: 4
  array: {rows: 64, columns: 32}
  dataflow: ws
  bits: 16
  memory: 8 MiB
  bandwidth: 64 GB/s
  block: 128 KiB
  window: 1 MiB
  look_ahead: 0
)";

TEST(AcceleratorKind, ReadsEveryKey) {
  const auto inputs = ReadText(kSmall);
  ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
  const Accelerator expected{"small", 500e6,   4,   {64, 32, Dataflow::kWeightStationary},
                             16,      8 << 20, 128, 128 << 10,
                             1 << 20, 0};
  EXPECT_EQ(inputs->accelerator, expected);
  EXPECT_EQ(ReadText(WriteNative(expected))->accelerator, expected);
}

TEST(AcceleratorKind, ErrorsStandAtTheirPlaces) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
accelerator:
  name: bad
  memory: 0 MiB
  bandwidth: 0 B/cycle
  arrays: 0
  array: {rows: 128}
  dataflow: rs
  widow: 2 MiB
)"),
              ElementsAre("4:11: a size must be at least one word",
                          StartsWith("5:14: a bandwidth must be more than 0 (write for example"),
                          "6:11: 'arrays' must be at least 1, found 0",
                          StartsWith("7:10: a systolic array needs the key 'columns'"),
                          StartsWith("8:13: 'dataflow' must be os, ws or is, found 'rs'"),
                          "9:3: unknown key 'widow' in an accelerator (did you mean 'window'?)"));
  EXPECT_THAT(ErrorsOf("format: inlay/1\naccelerator: {name: none}\n"),
              ElementsAre(StartsWith("2:14: an accelerator needs the key 'memory'"),
                          StartsWith("2:14: an accelerator needs the key 'bandwidth'")));
}

TEST(MixKind, ReadsWorkloadsAndRoundTrips) {
  const auto inputs = ReadText(R"(format: inlay/1
mix:
  accelerator: {like: ai-mt, name: mine, memory: 20 MiB, look_ahead: 2}
  workloads:
  - {network: resnet18}
  - {network: resnet18, batch: 7, arrivals: {poisson: 200 /s, count: 3, seed: 9}}
  - {network: gnmt, batch: 2, arrivals: {trace: [0 ms, 3 ms, 3 ms, 0.5 s]}}
  options: {deadlock: spill, memory_model: paged}
)",
                               BuiltinContext());
  ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
  const Mix& mix = inputs->mix.value();
  EXPECT_EQ(mix.name, "mix");
  EXPECT_EQ(mix.accelerator.name, "mine");
  EXPECT_EQ(mix.accelerator.memory_bytes, 20 << 20);
  EXPECT_EQ(mix.accelerator.look_ahead_layers, 2);
  EXPECT_EQ(mix.accelerator.bytes_per_cycle, 450);
  ASSERT_EQ(mix.workloads.size(), 3U);
  EXPECT_EQ(mix.workloads[0].graph, mix.workloads[1].graph) << "one graph, read once";
  EXPECT_EQ(mix.workloads[0].batch, 1);
  EXPECT_EQ(mix.workloads[1].arrivals.count, 3);
  EXPECT_THAT(mix.workloads[2].arrivals.seconds, ElementsAre(0, 0.003, 0.003, 0.5));
  EXPECT_THAT(mix.options,
              ElementsAre(MixOption{"deadlock", "spill"}, MixOption{"memory_model", "paged"}));

  const auto again = ReadText(WriteNative(mix), BuiltinContext());
  ASSERT_TRUE(again.has_value()) << Format(again.error());
  EXPECT_EQ(again->mix->accelerator, mix.accelerator);
  EXPECT_EQ(again->mix->options, mix.options);
  ASSERT_EQ(again->mix->workloads.size(), mix.workloads.size());
  for (size_t i = 0; i < mix.workloads.size(); ++i) {
    EXPECT_EQ(again->mix->workloads[i].network, mix.workloads[i].network);
    EXPECT_EQ(again->mix->workloads[i].batch, mix.workloads[i].batch);
    EXPECT_EQ(again->mix->workloads[i].arrivals, mix.workloads[i].arrivals);
  }
}

TEST(MixKind, NamesWhatStandsInTheSameFiles) {
  const auto inputs = ReadText(std::string(kSmall) + R"(---
format: inlay/1
network:
  name: tiny
  inputs: {a: [1, 8]}
  weights: {w: [8, 4]}
  nodes:
  - {name: fc, op: matmul, inputs: [a, w], output: b}
  outputs: [b]
---
format: inlay/1
mix:
  accelerator: {like: small, arrays: 2}
  workloads: [{network: tiny, batch: 3}]
)");
  ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
  EXPECT_EQ(inputs->mix->accelerator.arrays, 2);
  EXPECT_EQ(inputs->mix->accelerator.bits, 16);
  EXPECT_EQ(inputs->mix->workloads[0].graph->nodes.size(), 1U);
}

TEST(MixKind, WarnsOfAModelThatTakesSeveralImagesAtOnce) {
  const auto warnings = [](const std::string& inputs) {
    const auto read = ReadText(std::string(kSmall) + R"(---
format: inlay/1
network:
  name: tiny
  inputs: {a: )" + inputs + R"(}
  nodes:
  - {name: r, op: elementwise, inputs: [a], output: b}
  - {name: c, op: conv, inputs: [b, w], output: d}
  weights: {w: [4, 3, 1, 1]}
  outputs: [d]
---
format: inlay/1
mix: {accelerator: small, workloads: [{network: tiny, batch: 3}, {network: tiny, batch: 2}]}
)");
    return read ? Brief(read->warnings) : Brief(read.error());
  };
  EXPECT_THAT(warnings("[1, 3, 5, 5]"), ElementsAre());
  EXPECT_THAT(warnings("[8, 3, 5, 5]"),
              ElementsAre(StartsWith("26:49: one inference of 'tiny' is of 8 images")));
}

TEST(MixKind, ErrorsStandAtTheirPlaces) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
mix:
  accelerator: {like: ai-mp}
  workloads:
  - {network: resnet5, batch: 0}
  - {network: deepbench}
  - {batch: 2, arrivals: {poisson: 0 /s}}
  - {network: gnmt, arrivals: {trace: [3 ms, 1 ms]}}
  - {network: gnmt, arrivals: {trace: []}}
  - {network: gnmt, arrivals: {trace: [-1 ms]}}
  - {network: gnmt, arrivals: {often: true}}
)"),
              ElementsAre(StartsWith("3:23: there is no built-in accelerator 'ai-mp'"),
                          StartsWith("5:15: there is no built-in network 'resnet5' (did you mean "),
                          "5:31: 'batch' must be at least 1, found 0",
                          StartsWith("6:15: 'deepbench' is a list of layers, without what"),
                          StartsWith("7:5: a workload needs the key 'network'"),
                          StartsWith("7:36: a rate must be more than 0"),
                          StartsWith("8:46: '1 ms' is before the time in front of it"),
                          StartsWith("9:39: a trace needs one time at least"),
                          StartsWith("10:40: a time must not be negative"),
                          StartsWith("11:31: 'arrivals' must be arrivals such as")));
  EXPECT_THAT(ErrorsOf("format: inlay/1\nmix: {accelerator: ai-mt, workloads: []}\n"),
              ElementsAre(StartsWith("2:38: a mix needs a workload at least")));
  EXPECT_THAT(
      ErrorsOf(
          "format: inlay/1\nmix:\n  accelerator: {arrays: 2}\n  workloads: [{network: gnmt}]\n"),
      ElementsAre(StartsWith("3:16: an accelerator needs the key 'memory'"),
                  StartsWith("3:16: an accelerator needs the key 'bandwidth'")));
}

TEST(MixKind, EveryBuiltInRoundTrips) {
  for (const std::string& name : BuiltinNames(BuiltinKind::kMix)) {
    const auto inputs = LoadBuiltin(BuiltinKind::kMix, name);
    ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
    const std::string text = WriteNative(*inputs->mix);
    const auto again = ReadText(text, BuiltinContext());
    ASSERT_TRUE(again.has_value()) << Format(again.error());
    EXPECT_EQ(WriteNative(*again->mix), text);
  }
}

}  // namespace
}  // namespace inlay::io
