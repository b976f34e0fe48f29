// Laws of graphs, on random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "inlay/core/network_totals.h"
#include "inlay/io/native/native.h"
#include "tests/support/random_case.h"
#include "tests/support/random_graph.h"

namespace inlay::testing {
namespace {

TEST(NetworkProperty, GraphsAreValidAndComeBackFromTheirFiles) {
  const int64_t cases = CaseCount(300, 10'000);
  for (int64_t seed = 1; seed <= cases; ++seed) {
    const Graph graph = RandomGraph(static_cast<uint64_t>(seed), static_cast<int>(1 + seed % 40));
    ASSERT_TRUE(Validate(graph).empty()) << seed << ": " << Validate(graph).front().message;
    const std::string text = io::WriteNative(graph);
    const auto again = io::ReadNative({{"again", text}});
    ASSERT_TRUE(again.has_value()) << text << Format(again.error());
    ASSERT_EQ(again->graph, graph) << text;
  }
}

// Operations by the nodes and by the layers; words by the values, one by one.
TEST(NetworkProperty, TotalsAreSumsOverNodes) {
  const int64_t cases = CaseCount(300, 10'000);
  for (int64_t seed = 1; seed <= cases; ++seed) {
    const Graph graph = RandomGraph(static_cast<uint64_t>(seed), static_cast<int>(1 + seed % 40));
    int64_t operations = 0, bytes = 0;
    for (const Layer& layer : LayersOf(graph).layers) {
      operations += Operations(layer.problem) * layer.repeat;
    }
    for (const Value& value : graph.values) {
      if (value.role != ValueRole::kActivation || value.alias_of) continue;
      int64_t words = 1;
      for (const int64_t extent : value.shape) words *= extent;
      bytes += 2 * words;
    }
    const auto totals = TotalsOf(graph, 16);
    ASSERT_TRUE(totals.has_value());
    ASSERT_EQ(totals->operations, operations) << seed;
    ASSERT_EQ(totals->activation_bytes, bytes) << seed;
  }
}

// The nodes of a file in any order give a graph of the same nodes, each after those it needs.
TEST(NetworkProperty, TheOrderOfAFileDoesNotMatter) {
  const int64_t cases = CaseCount(200, 5'000);
  for (int64_t seed = 1; seed <= cases; ++seed) {
    const Graph graph = RandomGraph(static_cast<uint64_t>(seed), static_cast<int>(2 + seed % 20));
    std::istringstream text(io::WriteNative(graph));
    std::vector<std::string> head, nodes, tail;
    for (std::string line; std::getline(text, line);) {
      (line.starts_with("  - ") ? nodes : nodes.empty() ? head : tail).push_back(line + "\n");
    }
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    std::shuffle(nodes.begin(), nodes.end(), random);
    std::string shuffled;
    for (const auto* part : {&head, &nodes, &tail}) {
      for (const std::string& line : *part) shuffled += line;
    }
    const auto again = io::ReadNative({{"shuffled", shuffled}});
    ASSERT_TRUE(again.has_value()) << shuffled << Format(again.error());
    ASSERT_TRUE(Validate(*again->graph).empty());
    ASSERT_EQ(again->graph->nodes.size(), graph.nodes.size());
    ASSERT_TRUE(TotalsOf(*again->graph, 16).value() == TotalsOf(graph, 16).value());
  }
}

}  // namespace
}  // namespace inlay::testing
