// Whatever can be held as a core value can be written in the native format and read back unchanged.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/io/native/native.h"
#include "inlay/io/native/text.h"
#include "tests/support/random_case.h"

namespace inlay::io {
namespace {

int64_t Pick(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }
bool Chance() { return Pick(0, 1) == 1; }

std::string Letters(const std::vector<std::string>& alphabet, int64_t least, int64_t most) {
  std::string text;
  for (int64_t n = Pick(least, most); n > 0; --n) {
    text += alphabet[static_cast<size_t>(Pick(0, static_cast<int64_t>(alphabet.size()) - 1))];
  }
  return text;
}

// What results may be called: anything.
std::string Title(int64_t least = 0) {
  return Letters(
      {"a", "Z", "7", " ", "_", "-", ":", "#", "\"", "'", "\\", "\n", "\t", "\x01", "\x7f", "ü",
       "→", "{", "}", "[", "]", ",", "&", "*", "!",  "|", ">",  "%",  "@",  "yes",  ": "},
      least, 8);
}

// What levels, fan-outs and tensors may be called.
std::string Name(std::set<std::string>* taken) {
  std::string name = Letters(
      {"a", "Z", "7", "_", "-", ".", "#", ":", "[", "]", "{", "&", "ü", "no", "1", "all", ">", "%"},
      1, 5);
  while (!IsName(name) || !taken->insert(name).second) name += "x";
  return name;
}

std::string DimensionName(std::set<std::string>* taken) {
  std::string name = Letters({"N", "K", "p", "_", "no", "y", "ü"}, 1, 3);
  while (!IsDimensionName(name) || !taken->insert(name).second) name += "7";
  return name;
}

// Any finite double from 0.
double Amount() {
  switch (Pick(0, 3)) {
    case 0:
      return static_cast<double>(Pick(0, 100));
    case 1:
      return static_cast<double>(Pick(0, 1000000)) / 1000;
    default: {
      const auto bits = *rc::gen::arbitrary<uint64_t>();
      const double value = std::abs(std::bit_cast<double>(bits));
      return std::isfinite(value) ? value : 1.5;
    }
  }
}
double PositiveAmount() {
  const double amount = Amount();
  return amount > 0 ? amount : 0.25;
}

double Cycles() { return static_cast<double>(Pick(0, int64_t{1} << 40)) / 8; }

template <typename T, typename Make>
std::optional<T> Maybe(const Make& make) {
  return Chance() ? std::optional<T>(make()) : std::nullopt;
}

Problem AnyProblem() {
  std::set<std::string> taken;
  Problem problem;
  problem.name = Title();
  const int64_t dims = Pick(1, 5);
  for (int64_t d = 0; d < dims; ++d) {
    problem.dims.push_back({DimensionName(&taken), Pick(1, 1000)});
  }
  std::set<std::string> tensor_names;
  const int64_t inputs = Pick(0, 3);
  std::set<DimId> used;
  for (int64_t t = 0; t <= inputs; ++t) {
    Tensor tensor{Name(&tensor_names), {}, t == inputs};
    for (DimId d : Ids(problem.dims)) {
      if (Chance()) continue;
      used.insert(d);
      if (Pick(0, 9) == 0) tensor.ranks.emplace_back();  // a rank that does not move
      const Term term{d, Pick(1, 4)};
      const bool joins = Chance() && !tensor.is_output && !tensor.ranks.empty();
      if (!joins) tensor.ranks.emplace_back();
      tensor.ranks.back().terms.push_back(term);
    }
    problem.tensors.push_back(tensor);
  }
  for (DimId d : Ids(problem.dims)) {
    if (!used.contains(d)) problem.tensors[TensorId(0)].ranks.push_back({{{d, 1}}});
  }
  return problem;
}

SizeFunction AnyFunction() { return {Amount(), Chance() ? Amount() : 0, Chance() ? Amount() : 0}; }

// Two capacities of each width, in the order of tables.
std::vector<KnownMemory> AnyTable() {
  std::vector<KnownMemory> table;
  for (const MemoryPorts ports : {MemoryPorts::kReadOrWrite, MemoryPorts::kReadAndWrite}) {
    int bits = 0;
    for (int64_t widths = Pick(0, 2); widths > 0; --widths) {
      bits += static_cast<int>(Pick(1, 1000));
      const int64_t least = Pick(1, 1 << 20);
      for (const int64_t bytes : {least, least + Pick(1, 1 << 30)}) {
        table.push_back({bytes, bits, ports, PositiveAmount(), PositiveAmount(),
                         Chance() ? 0 : Amount(), Chance() ? 0 : Amount()});
      }
    }
  }
  return table;
}

// What technologies have beside formulas.
void AddTables(Technology* technology) {
  technology->node_nm = Maybe<double>(PositiveAmount);
  if (Chance()) technology->note = Title();
  for (MemoryTechnology* memory : {&technology->sram, &technology->reg}) {
    if (Chance()) memory->source = Title();
    if (Chance()) memory->table = AnyTable();
    if (!memory->table.empty()) memory->energy_pj = memory->area_um2 = {};
  }
  for (const char* type : {"int8", "int32", "bf16"}) {
    if (Chance()) technology->arithmetic.push_back({type, Amount(), Amount(), Title()});
  }
  if (Chance()) technology->wire = Wire{Amount(), Title()};
  for (const char* kind : {"lpddr4", "hbm3"}) {
    if (Chance()) {
      technology->dram_kinds.push_back(
          {kind, Amount(), Maybe<double>(PositiveAmount), Title(), Title()});
    }
  }
  if (!technology->dram_kinds.empty()) technology->dram = {};
}

Technology AnyTechnology() {
  Technology technology;
  technology.name = Title(1);
  technology.word_bits = static_cast<int>(Pick(1, 4096));
  technology.mac_energy_pj = Amount();
  technology.mac_area_um2 = Amount();
  for (MemoryTechnology* memory : {&technology.dram, &technology.sram, &technology.reg}) {
    *memory = {AnyFunction(), AnyFunction()};
  }
  if (Chance()) AddTables(&technology);
  return technology;
}

TensorNameSet AnyTensors(const std::vector<std::string>& names, bool first_half) {
  TensorNameSet set;
  if (names.empty() || Pick(0, 4) == 0) {
    set.all = first_half;  // never both kept and bypassed
    return set;
  }
  for (size_t i = first_half ? 0 : 1; i < names.size(); i += 2) {
    if (Chance()) set.names.push_back(names[i]);
  }
  return set;
}

Level AnyLevel(std::set<std::string>* taken, int word_bits) {
  Level level;
  level.name = Name(taken);
  level.kind = static_cast<MemoryKind>(Pick(0, 2));
  level.word_bits = Chance() ? word_bits : static_cast<int>(Pick(1, 64));
  std::set<std::string> names;
  std::vector<std::string> tensors;
  for (int64_t n = Pick(0, 4); n > 0; --n) tensors.push_back(Name(&names));
  const auto words = [] { return Chance() ? Pick(1, 1 << 20) : Pick(1, INT64_MAX - 1); };
  const bool parts = Chance() && !tensors.empty();
  if (!parts) level.capacity_words = Maybe<int64_t>(words);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int bits = static_cast<int>(Pick(1, 64));
    if (parts && (i == 0 || Chance())) {
      level.partitions.push_back(
          {tensors[i], Maybe<int64_t>(words), Chance() ? bits : level.word_bits,
           Maybe<MemoryKind>([] { return static_cast<MemoryKind>(Pick(0, 2)); })});
    } else if (Chance()) {
      level.tensor_bits.push_back({tensors[i], bits});
    }
  }
  level.block_words = std::min<int64_t>(Chance() ? 1 : words(), int64_t{1} << 30);
  level.buffering = Chance() ? static_cast<double>(Pick(1, 2)) : 1 + std::fmod(Amount(), 9.0);
  level.read_bandwidth = Maybe<double>(PositiveAmount);
  level.write_bandwidth = Maybe<double>(PositiveAmount);
  level.shared_bandwidth = Maybe<double>(PositiveAmount);
  const double pj = Amount();
  level.energy = Maybe<AccessEnergy>([&] {
    return AccessEnergy{Amount(), pj, Chance() ? pj : Amount()};
  });
  level.leakage_pj_per_cycle = Chance() ? 0 : Amount();
  level.latency_cycles = Chance() ? 0 : Cycles();
  level.transfer_cycles = Chance() ? 0 : Cycles();
  level.overlap = static_cast<Overlap>(Pick(0, 2));
  level.keep = Maybe<TensorNameSet>([&] { return AnyTensors(tensors, true); });
  if (!level.keep || !level.keep->all) {
    level.bypass = Maybe<TensorNameSet>([&] { return AnyTensors(tensors, false); });
  }
  if (Chance()) {
    level.fanout = {Name(taken), Pick(1, 64),
                    Pick(1, 64), Chance() ? Multicast::kTile : Multicast::kNone,
                    Chance(),    Chance() ? 0 : Cycles()};
  }
  return level;
}

std::vector<std::string> AnyDims() {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (int64_t n = Pick(0, 3); n > 0; --n) names.push_back(DimensionName(&taken));
  return names;
}

Constraint AnyConstraint(const Architecture& architecture) {
  const Level& level = architecture.levels[LevelId(
      static_cast<size_t>(Pick(0, static_cast<int64_t>(architecture.levels.size()) - 1)))];
  Constraint constraint;
  if (!level.fanout.name.empty() && Chance()) {
    constraint.at = level.fanout.name;
    constraint.x = Maybe<std::vector<std::string>>(AnyDims);
    constraint.y = Maybe<std::vector<std::string>>(AnyDims);
    constraint.not_x = AnyDims();
    constraint.not_y = AnyDims();
  } else {
    constraint.at = level.name;
    constraint.loops = Maybe<std::vector<std::string>>(AnyDims);
    constraint.innermost = AnyDims();
    constraint.outermost = AnyDims();
  }
  for (const std::string& dim : AnyDims()) {
    FactorBound bound{dim, static_cast<Relation>(Pick(0, 2)), Pick(1, 1 << 30)};
    if (bound.relation == Relation::kEqual && Chance()) bound.value = FactorBound::kWhole;
    bound.if_fits = bound.relation == Relation::kEqual && bound.value > 1 && Chance();
    constraint.factors.push_back(std::move(bound));
  }
  constraint.min_utilization =
      Maybe<double>([] { return static_cast<double>(Pick(0, 1000)) / 1000; });
  return constraint;
}

VectorUnits AnyVectorUnits(const Architecture& architecture, std::set<std::string>* taken) {
  VectorUnits vector;
  if (Chance()) return vector;
  vector.below =
      LevelId(static_cast<size_t>(Pick(0, static_cast<int64_t>(architecture.levels.size()) - 1)));
  vector.in_fanout = !architecture.levels[vector.below].fanout.name.empty() && Chance();
  for (int64_t n = Pick(1, 3); n > 0; --n) {
    VectorUnit unit{Name(taken), {Chance(), {}}, PositiveAmount(), Amount()};
    for (const auto& row : kNames<VectorOp>) {
      if (!unit.ops.all && (unit.ops.ops.empty() || Chance())) unit.ops.ops.push_back(row.value);
    }
    vector.units.push_back(std::move(unit));
  }
  return vector;
}

Architecture AnyArchitecture() {
  Architecture architecture;
  architecture.name = Title();
  architecture.technology = Maybe<Technology>(AnyTechnology);
  architecture.clock_hz = Maybe<double>(PositiveAmount);
  architecture.launch_cycles = Chance() ? 0 : Cycles();
  if (architecture.clock_hz) {
    architecture.idle_w = Chance() ? 0 : Cycles();
    if (Chance()) architecture.power_limit_w = 2 * architecture.idle_w + 1;
  }
  std::set<std::string> taken;
  architecture.compute.name = Name(&taken);
  architecture.compute.word_bits = static_cast<int>(Pick(1, 64));
  architecture.compute.energy_pj = Maybe<double>(Amount);
  if (!architecture.technology && !architecture.compute.energy_pj)
    architecture.compute.energy_pj = 1;
  if (architecture.technology && !architecture.technology->arithmetic.empty() && Chance()) {
    architecture.compute.type = architecture.technology->arithmetic.back().type;
  }
  const int64_t levels = Pick(1, 3);
  for (int64_t l = 0; l < levels; ++l) {
    Level level = AnyLevel(&taken, architecture.compute.word_bits);
    if (Chance()) level.ports = MemoryPorts::kReadAndWrite;
    if (level.kind == MemoryKind::kDram && architecture.technology &&
        !architecture.technology->dram_kinds.empty() && Chance()) {
      level.dram = architecture.technology->dram_kinds.back().name;
    }
    architecture.levels.push_back(level);
    if (!Validate(architecture).empty()) {  // no technology, or no size for its functions
      architecture.levels.back().energy = level.energy.value_or(AccessEnergy{});
    }
  }
  architecture.vector_units = AnyVectorUnits(architecture, &taken);
  for (int64_t n = Pick(0, 2); n > 0; --n) {
    architecture.constraints.push_back(AnyConstraint(architecture));
  }
  return architecture;
}

Layer AnyLayer(std::string name) {
  Layer layer;
  layer.name = std::move(name);
  layer.repeat = Chance() ? 1 : Pick(1, 100);
  const auto size = [] { return Chance() ? 1 : Pick(1, 30); };
  ConvShape conv{.n = size(),
                 .g = size(),
                 .k = size(),
                 .c = size(),
                 .p = size(),
                 .q = size(),
                 .r = size(),
                 .s = size(),
                 .stride_h = size(),
                 .stride_w = size(),
                 .dilation_h = size(),
                 .dilation_w = size()};
  if (Chance()) conv.stride_w = conv.stride_h;
  switch (Pick(0, 4)) {
    case 0:
      layer.kind = "conv";
      layer.problem = MakeConv(layer.name, conv);
      break;
    case 1:
      layer.kind = "depthwise";
      conv.k = conv.c = 1;
      layer.problem = MakeConv(layer.name, conv);
      break;
    case 2:
      layer.kind = "gemm";
      layer.problem = MakeGemm(layer.name, {1, size(), size(), size()});
      break;
    case 3:
      layer.kind = "matmul";
      layer.problem = MakeGemm(layer.name, {size(), size(), size(), size()});
      break;
    default:
      layer.kind = "einsum";
      layer.problem = AnyProblem();
      layer.problem.name = layer.name;
  }
  return layer;
}

Network AnyNetwork() {
  Network network;
  network.name = Title();
  std::set<std::string> taken;
  for (int64_t n = Pick(1, 4); n > 0; --n) {
    std::string name = Title(1);
    while (!taken.insert(name).second) name += "x";
    network.layers.push_back(AnyLayer(name));
  }
  return network;
}

// The same cases on every run: 2,000 plain, many more when INLAY_LONG=1.
template <typename Property>
void CheckProperty(const Property& property) {
  rc::detail::TestMetadata metadata;
  rc::detail::TestParams params;
  params.seed = 20240611;
  params.maxSuccess = static_cast<int>(inlay::testing::CaseCount(2000, 50000));
  const auto result = rc::detail::checkTestable(property, metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  FAIL() << message.str();
}

Inputs ReadBack(const std::string& text) {
  auto inputs = ReadNative({{"written", text}});
  if (!inputs) RC_FAIL(Format(inputs.error()) + text);
  return *std::move(inputs);
}

TEST(NativeRoundtripTest, Problems) {
  CheckProperty([] {
    const Problem problem = AnyProblem();
    RC_PRE(Validate(problem).empty());
    const std::string text = WriteNative(problem);
    RC_ASSERT(ReadBack(text).problem == problem);
    RC_ASSERT(WriteNative(*ReadBack(text).problem) == text);
  });
}

TEST(NativeRoundtripTest, Technologies) {
  CheckProperty([] {
    const Technology technology = AnyTechnology();
    RC_ASSERT(ReadBack(WriteNative(technology)).technology == technology);
  });
}

TEST(NativeRoundtripTest, Architectures) {
  CheckProperty([] {
    const Architecture architecture = AnyArchitecture();
    const Faults faults = Validate(architecture);
    if (!faults.empty()) RC_FAIL("the generator makes invalid values: " + faults[0].message);
    const std::string text = WriteNative(architecture);
    if (ReadBack(text).architecture != architecture) RC_FAIL(text);
  });
}

TEST(NativeRoundtripTest, Networks) {
  CheckProperty([] {
    const Network network = AnyNetwork();
    RC_PRE(Validate(network).empty());
    const std::string text = WriteNative(network);
    if (ReadBack(text).network != network) RC_FAIL(text);
  });
}

TEST(NativeRoundtripTest, Mappings) {
  CheckProperty([] {
    inlay::testing::Random random(*rc::gen::arbitrary<uint64_t>());
    const auto steps = static_cast<inlay::testing::Steps>(Pick(0, 2));
    const inlay::testing::Case c = RandomCase(random, steps);
    const std::string text = WriteNative(c.problem) + "---\n" + WriteNative(c.architecture) +
                             "---\n" + WriteNative(c.problem, c.architecture, c.mapping);
    const Inputs inputs = ReadBack(text);
    RC_ASSERT(inputs.problem == c.problem);
    RC_ASSERT(inputs.architecture == c.architecture);
    const auto mapping = inputs.mapping(*inputs.problem, *inputs.architecture);
    if (!mapping) RC_FAIL(Format(mapping.error()) + text);
    RC_ASSERT(*mapping == c.mapping);
  });
}

}  // namespace
}  // namespace inlay::io
