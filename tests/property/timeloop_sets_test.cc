// For every built-in architecture: what `convert` writes of it and what `map` writes of a layer on
// it are a set that fits together, by checks that know Timeloop's files and nothing of our readers,
// and that costs the same when it is read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "inlay/base/rng.h"
#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/io/library/library.h"
#include "inlay/io/timeloop/read.h"
#include "inlay/io/timeloop/write.h"
#include "inlay/mapspace/sample.h"
#include "inlay/mapspace/space.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

using testing::CaseCount;

// A storage level of the written tree, or the compute.
struct Storage {
  std::string name;
  int64_t mesh_x = 1, mesh_y = 1;
  std::optional<int64_t> words;
};

void Collect(const YAML::Node& tree, std::vector<Storage>* levels) {
  for (const YAML::Node& local : tree["local"]) {
    const YAML::Node attributes = local["attributes"];
    Storage level;
    level.name = local["name"].as<std::string>();
    if (attributes["meshX"]) level.mesh_x = attributes["meshX"].as<int64_t>();
    if (attributes["meshY"]) level.mesh_y = attributes["meshY"].as<int64_t>();
    if (attributes["entries"]) level.words = attributes["entries"].as<int64_t>();
    if (attributes["multiple_buffering"] && level.words) {
      level.words = static_cast<int64_t>(static_cast<double>(*level.words) /
                                         attributes["multiple_buffering"].as<double>());
    }
    levels->push_back(level);
  }
  for (const YAML::Node& below : tree["subtree"]) Collect(below, levels);
}

struct Written {
  int64_t end = 1, residual = 1;
};

// "K=4 P=7,3"
std::map<char, Written> Factors(const std::string& text) {
  std::map<char, Written> factors;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    Written factor;
    const auto comma = word.find(',');
    factor.end = std::stoll(word.substr(2, comma - 2));
    factor.residual = comma == std::string::npos ? factor.end : std::stoll(word.substr(comma + 1));
    EXPECT_TRUE(factors.emplace(word[0], factor).second) << text;
  }
  return factors;
}

// The set as three texts.
struct TimeloopSet {
  std::string architecture, problem, mapping;
};

// Checks a set from its texts alone, as Timeloop would; `fits`: capacities too.
void CheckSet(const TimeloopSet& set, bool fits) {
  SCOPED_TRACE(set.architecture + set.problem + set.mapping);
  const YAML::Node problem = YAML::Load(set.problem)["problem"];
  const YAML::Node mapping = YAML::Load(set.mapping)["mapping"];
  std::vector<Storage> levels;
  Collect(YAML::Load(set.architecture)["architecture"]["subtree"][0], &levels);
  std::set<char> dims;
  std::map<char, int64_t> bounds;
  for (const YAML::Node& dim : problem["shape"]["dimensions"]) {
    dims.insert(dim.as<std::string>()[0]);
    bounds[dim.as<std::string>()[0]] = problem["instance"][dim.as<std::string>()].as<int64_t>();
  }
  std::set<std::string> tensors;
  for (const YAML::Node& space : problem["shape"]["data_spaces"]) {
    tensors.insert(space["name"].as<std::string>());
  }

  // Every directive names a level that is there, once per type.
  std::map<std::pair<std::string, std::string>, YAML::Node> directives;
  for (const YAML::Node& directive : mapping) {
    const auto target = directive["target"].as<std::string>();
    const bool there = std::any_of(levels.begin(), levels.end() - 1,
                                   [&](const Storage& level) { return level.name == target; });
    EXPECT_TRUE(there) << target;
    EXPECT_TRUE(
        directives.emplace(std::pair(target, directive["type"].as<std::string>()), directive)
            .second)
        << target;
  }

  std::map<char, int64_t> covered;  // ∏ of the ends inside, for tiles
  std::vector<std::pair<char, Written>> inner_first;
  for (const char dim : dims) covered[dim] = 1;
  for (size_t i = levels.size() - 1; i-- > 0;) {
    const Storage& level = levels[i];
    const Storage& below = levels[i + 1];
    SCOPED_TRACE(level.name);
    const int64_t fanout_x = below.mesh_x / level.mesh_x, fanout_y = below.mesh_y / level.mesh_y;
    for (const std::string type : {"spatial", "temporal"}) {
      const auto found = directives.find({level.name, type});
      ASSERT_EQ(found != directives.end(), type == "temporal" || fanout_x * fanout_y > 1) << type;
      if (found == directives.end()) continue;
      const auto factors = Factors(found->second["factors"].as<std::string>());
      const auto order = found->second["permutation"].as<std::string>();
      EXPECT_EQ(std::set<char>(order.begin(), order.end()), dims);
      EXPECT_EQ(order.size(), dims.size());
      EXPECT_EQ(factors.size(), dims.size());
      const size_t split =
          found->second["split"] ? found->second["split"].as<size_t>() : order.size();
      int64_t x = 1, y = 1;
      for (size_t k = 0; k < order.size(); ++k) {
        const Written& factor = factors.at(order[k]);
        inner_first.emplace_back(order[k], factor);
        covered[order[k]] *= factor.end;
        (k < split ? x : y) *= factor.end;
      }
      if (type == "spatial") {
        EXPECT_LE(x, fanout_x);
        EXPECT_LE(y, fanout_y);
      }
    }
    // Every tensor is either kept or bypassed.
    const YAML::Node bypass = directives.at({level.name, "bypass"});
    std::set<std::string> kept, all;
    for (const YAML::Node& name : bypass["keep"]) kept.insert(name.as<std::string>());
    all = kept;
    for (const YAML::Node& name : bypass["bypass"]) {
      EXPECT_TRUE(all.insert(name.as<std::string>()).second);
    }
    EXPECT_EQ(all, tensors);
    // The tiles fit.
    int64_t used = 0;
    for (const YAML::Node& space : problem["shape"]["data_spaces"]) {
      if (!kept.contains(space["name"].as<std::string>())) continue;
      int64_t words = 1;
      for (const YAML::Node& rank : space["projection"]) {
        int64_t extent = 1;
        for (const YAML::Node& term : rank) {
          const char dim = term[0].as<std::string>()[0];
          int64_t coefficient = 1;
          for (const YAML::Node& named : problem["shape"]["coefficients"]) {
            if (term.size() > 1 && named["name"].as<std::string>() == term[1].as<std::string>()) {
              coefficient = named["default"].as<int64_t>();
            }
          }
          extent += coefficient * (std::min(covered[dim], bounds[dim]) - 1);
        }
        words *= extent;
      }
      used += words;
    }
    EXPECT_TRUE(!fits || used <= level.words.value_or(used));
    EXPECT_TRUE(!level.name.starts_with("inter_") || kept.empty());
  }

  // Timeloop's check of the factors, remainders included.
  std::map<char, int64_t> product;
  for (size_t i = inner_first.size(); i-- > 0;) {
    const auto& [dim, factor] = inner_first[i];
    product[dim] = product[dim] * factor.end + factor.residual - 1;
  }
  for (const char dim : dims) EXPECT_EQ(product[dim] + 1, bounds[dim]) << dim;
}

// What one tensor does at one level; a level without a name for it is left out.
std::map<std::string, std::vector<int64_t>> CountsOf(const Problem& problem, const Cost& cost) {
  std::map<std::string, std::vector<int64_t>> counts;  // outer to inner, of the levels that keep it
  for (const LevelCost& level : cost.levels) {
    for (TensorId t : Ids(problem.tensors)) {
      const TensorCost& tensor = level.tensors[t];
      if (!tensor.kept) continue;
      auto& list = counts[problem.tensors[t].name];
      for (const int64_t count : {tensor.total.reads, tensor.total.fills, tensor.total.updates,
                                  tensor.total.drains, tensor.tile_words, tensor.instances}) {
        list.push_back(count);
      }
    }
  }
  return counts;
}

struct Evaluated {
  Problem problem;
  Architecture architecture;
  Mapping mapping;
};

void ExpectSameCost(const Evaluated& a, const Evaluated& b, const EvaluateOptions& options) {
  const auto first = Evaluate(a.problem, a.architecture, a.mapping, options);
  const auto second = Evaluate(b.problem, b.architecture, b.mapping, options);
  // Timeloop's rules know no fan-out without reduction; what is read back has it, and no use of it.
  ASSERT_TRUE(first.has_value() || options.semantics == Semantics::kTimeloop);
  if (!first) return;
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(CountsOf(a.problem, *first), CountsOf(b.problem, *second));
  EXPECT_EQ(first->operations, second->operations);
  EXPECT_EQ(first->cycles, second->cycles);
  EXPECT_EQ(first->offchip_words, second->offchip_words);
  EXPECT_NEAR(first->energy_pj, second->energy_pj, 1e-9 * first->energy_pj);
}

// Whether lanes along x and lanes along y of one fan-out slide over the same rank of a tensor, as
// those for Q and S do over columns of the input. A written set has a level, which keeps nothing,
// between the two axes. Timeloop counts as if it kept everything, so words that lanes share across
// both axes are counted once in one fan-out, and once for each lane along x in two.
bool SlidesAcrossAxes(const Problem& problem, const Mapping& mapping) {
  const auto unrolled = [](const LevelMapping& level, DimId dim, Axis axis) {
    return std::any_of(level.spatial.begin(), level.spatial.end(),
                       [&](const Loop& loop) { return loop.dim == dim && loop.axis == axis; });
  };
  for (const LevelMapping& level : mapping.levels) {
    for (const Tensor& tensor : problem.tensors) {
      for (const Rank& rank : tensor.ranks) {
        for (const Term& a : rank.terms) {
          for (const Term& b : rank.terms) {
            if (a.dim != b.dim && unrolled(level, a.dim, Axis::kX) &&
                unrolled(level, b.dim, Axis::kY)) {
              return true;
            }
          }
        }
      }
    }
  }
  return false;
}

Problem SmallConv() {
  ConvShape conv;
  conv.k = 12;
  conv.c = 10;
  conv.p = 5;
  conv.q = 7;
  conv.r = conv.s = 3;
  conv.stride_h = conv.stride_w = 2;
  return MakeConv("conv", conv);
}

class TimeloopSetsTest : public ::testing::TestWithParam<std::string> {};

bool TimeloopCanSay(const std::string& name) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, name);
  return io::WriteTimeloop(nullptr, &*inputs->architecture, nullptr, io::TimeloopVersion::k03)
      .has_value();
}

std::vector<std::string> Architectures() {
  std::vector<std::string> names;
  for (const std::string& name : io::BuiltinNames(io::BuiltinKind::kArchitecture)) {
    const auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, name);
    if (!inputs || !inputs->architecture) continue;  // those with free attributes
    if (TimeloopCanSay(name)) names.push_back(name);
  }
  return names;
}

TEST(TimeloopBuiltins, AllButTwoBuiltinsCanBeWritten) {
  std::vector<std::string> left_out;
  for (const std::string& name : io::BuiltinNames(io::BuiltinKind::kArchitecture)) {
    if (!TimeloopCanSay(name)) left_out.push_back(name);
  }
  // Keys of time and lanes without multicast; words of another width for one tensor of a memory.
  EXPECT_THAT(left_out, ::testing::ElementsAre("h200", "tpu-v4i"));
}

INSTANTIATE_TEST_SUITE_P(All, TimeloopSetsTest, ::testing::ValuesIn(Architectures()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(TimeloopSetsTest, FitTogether) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, GetParam());
  const Architecture& architecture = *inputs->architecture;
  const auto converted =
      io::WriteTimeloop(nullptr, &architecture, nullptr, io::TimeloopVersion::k03);
  ASSERT_TRUE(converted.has_value()) << Format(converted.error());
  const Problem problem = SmallConv();
  const auto problem_text = io::WriteTimeloop(&problem, nullptr, nullptr, io::TimeloopVersion::k03);
  Rng rng(7);
  int64_t checked = 0, refused = 0, by_timeloop = 0;
  for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRuby}) {
    const auto space = MakeSpace(problem, architecture, mapspace);
    ASSERT_TRUE(space.has_value());
    const auto sampler = SpaceSampler::Make(*space);
    ASSERT_TRUE(sampler.has_value());
    for (int64_t i = 0; i < CaseCount(5, 100) && !HasFailure(); ++i) {
      const auto mapping = Sample(*sampler, rng);
      ASSERT_TRUE(mapping.has_value());
      const auto text = io::WriteTimeloopMapping(problem, architecture, *mapping);
      if (!text) {  // a dimension on both axes of a fan-out that leaves it free
        EXPECT_THAT(Format(text.error()), ::testing::HasSubstr("has two loops over"));
        ++refused;
        continue;
      }
      const bool fits = CheckCapacity(problem, architecture, *mapping).empty();
      CheckSet({*converted, *problem_text, *text}, fits);
      const auto set = io::ReadTimeloop(
          {{"arch.yaml", *converted}, {"problem.yaml", *problem_text}, {"mapping.yaml", *text}});
      ASSERT_TRUE(set.has_value()) << Format(set.error());
      auto read = set->mapping(*set->problem, *set->architecture);
      ASSERT_TRUE(read.has_value()) << Format(read.error());
      EXPECT_EQ(CheckCapacity(*set->problem, *set->architecture, *read).empty(), fits);
      const Evaluated ours{problem, architecture, *mapping};
      const Evaluated theirs{*set->problem, *set->architecture, *read};
      ExpectSameCost(ours, theirs, {});
      // With remainders Timeloop averages over the lanes of the fan-out right above a level, and
      // of several partitions one is right below it; so it is with link transfers.
      if (mapspace == Mapspace::kPerfect && !SlidesAcrossAxes(problem, *mapping)) {
        ++by_timeloop;
        TimeloopRules rules;
        rules.link_transfers = false;
        ExpectSameCost(ours, theirs, {.semantics = Semantics::kTimeloop, .timeloop_rules = rules});
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, refused);
  EXPECT_GT(by_timeloop, 0);
}

}  // namespace
}  // namespace inlay
