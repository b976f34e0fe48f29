#include "inlay/io/json/plan.h"

#include <gtest/gtest.h>

#include "inlay/io/json/document.h"

namespace inlay::io {
namespace {

PlanResult Small() {
  PlanResult result;
  result.header = {"plan", "1.0.0", {{"workload", "n", "00"}}, {}};
  result.plan.network = "n";
  result.plan.machine = "m";
  result.plan.weights_stay = true;
  result.plan.order = {"a", "b", "c"};
  result.plan.steps = {
      {"a", "core", {}, {}, {}, 2, NamedPlan::Workspace{"pad", 64, 128}, std::nullopt},
      {"b", "core", {{"c", "other"}}, {}, {}, 0, std::nullopt, std::nullopt}};
  result.plan.residencies = {{"x", "pad", 0, 64, 0, 2}};
  result.plan.transfers = {{"x", "offchip", "pad", 60, 0, 1, TransferKind::kFetch},
                           {"y", "core", "offchip", 8, 1, 2, TransferKind::kWriteBack}};
  SetReplay({}, {{1e-6, 60, "offchip"}, {2e-6, 8, "compute"}}, &result);
  result.certificate = PlanCertificate{};
  return result;
}

TEST(PlanJson, BothFilesReadBack) {
  for (const std::string& text : {WritePlan(Small()), WriteJson(Small())}) {
    const auto plan = ReadPlan({"plan.json", text});
    ASSERT_TRUE(plan.has_value()) << Format(plan.error());
    EXPECT_EQ(*plan, Small().plan);
  }
}

TEST(PlanJson, ATransferTakesOneStep) {
  std::string text = WritePlan(Small());
  text.replace(text.find("\"end\": 2"), 8, "\"end\": 3");
  const auto plan = ReadPlan({"plan.json", text});
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().front().message.find("transfers[1].end"), std::string::npos);
}

}  // namespace
}  // namespace inlay::io
