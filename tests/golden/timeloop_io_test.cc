// The Timeloop reader and writers on files that Timeloop itself has run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "inlay/cost/timeloop.h"
#include "inlay/io/timeloop/read.h"
#include "inlay/io/timeloop/write.h"
#include "tests/support/paths.h"

namespace inlay::golden {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Parsed {
  Problem problem;
  Architecture architecture;
  Mapping mapping;
  std::string format;
  bool operator==(const Parsed&) const = default;
};

fs::path Folder(const std::string& name) {
  return fs::path(INLAY_SOURCE_DIR) / "tests/golden" / name;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Folder(folder))) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<Parsed> Parse(const io::Source& source) {
  auto inputs = io::ReadTimeloop({source});
  if (!inputs) {
    ADD_FAILURE() << Format(inputs.error()) << source.text;
    return std::nullopt;
  }
  EXPECT_EQ(Format(inputs->warnings), "");
  if (!inputs->problem || !inputs->architecture || !inputs->mapping) {
    ADD_FAILURE() << "a part is missing";
    return std::nullopt;
  }
  auto mapping = inputs->mapping(*inputs->problem, *inputs->architecture);
  if (!mapping) {
    ADD_FAILURE() << Format(mapping.error()) << source.text;
    return std::nullopt;
  }
  return Parsed{*inputs->problem, *inputs->architecture, *mapping, inputs->format};
}

std::optional<Parsed> ParseFile(const std::string& folder, const std::string& name) {
  auto source = io::ReadTextFile((Folder(folder) / (name + ".yaml")).string());
  if (!source) {
    ADD_FAILURE() << Format(source.error());
    return std::nullopt;
  }
  source->name = name + ".yaml";
  return Parse(*source);
}

json Expected(const std::string& name) {
  std::ifstream file(Folder("timeloop") / (name + ".expected.json"));
  return json::parse(file);
}

void ExpectProblem(const json& expected, const Problem& problem) {
  EXPECT_EQ(problem.name, expected["shape"]);
  ASSERT_EQ(json(DimNames(problem)), expected["dims"]);
  for (const Dimension& dim : problem.dims) {
    EXPECT_EQ(dim.bound, expected["instance"][dim.name].get<int64_t>());
  }
  ASSERT_EQ(problem.tensors.size(), expected["dataspaces"].size());
  for (TensorId t : Ids(problem.tensors)) {
    const json& space = expected["dataspaces"][t.value()];
    EXPECT_EQ(problem.tensors[t].name, space["name"]);
    EXPECT_EQ(problem.tensors[t].is_output, space["read_write"].get<bool>());
    json ranks = json::array();
    for (const Rank& rank : problem.tensors[t].ranks) {
      json terms = json::array();
      for (const Term& term : rank.terms) {
        terms.push_back({problem.dims[term.dim].name, term.coefficient});
      }
      ranks.push_back(terms);
    }
    json projection = space["projection"];
    for (json& rank : projection) {
      for (json& term : rank) {
        term[1] =
            term[1].is_null() ? json(1) : expected["coefficients"].at(term[1].get<std::string>());
      }
    }
    EXPECT_EQ(ranks, projection);
  }
}

void ExpectLevel(const json& expected, const Level& level) {
  EXPECT_EQ(level.name, expected["name"]);
  EXPECT_EQ(level.kind, expected["technology"] == "DRAM" ? MemoryKind::kDram : MemoryKind::kSram);
  EXPECT_EQ(level.word_bits, expected["word_bits"].get<int>());
  EXPECT_EQ(level.capacity_words ? json(*level.capacity_words) : json(),
            expected["capacity_words"]);
  EXPECT_EQ(level.block_words, expected["block_size"].get<int64_t>());
  EXPECT_EQ(level.buffering, expected.value("multiple_buffering", 1.0));
  const auto bandwidth = [&](const char* key) {
    return expected.contains(key) ? std::optional<double>(expected[key].get<double>())
                                  : std::nullopt;
  };
  EXPECT_EQ(level.read_bandwidth, bandwidth("read_bandwidth"));
  EXPECT_EQ(level.write_bandwidth, bandwidth("write_bandwidth"));
  EXPECT_EQ(level.shared_bandwidth, bandwidth("shared_bandwidth"));
  ASSERT_TRUE(level.energy.has_value());
  EXPECT_EQ(level.energy->read_pj, expected["energy"]["read"].get<double>());
  EXPECT_EQ(level.energy->fill_pj, expected["energy"]["fill"].get<double>());
  EXPECT_EQ(level.energy->update_pj, expected["energy"]["update"].get<double>());
}

void ExpectArchitecture(const json& expected, const Architecture& architecture) {
  ASSERT_EQ(architecture.levels.size(), expected["levels"].size());
  int64_t x = 1, y = 1;
  for (LevelId l : Ids(architecture.levels)) {
    const json& level = expected["levels"][l.value()];
    SCOPED_TRACE(level["name"].get<std::string>());
    ExpectLevel(level, architecture.levels[l]);
    EXPECT_EQ(x, level["mesh_x"].get<int64_t>());
    EXPECT_EQ(y, level["mesh_y"].get<int64_t>());
    EXPECT_EQ(Instances(architecture, l), level["instances"].get<int64_t>());
    x *= architecture.levels[l].fanout.x;
    y *= architecture.levels[l].fanout.y;
    EXPECT_EQ(KeepRuleOf(architecture.levels[l], "anything"),
              l.value() == 0 ? KeepRule::kKeep : KeepRule::kFree);
  }
  const json& compute = expected["compute"];
  EXPECT_EQ(x, compute["mesh_x"].get<int64_t>());
  EXPECT_EQ(y, compute["mesh_y"].get<int64_t>());
  EXPECT_EQ(architecture.compute.name, compute["name"]);
  EXPECT_EQ(architecture.compute.word_bits, compute["word_bits"].get<int>());
  EXPECT_EQ(architecture.compute.energy_pj, compute["energy_per_op"].get<double>());
}

// The loops of one directive that take more than one step, outer to inner:
// [dimension, end, residual, axis].
json LoopsOf(const json& directive) {
  json loops = json::array();
  const json& order = directive["permutation_inner_to_outer"];
  for (size_t i = order.size(); i-- > 0;) {
    const json& factor = directive["factors"][order[i].get<std::string>()];
    if (factor[0] == 1) continue;
    const std::string axis = !directive.contains("split")           ? "time"
                             : i < directive["split"].get<size_t>() ? "x"
                                                                    : "y";
    loops.push_back({order[i], factor[0], factor[1], axis});
  }
  return loops;
}

json LoopsOf(const Problem& problem, const std::vector<Loop>& loops,
             const std::vector<Factor>& factors) {
  json result = json::array();
  for (size_t i = 0; i < loops.size(); ++i) {
    const char* axis = loops[i].axis == Axis::kTime ? "time"
                       : loops[i].axis == Axis::kX  ? "x"
                                                    : "y";
    result.push_back({problem.dims[loops[i].dim].name, factors[i].end, factors[i].residual, axis});
  }
  return result;
}

void ExpectMapping(const json& expected, const Problem& problem, const Mapping& mapping) {
  const auto factors = FactorsOf(problem, mapping);
  ASSERT_TRUE(factors.has_value());
  ASSERT_EQ(mapping.levels.size(), expected["levels"].size());
  for (LevelId l : Ids(mapping.levels)) {
    const json& level = expected["levels"][l.value()];
    const LevelMapping& parsed = mapping.levels[l];
    EXPECT_EQ(LoopsOf(problem, parsed.temporal, (*factors)[l].temporal),
              LoopsOf(level["temporal"]));
    EXPECT_EQ(LoopsOf(problem, parsed.spatial, (*factors)[l].spatial),
              level.contains("spatial") ? LoopsOf(level["spatial"]) : json::array());
    for (TensorId t : Ids(problem.tensors)) {
      const json& keep = level["keep"];
      const bool kept = std::find(keep.begin(), keep.end(), problem.tensors[t].name) != keep.end();
      EXPECT_EQ(parsed.keep.contains(t), kept);
    }
  }
  EXPECT_EQ(Classify(problem, mapping) != Mapspace::kPerfect, expected["imperfect"].get<bool>());
}

TEST(TimeloopIo, EveryFileIsWhatItsCaseSays) {
  const auto names = NamesIn("timeloop");
  ASSERT_EQ(names.size(), 258U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto parsed = ParseFile("timeloop", name);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->format, "timeloop-2019");
    const json expected = Expected(name)["case"];
    ExpectProblem(expected["problem"], parsed->problem);
    ExpectArchitecture(expected["architecture"], parsed->architecture);
    ExpectMapping(expected["mapping"], parsed->problem, parsed->mapping);
  }
}

void ExpectSameAs2019(const std::string& folder, const std::string& format, size_t count) {
  const auto names = NamesIn(folder);
  ASSERT_EQ(names.size(), count);
  for (const std::string& name : names) {
    SCOPED_TRACE(folder + "/" + name);
    auto parsed = ParseFile(folder, name);
    const auto original = ParseFile("timeloop", name);
    ASSERT_TRUE(parsed && original);
    EXPECT_EQ(parsed->format, format);
    parsed->format = original->format;
    EXPECT_TRUE(*parsed == *original);
  }
}

TEST(TimeloopIo, Trees03MeanTheSame) { ExpectSameAs2019("timeloop-v03", "timeloop-0.3", 24); }
TEST(TimeloopIo, Trees02MeanTheSame) { ExpectSameAs2019("timeloop-v02", "timeloop-0.2", 24); }
TEST(TimeloopIo, Nodes04MeanTheSame) { ExpectSameAs2019("timeloop-v04", "timeloop-0.4", 24); }

// A container with a fan-out is a level by itself, which holds nothing: what Timeloop counts at the
// other levels does not change.
TEST(TimeloopIo, ContainersCostTheSame) {
  const auto names = NamesIn("timeloop-v04-containers");
  ASSERT_GE(names.size(), 20U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto parsed = ParseFile("timeloop-v04-containers", name);
    ASSERT_TRUE(parsed.has_value());
    const json expected = Expected(name)["result"];
    const auto cost = EvaluateTimeloop(parsed->problem, parsed->architecture, parsed->mapping);
    ASSERT_TRUE(cost.has_value());
    EXPECT_GT(parsed->architecture.levels.size(), expected["levels"].size());
    EXPECT_EQ(cost->cycles, expected["cycles"].get<int64_t>());
    const double energy_pj = expected["energy_pJ"];
    EXPECT_NEAR(cost->energy_pj, energy_pj, 1e-6 * energy_pj);
    for (const json& level : expected["levels"]) {
      const auto l = FindLevel(parsed->architecture, level["name"].get<std::string>());
      ASSERT_TRUE(l.has_value());
      for (TensorId t : Ids(parsed->problem.tensors)) {
        const json& spaces = level["dataspaces"];
        const std::string& tensor = parsed->problem.tensors[t].name;
        const TensorCost& counts = cost->levels[*l].tensors[t];
        ASSERT_EQ(counts.kept, spaces.contains(tensor));
        if (!counts.kept) continue;
        SCOPED_TRACE(level["name"].get<std::string>() + " " + tensor);
        const int64_t instances = spaces[tensor]["utilized_instances"];
        EXPECT_EQ(counts.total.reads, spaces[tensor]["reads"].get<int64_t>() * instances);
        EXPECT_EQ(counts.total.fills, spaces[tensor]["fills"].get<int64_t>() * instances);
        EXPECT_EQ(counts.total.updates, spaces[tensor]["updates"].get<int64_t>() * instances);
      }
    }
  }
}

void ExpectRoundTrip(io::TimeloopVersion version) {
  for (const std::string& name : NamesIn("timeloop")) {
    SCOPED_TRACE(name);
    const auto original = ParseFile("timeloop", name);
    ASSERT_TRUE(original.has_value());
    const auto text =
        io::WriteTimeloop(&original->problem, &original->architecture, &original->mapping, version);
    ASSERT_TRUE(text.has_value()) << Format(text.error());
    auto read = Parse({name + ".yaml", *text});
    ASSERT_TRUE(read.has_value());
    read->format = original->format;
    EXPECT_TRUE(*read == *original) << *text;
  }
}

TEST(TimeloopIo, WrittenAs03ReadsBackTheSame) { ExpectRoundTrip(io::TimeloopVersion::k03); }
TEST(TimeloopIo, WrittenAs04ReadsBackTheSame) { ExpectRoundTrip(io::TimeloopVersion::k04); }

TEST(TimeloopIo, ContainersSurviveWritingAndReading) {
  for (const std::string& name : NamesIn("timeloop-v04-containers")) {
    SCOPED_TRACE(name);
    const auto original = ParseFile("timeloop-v04-containers", name);
    ASSERT_TRUE(original.has_value());
    for (const auto version : {io::TimeloopVersion::k03, io::TimeloopVersion::k04}) {
      const auto text = io::WriteTimeloop(&original->problem, &original->architecture,
                                          &original->mapping, version);
      ASSERT_TRUE(text.has_value()) << Format(text.error());
      auto read = Parse({name + ".yaml", *text});
      ASSERT_TRUE(read.has_value());
      read->format = original->format;
      EXPECT_TRUE(*read == *original) << *text;
    }
  }
}

}  // namespace
}  // namespace inlay::golden
