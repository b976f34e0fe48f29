#include "cli/map_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay::cli {
namespace {

using testing::ElementsAre;

TEST(FolderNamesTest, HarmlessAndDistinct) {
  Network network;
  for (const char* name : {"conv1", "a/b", "a_b", "A_b", "..", "", "-x", "µ", "conv 1"}) {
    Layer layer;
    layer.name = name;
    network.layers.push_back(layer);
  }
  EXPECT_THAT(FolderNames(network),
              ElementsAre("conv1", "a_b", "a_b-2", "A_b-3", "_..", "_", "_-x", "__", "conv_1"));
  network.layers.resize(2);
  for (Layer& layer : network.layers) layer.name = std::string(300, 'x');
  EXPECT_EQ(FolderNames(network)[0].size(), 100U);
  EXPECT_EQ(FolderNames(network)[1].size(), 102U);
}

}  // namespace
}  // namespace inlay::cli
