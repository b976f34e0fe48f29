#include "inlay/io/timeloop/factors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay::io::timeloop {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Node Parse(const std::string& yaml) { return ParseYaml({"f", yaml}).value().at(0); }

// "C=4 K<=8 P=7,3", or the first error.
std::string Factors(const std::string& yaml) {
  Report report;
  std::string text;
  for (const WrittenFactor& factor : ReadFactors(Parse(yaml), &report)) {
    const char* relation = factor.relation == Relation::kEqual    ? "="
                           : factor.relation == Relation::kAtMost ? "<="
                                                                  : ">=";
    text += fmt::format("{}{}{}{}{}", text.empty() ? "" : " ", factor.dim, relation, factor.end,
                        factor.end == factor.residual ? "" : fmt::format(",{}", factor.residual));
  }
  return report.errors.empty() ? text : report.errors.front().message;
}

TEST(FactorsTest, ReadsEveryNotation) {
  for (const char* yaml :
       {"C=4 K=8 R=1", "C4 K8 R1", "C=4,K=8,R=1", "C4,K8,R1", "C = 4, K = 8, R=1",
        "[C=4, K=8, R=1]", "[C4, 'K=8 R1']", "C==4 K8 R1", "'C=4 K=8 R=1 # text'"}) {
    EXPECT_EQ(Factors(yaml), "C=4 K=8 R=1") << yaml;
  }
  EXPECT_EQ(Factors("P=7,3 Q=2"), "P=7,3 Q=2");
  EXPECT_EQ(Factors("P7,3,Q2"), "P=7,3 Q=2");
  EXPECT_EQ(Factors("C<=4 K>=2 N0"), "C<=4 K>=2 N=0");
  EXPECT_EQ(Factors("Cin=4 d0=2"), "Cin=4 d0=2");
  EXPECT_EQ(Factors("''"), "");
}

TEST(FactorsTest, SaysWhatItCannotRead) {
  EXPECT_THAT(Factors("C=4 K=x"), HasSubstr("cannot read the factors 'C=4 K=x' from 'K=x' on"));
  EXPECT_THAT(Factors("C"), HasSubstr("cannot read the factors"));
  EXPECT_THAT(Factors("4"), HasSubstr("cannot read the factors"));
  EXPECT_THAT(Factors("C=99999999999999999999"), HasSubstr("cannot read the factors"));
  EXPECT_THAT(Factors("C=-1"), HasSubstr("cannot read the factors"));
  EXPECT_THAT(Factors("{C: 4}"), HasSubstr("factors must be a text"));
  EXPECT_THAT(Factors("C=4 C=2"), HasSubstr("dimension 'C' has two factors"));
}

std::vector<std::string> Permutation(const std::string& yaml, const std::vector<std::string>& dims,
                                     Report* report) {
  return ReadPermutation(Parse(yaml), dims, report);
}

TEST(PermutationTest, ReadsStringsAndLists) {
  Report report;
  EXPECT_THAT(Permutation("PQC", {"P", "Q", "C"}, &report), ElementsAre("P", "Q", "C"));
  EXPECT_THAT(Permutation("PQ C", {}, &report), ElementsAre("P", "Q", "C"));
  EXPECT_THAT(Permutation("[P, Q]", {}, &report), ElementsAre("P", "Q"));
  EXPECT_THAT(Permutation("'P,Q'", {}, &report), ElementsAre("P", "Q"));
  EXPECT_THAT(Permutation("R_K", {}, &report), ElementsAre("R", "_", "K"));
  EXPECT_THAT(Permutation("CinPCout", {"Cin", "Cout", "P", "C"}, &report),
              ElementsAre("Cin", "P", "Cout"));
  EXPECT_TRUE(report.errors.empty());
}

TEST(PermutationTest, RefusesRepetition) {
  Report report;
  Permutation("PQP", {}, &report);
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_THAT(report.errors.front().message, HasSubstr("'P' is twice in the permutation"));
}

}  // namespace
}  // namespace inlay::io::timeloop
