#pragma once

#include <gtest/gtest.h>

#include <string>

#include "inlay/core/mapping.h"

namespace inlay::testing {

// Names the instances of a test of mapspaces: letters only.
inline std::string MapspaceName(const ::testing::TestParamInfo<Mapspace>& chosen) {
  std::string name = Name(chosen.param);
  std::erase(name, '-');
  return name;
}

}  // namespace inlay::testing
