#include "cli/map_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/emit_program.h"
#include "inlay/base/check.h"
#include "inlay/emit/emit_c.h"
#include "inlay/io/native/native.h"
#include "inlay/io/timeloop/map_text.h"
#include "inlay/io/timeloop/write.h"

namespace inlay::cli {
namespace {

bool IsHarmless(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// "K 16 instead of 15", of every bound that was rounded up; "" if none was.
std::string PaddedBounds(const Problem& asked_for, const Problem& computed) {
  std::string bounds;
  for (DimId d : Ids(computed.dims)) {
    const Dimension& dim = computed.dims[d];
    if (dim.bound == asked_for.dims[d].bound) continue;
    bounds += fmt::format("{}{} {} instead of {}", bounds.empty() ? "" : ", ", dim.name, dim.bound,
                          asked_for.dims[d].bound);
  }
  return bounds;
}

// The problem that the mapping for Timeloop is of, its dimensions named as there.
std::string TimeloopProblem(const Problem& asked_for, const Problem& computed) {
  auto text = io::WriteTimeloop(&computed, nullptr, nullptr, io::TimeloopVersion::k03);
  INLAY_CHECK(text.has_value());  // the names that the mapping could be written with
  const std::string bounds = PaddedBounds(asked_for, computed);
  return (bounds.empty() ? "" : fmt::format("# The padded problem: {}\n", bounds)) + *text;
}

std::vector<OutputFile> FilesOf(const Layer& layer, const Architecture& architecture,
                                const Solution& solution) {
  const auto& [problem, mapping, cost] = solution;
  std::vector<OutputFile> files = {
      {"mapping.yaml", MappingText(layer.problem, problem, architecture, mapping)},
      {"map.txt", io::WriteMapText(problem, architecture, mapping)}};
  if (auto timeloop = io::WriteTimeloopMapping(problem, architecture, mapping)) {
    files.push_back({"timeloop-mapping.yaml", *std::move(timeloop)});
    files.push_back({"timeloop-problem.yaml", TimeloopProblem(layer.problem, problem)});
  }
  return files;
}

}  // namespace

std::string MappingText(const Problem& asked_for, const Problem& computed,
                        const Architecture& architecture, const Mapping& mapping) {
  std::string text = io::WriteNative(computed, architecture, mapping);
  const std::string bounds = PaddedBounds(asked_for, computed);
  if (bounds.empty()) return text;
  return fmt::format(
             "# A mapping of a padded problem, which stands here with it: {}.\n"
             "# 'inlay eval' given this file by --mapping evaluates the padded problem.\n",
             bounds) +
         io::WriteNative(computed) + "---\n" + text;
}

std::vector<std::string> FolderNames(const Network& network) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) {
    std::string name = layer.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !IsHarmless(c); }, '_');
    if (name.empty() || name.front() == '.' || name.front() == '-') name.insert(0, 1, '_');
    // Some file systems take upper and lower case for the same, and none takes more than 255 bytes.
    constexpr size_t kLongest = 100;
    name.resize(std::min(name.size(), kLongest));
    const auto key = [](std::string text) {
      std::transform(text.begin(), text.end(), text.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      return text;
    };
    std::string unique = name;
    for (int i = 2; !taken.insert(key(unique)).second; ++i) {
      unique = name + "-" + std::to_string(i);
    }
    names.push_back(std::move(unique));
  }
  return names;
}

std::vector<OutputFile> LayerFiles(const Network& network, const Architecture& architecture,
                                   const std::vector<LayerAnswer>& answers, bool emits) {
  const std::vector<std::string> folders = FolderNames(network);
  std::vector<OutputFile> files;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].best) continue;
    const Solution& best = *answers[i].best;
    std::vector<OutputFile> own = FilesOf(network.layers[i], architecture, best);
    if (emits) own.push_back(ProgramFile(EmitC(best.problem, architecture, best.mapping)));
    for (OutputFile& file : own) {
      if (answers.size() > 1) file.name = "layers/" + folders[i] + "/" + file.name;
      files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace inlay::cli
