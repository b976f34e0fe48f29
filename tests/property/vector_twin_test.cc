// Nodes on vector units in closed form (docs/reference/vector-units.md) against their twin, which
// walks them word by word: the same counts, energy and cycles.
#include "tests/support/vector_twin.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inlay/core/vector_work.h"
#include "inlay/cost/vector_cost.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Chance;
using testing::Pick;
using testing::Random;

TensorNameSet RandomNames(Random& random) {
  TensorNameSet set;
  for (const char* name : {"Weights", "Inputs", "Outputs"}) {
    if (Chance(random, 0.5)) set.names.emplace_back(name);
  }
  return set;
}

Level RandomLevel(Random& random, size_t l) {
  Level level;
  level.name = "L" + std::to_string(l);
  level.word_bits = Chance(random, 0.5) ? 8 : 16;
  level.energy =
      AccessEnergy{static_cast<double>(Pick(random, 1, 9)), static_cast<double>(Pick(random, 1, 9)),
                   static_cast<double>(Pick(random, 1, 9))};
  level.block_words = Chance(random, 0.3) ? Pick(random, 2, 5) : 1;
  if (Chance(random, 0.2)) level.leakage_pj_per_cycle = 0.25;
  if (Chance(random, 0.3)) level.read_bandwidth = static_cast<double>(Pick(random, 1, 8));
  if (Chance(random, 0.3)) level.write_bandwidth = static_cast<double>(Pick(random, 1, 8));
  if (Chance(random, 0.3)) level.shared_bandwidth = static_cast<double>(Pick(random, 1, 8));
  level.fanout.name = "F" + std::to_string(l);
  if (Chance(random, 0.5)) level.fanout.x = Pick(random, 1, 3);
  if (Chance(random, 0.3)) level.fanout.y = Pick(random, 1, 2);
  if (Chance(random, 0.5)) level.fanout.multicast = Multicast::kNone;
  if (l == 0) return level;
  level.buffering = Chance(random, 0.3) ? 2 : 1;
  if (Chance(random, 0.25)) {
    for (const char* name : {"Weights", "Inputs", "Outputs"}) {
      if (Chance(random, 0.7)) level.partitions.push_back({name, Pick(random, 2, 40), 16});
    }
  }
  if (!level.partitions.empty()) return level;
  if (Chance(random, 0.9)) level.capacity_words = Pick(random, 2, 90);
  if (Chance(random, 0.2)) level.tensor_bits.push_back({"Outputs", 32});
  if (Chance(random, 0.3)) level.bypass = RandomNames(random);
  return level;
}

Architecture RandomArchitecture(Random& random, bool timed) {
  Architecture architecture;
  const int64_t levels = Pick(random, 1, 4);
  for (int64_t l = 0; l < levels; ++l) {
    architecture.levels.push_back(RandomLevel(random, static_cast<size_t>(l)));
  }
  architecture.compute.energy_pj = 1;
  if (timed) testing::AddTimeKeys(random, &architecture);
  VectorUnits vector;
  vector.below = LevelId(static_cast<size_t>(Pick(random, 0, levels - 1)));
  vector.in_fanout = Chance(random, 0.5);
  VectorUnit first{"first",
                   {Chance(random, 0.5), {VectorOp::kAdd, VectorOp::kMul, VectorOp::kMax}},
                   static_cast<double>(Pick(random, 1, 6)),
                   0.5};
  vector.units.push_back(first);
  if (Chance(random, 0.7)) {
    VectorUnit second{"second", {true, {}}, static_cast<double>(Pick(random, 1, 3)) / 2, 3};
    if (Chance(random, 0.2)) second.ops = {false, {VectorOp::kExp, VectorOp::kLogic}};
    vector.units.push_back(second);
  }
  architecture.vector_units = vector;
  return architecture;
}

class NodeMaker {
 public:
  explicit NodeMaker(Random& random) : random_(random) {}

  // The last node of the graph.
  Graph Make() {
    graph_ = Graph();
    switch (Pick(random_, 0, 6)) {
      case 0:
      case 1:
        Elementwise();
        break;
      case 2:
        Softmax();
        break;
      case 3:
        Norm();
        break;
      case 4:
        Pool();
        break;
      case 5:
        Reduce();
        break;
      default:
        Move();
    }
    return graph_;
  }

 private:
  Shape RandomShape(int64_t least, int64_t most) {
    Shape shape;
    for (int64_t rank = Pick(random_, least, most); rank > 0; --rank) {
      shape.push_back(Pick(random_, 1, 6));
    }
    return shape;
  }

  ValueId Value(Shape shape, bool weight) {
    const ValueId id(graph_.values.size());
    graph_.values.push_back({"v" + std::to_string(id.value()),
                             std::move(shape),
                             weight ? ValueRole::kWeight : ValueRole::kInput,
                             {}});
    return id;
  }

  void Add(Op op, OpAttributes attributes, std::vector<ValueId> inputs,
           const std::optional<Shape>& shape) {
    const auto added =
        AddNode({"node", op, std::move(attributes), std::move(inputs), {{"out", shape}}}, &graph_);
    ASSERT_TRUE(added.has_value()) << added.error().message;
  }

  OpAttributes WithFunction(Op op) {
    OpAttributes attributes;
    do {
      const auto pick = static_cast<size_t>(
          Pick(random_, 0, static_cast<int64_t>(kNames<NodeFunction>.size()) - 1));
      attributes.function = kNames<NodeFunction>[pick].value;
    } while (!MayCompute(op, attributes.function));
    return attributes;
  }

  void Elementwise() {
    const Shape out = RandomShape(0, 4);
    std::vector<ValueId> inputs = {Value(out, false)};
    for (int64_t more = Pick(random_, 0, 2); more > 0; --more) {
      Shape shape(out.begin() + Pick(random_, 0, static_cast<int64_t>(out.size())), out.end());
      for (int64_t& extent : shape) {
        if (Chance(random_, 0.4)) extent = 1;
      }
      inputs.push_back(Value(shape, Chance(random_, 0.5)));
    }
    Add(Op::kElementwise, WithFunction(Op::kElementwise), inputs, {});
  }

  // Of rows along other dimensions than the last; often none.
  std::vector<int64_t> RandomAxes(size_t rank) {
    std::vector<int64_t> axes;
    for (size_t d = 0; d < rank; ++d) {
      if (Chance(random_, 0.3)) axes.push_back(static_cast<int64_t>(d));
    }
    return axes;
  }

  void Softmax() {
    const Shape shape = RandomShape(1, 3);
    OpAttributes attributes;
    attributes.axes = RandomAxes(shape.size());
    Add(Op::kSoftmax, attributes, {Value(shape, false)}, {});
  }

  void Norm() {
    OpAttributes attributes = WithFunction(Op::kNorm);
    const bool planes = attributes.function == NodeFunction::kBatch ||
                        attributes.function == NodeFunction::kInstance;
    const Shape shape = planes ? RandomShape(3, 4) : RandomShape(1, 4);
    if (!planes) attributes.axes = RandomAxes(shape.size());
    const bool by_channel = planes || shape.size() > 3;
    std::vector<ValueId> inputs = {Value(shape, false)};
    for (int64_t more = Pick(random_, 0, 3); more > 0; --more) {
      inputs.push_back(Value({by_channel ? shape[1] : shape.back()}, Chance(random_, 0.8)));
    }
    Add(Op::kNorm, attributes, inputs, {});
  }

  void Pool() {
    const Shape in = {Pick(random_, 1, 2), Pick(random_, 1, 3), Pick(random_, 2, 6),
                      Pick(random_, 2, 6)};
    Shape out = in;
    OpAttributes attributes = WithFunction(Op::kPool);
    if (Chance(random_, 0.6)) attributes.window = {Pick(random_, 1, 3), Pick(random_, 1, 3)};
    for (size_t d = 2; d < 4; ++d) out[d] = Pick(random_, 1, in[d]);
    Add(Op::kPool, attributes, {Value(in, false)}, out);
  }

  void Reduce() {
    const Shape in = RandomShape(1, 4);
    Shape out = in;
    for (int64_t& extent : out) {
      if (Chance(random_, 0.5)) extent = 1;
    }
    Add(Op::kReduce, WithFunction(Op::kReduce), {Value(in, false)}, out);
  }

  void Move() {
    const Shape in = RandomShape(1, 3);
    Shape out = in;
    switch (Pick(random_, 0, 3)) {
      case 0:
        return Add(Op::kTranspose, {}, {Value(in, false)}, Shape(in.rbegin(), in.rend()));
      case 1:
        out.front() = Pick(random_, 1, in.front());
        return Add(Op::kSlice, {}, {Value(in, false)}, out);
      case 2:
        return Add(Op::kSort, {}, {Value(in, false)}, in);
      default:
        out.front() *= 2;
        return Add(Op::kConcat, {}, {Value(in, Chance(random_, 0.3)), Value(in, false)}, out);
    }
  }

  Random& random_;
  Graph graph_;
};

std::string Describe(const Graph& graph, const Architecture& architecture) {
  const GraphNode& node = graph.nodes.back();
  std::string text = std::string(InfoOf(node.op).name) + " " + Name(node.attributes.function);
  for (const ValueId v : node.inputs) {
    text += graph.values[v].role == ValueRole::kWeight ? " w[" : " [";
    for (const int64_t extent : graph.values[v].shape) text += std::to_string(extent) + " ";
    text += "]";
  }
  text += ", units below " + architecture.levels[architecture.vector_units.below].name +
          (architecture.vector_units.in_fanout ? " and its fan-out" : "");
  return text;
}

class VectorTwinTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutKeysOfTime, VectorTwinTest, ::testing::Bool());

TEST_P(VectorTwinTest, TheyAgree) {
  const int64_t cases = CaseCount(1500, 20000);
  int64_t refused = 0, held_inside = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed) * 2 + (GetParam() ? 1 : 0));
    const Architecture architecture = RandomArchitecture(random, GetParam());
    const Graph graph = NodeMaker(random).Make();
    const GraphNode& node = graph.nodes.back();
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + Describe(graph, architecture));
    const auto twin = testing::TwinVectorCostOf(graph, node, architecture);
    const auto work = VectorWorkOf(graph, node);
    ASSERT_TRUE(work.has_value());
    const auto found = CostOfVectorWork(*work, architecture);
    ASSERT_EQ(found.has_value(), twin.counted);
    if (!found) {
      ++refused;
      continue;
    }
    EXPECT_EQ(found->cost.operations, twin.operations);
    for (LevelId l : Ids(architecture.levels)) {
      for (TensorId t : Ids(VectorTensors().tensors)) {
        const std::string& name = VectorTensors().tensors[t].name;
        const auto at = twin.counts.find({l.value(), name});
        const Counts expected = at == twin.counts.end() ? Counts() : at->second;
        const Counts& counts = found->cost.levels[l].tensors[t].total;
        EXPECT_EQ(counts.reads, expected.reads) << architecture.levels[l].name << " " << name;
        EXPECT_EQ(counts.fills, expected.fills) << architecture.levels[l].name << " " << name;
        EXPECT_EQ(counts.updates, expected.updates) << architecture.levels[l].name << " " << name;
        EXPECT_EQ(counts.drains, expected.drains) << architecture.levels[l].name << " " << name;
      }
    }
    EXPECT_EQ(found->held_in ? architecture.levels[*found->held_in].name : "", twin.held_in);
    held_inside += found->held_in && *found->held_in != LevelId(0) ? 1 : 0;
    EXPECT_DOUBLE_EQ(static_cast<double>(found->cost.cycles), twin.cycles);
    EXPECT_NEAR(found->cost.energy_pj, twin.energy_pj, 1e-9 * twin.energy_pj);
    if (HasFailure()) return;
  }
  // The cases are of all sorts.
  EXPECT_GT(refused, cases / 100);
  EXPECT_LT(refused, cases / 3);
  EXPECT_GT(held_inside, cases / 50);
}

}  // namespace
}  // namespace inlay
