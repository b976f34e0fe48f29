#include "tests/support/study_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inlay/io/library/library.h"

namespace inlay::testing {

std::string QuickStudyText() {
  return R"(format: inlay/1
study:
  name: quick
  run: map
  grid:
  - workload: [{gemm: {P: [12, 30], K: 40, C: 24}}]
    arch: [toy-9, toy-16]
    strategy: random
    search_size: [100, 1000]
    victory_condition: 0
    seed: [1, 2]
  - {workload: [{gemm: {P: 12, K: 9, C: [8, 10]}}], arch: [toy-9, toy-16], mapspace: [perfect, ruby-s]}
  - {workload: [{gemm: {P: 12, K: 9, C: 8}}], arch: [toy-9, systolic-os], strategy: dnnopt}
  - {run: mapspace, workload: [{gemm: {P: [3, 7], K: 9, C: 8}}], arch: toy-glb-9, mapspace: [perfect, ruby]}
  - {run: eval, case: gemm-any}
  figure: {x: workload, y: edp, series: [arch, search_size]}
  claims:
  - {what: twice the seeds, paper: "1", metric: edp, of: {seed: "2"}, against: {seed: "1"}, show: ratio, take: geomean}
  - {what: best, paper: "0", metric: energy_pj, take: min}
)";
}

Study ReadStudy(const std::string& text) {
  auto inputs = io::ReadNative({{"study.yaml", text}}, io::BuiltinContext());
  EXPECT_TRUE(inputs) << (inputs ? "" : Format(inputs.error()));
  return *std::move(inputs->study);
}

std::string Unmeasured(const std::string& json) {
  auto document = nlohmann::ordered_json::parse(json, nullptr, false);
  EXPECT_TRUE(document.is_object());
  document.erase("measured");
  return document.dump(1);
}

}  // namespace inlay::testing
