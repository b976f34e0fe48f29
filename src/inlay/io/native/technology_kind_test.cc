#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/native.h"

namespace inlay::io {
namespace {

using ::inlay::testing::ErrorsOf;
using ::testing::ElementsAre;

TEST(NativeTechnologyTest, AllErrorsAtOnceAtTheirPlaces) {
  EXPECT_THAT(
      ErrorsOf(R"(format: inlay/1
technology:
  name: t
  word_bits: sixteen
  mac: {energy: -2.2 pJ, aera: 1 um2}
  register: {energy: 9 pJ * bits, area: 1 pJ}
  sram: {energy: 1e308 pJ + 1e308 pJ}
)"),
      ElementsAre(
          "3:3: a technology needs the key 'dram' ('dram': memories of kind dram)",
          "4:14: 'word_bits' must be a whole number, found 'sixteen'",
          "5:17: an energy must not be negative",
          "5:26: unknown key 'aera' in the multiplier's figures (did you mean 'area'?)",
          "6:29: expected 'words' or 'sqrt(words)' after '*' (a term is '4.6 pJ', '4.6 pJ * "
          "words' or '4.6 pJ * sqrt(words)')",
          "6:43: 'pJ' is not a unit of an area (expected one of um2, mm2)",
          "7:9: energies and areas must be finite and not negative"));
}

}  // namespace
}  // namespace inlay::io
