#include "tests/golden/timeloop_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include "tests/support/paths.h"

namespace inlay::golden {
namespace {

using nlohmann::json;

Problem ReadProblem(const json& source) {
  Problem problem;
  for (const json& name : source["dims"]) {
    problem.dims.push_back({name, source["instance"].at(name.get<std::string>())});
  }
  for (const json& space : source["dataspaces"]) {
    Tensor tensor;
    tensor.name = space["name"];
    tensor.is_output = space["read_write"];
    for (const json& terms : space["projection"]) {
      Rank rank;
      for (const json& term : terms) {
        int64_t coefficient = 1;
        if (!term[1].is_null()) coefficient = source["coefficients"].at(term[1].get<std::string>());
        rank.terms.push_back({FindDim(problem, term[0].get<std::string>()).value(), coefficient});
      }
      tensor.ranks.push_back(rank);
    }
    problem.tensors.push_back(tensor);
  }
  return problem;
}

std::optional<double> ReadBandwidth(const json& level, const char* key) {
  if (!level.contains(key) || level[key].is_null()) return std::nullopt;
  return level[key].get<double>();
}

Architecture ReadArchitecture(const json& source) {
  Architecture architecture;
  const json& levels = source["levels"];
  for (size_t i = 0; i < levels.size(); ++i) {
    const json& from = levels[i];
    const json& inner = i + 1 < levels.size() ? levels[i + 1] : source["compute"];
    Level level;
    level.name = from["name"];
    level.block_words = from["block_size"];
    level.read_bandwidth = ReadBandwidth(from, "read_bandwidth");
    level.write_bandwidth = ReadBandwidth(from, "write_bandwidth");
    level.shared_bandwidth = ReadBandwidth(from, "shared_bandwidth");
    const json& energy = from["energy"];
    level.energy = AccessEnergy{energy["read"], energy["fill"], energy["update"]};
    level.keep = TensorNameSet{};  // the mapping decides
    level.fanout.x = inner["mesh_x"].get<int64_t>() / from["mesh_x"].get<int64_t>();
    level.fanout.y = inner["mesh_y"].get<int64_t>() / from["mesh_y"].get<int64_t>();
    architecture.levels.push_back(level);
  }
  architecture.compute.energy_pj = source["compute"]["energy_per_op"].get<double>();
  return architecture;
}

// Appends one directive's loops to `loops`, innermost first; `step` holds the tile inside.
void ReadLoops(const Problem& problem, const json& directive, bool is_spatial,
               std::map<DimId, int64_t>* step, std::vector<Loop>* loops) {
  const json& permutation = directive["permutation_inner_to_outer"];
  for (size_t i = 0; i < permutation.size(); ++i) {
    const std::string name = permutation[i];
    const int64_t end = directive["factors"].at(name)[0];
    if (end == 1) continue;
    const DimId dim = FindDim(problem, name).value();
    const Axis axis = !is_spatial                            ? Axis::kTime
                      : i < directive["split"].get<size_t>() ? Axis::kX
                                                             : Axis::kY;
    loops->push_back({dim, step->emplace(dim, 1).first->second, axis});
    (*step)[dim] *= end;
  }
}

Mapping ReadMapping(const Problem& problem, const json& source) {
  Mapping mapping;
  const json& levels = source["levels"];
  mapping.levels.resize(levels.size());
  std::map<DimId, int64_t> step;
  for (size_t i = levels.size(); i-- > 0;) {
    LevelMapping& level = mapping.levels[LevelId(i)];
    for (const json& name : levels[i]["keep"]) {
      level.keep.insert(FindTensor(problem, name.get<std::string>()).value());
    }
    if (levels[i].contains("spatial") && !levels[i]["spatial"].is_null()) {
      ReadLoops(problem, levels[i]["spatial"], true, &step, &level.spatial);
    }
    ReadLoops(problem, levels[i]["temporal"], false, &step, &level.temporal);
    std::reverse(level.spatial.begin(), level.spatial.end());
    std::reverse(level.temporal.begin(), level.temporal.end());
  }
  return mapping;
}

TimeloopCase ReadCase(const std::filesystem::path& path) {
  std::ifstream file(path);
  const json source = json::parse(file);
  TimeloopCase result;
  result.id = source["id"];
  result.imperfect = source["imperfect"];
  result.problem = ReadProblem(source["case"]["problem"]);
  result.architecture = ReadArchitecture(source["case"]["architecture"]);
  result.mapping = ReadMapping(result.problem, source["case"]["mapping"]);
  result.result = source["result"];
  result.variants = source["variants"];
  const Faults faults = Validate(result.problem, result.architecture, result.mapping);
  if (!faults.empty()) throw std::runtime_error(result.id + ": " + faults.front().message);
  return result;
}

}  // namespace

const std::vector<TimeloopCase>& TimeloopCases() {
  static const std::vector<TimeloopCase> cases = [] {
    const std::string suffix = ".expected.json";
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(INLAY_SOURCE_DIR) / "tests/golden/timeloop")) {
      const std::string name = entry.path().filename();
      if (name.size() > suffix.size() && name.ends_with(suffix)) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<TimeloopCase> read;
    for (const auto& path : paths) read.push_back(ReadCase(path));
    return read;
  }();
  return cases;
}

}  // namespace inlay::golden
