#include "inlay/io/scalesim/config.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/suggest.h"
#include "inlay/io/scalesim/architecture.h"
#include "inlay/io/scalesim/ini.h"

namespace inlay::io {
namespace {

using scalesim::AsWholeNumber;
using scalesim::EqualsIgnoringCase;
using scalesim::Field;
using scalesim::Ini;
using scalesim::IniEntry;
using scalesim::SramSizes;

// Bytes; keeps the search for repeated keys short.
constexpr size_t kLargestConfig = size_t{1} << 20;
constexpr const char* kPresets = "architecture_presets";

// Every key of SCALE-Sim up to version 3, whether Inlay uses it or not.
struct KnownKey {
  const char* section;
  const char* key;
};
constexpr KnownKey kKnownKeys[] = {
    {"general", "run_name"},
    {kPresets, "ArrayHeight"},
    {kPresets, "ArrayWidth"},
    {kPresets, "IfmapSramSzkB"},
    {kPresets, "FilterSramSzkB"},
    {kPresets, "OfmapSramSzkB"},
    {kPresets, "IfmapOffset"},
    {kPresets, "FilterOffset"},
    {kPresets, "OfmapOffset"},
    {kPresets, "Dataflow"},
    {kPresets, "Bandwidth"},
    {kPresets, "MemoryBanks"},
    {kPresets, "ReadRequestBuffer"},
    {kPresets, "WriteRequestBuffer"},
    {"layout", "IfmapCustomLayout"},
    {"layout", "IfmapSRAMBankBandwidth"},
    {"layout", "IfmapSRAMBankNum"},
    {"layout", "IfmapSRAMBankPort"},
    {"layout", "FilterCustomLayout"},
    {"layout", "FilterSRAMBankBandwidth"},
    {"layout", "FilterSRAMBankNum"},
    {"layout", "FilterSRAMBankPort"},
    {"sparsity", "SparsitySupport"},
    {"sparsity", "SparseRep"},
    {"sparsity", "OptimizedMapping"},
    {"sparsity", "BlockSize"},
    {"sparsity", "RandomNumberGeneratorSeed"},
    {"run_presets", "InterfaceBandwidth"},
    {"run_presets", "UseRamulatorTrace"},
    {"network_presets", "TopologyCsvLoc"},
};

std::vector<std::string> Sections() {
  std::vector<std::string> sections;
  for (const KnownKey& known : kKnownKeys) {
    if (sections.empty() || sections.back() != known.section) sections.emplace_back(known.section);
  }
  return sections;
}

std::vector<std::string> KeysOf(std::string_view section) {
  std::vector<std::string> keys;
  for (const KnownKey& known : kKnownKeys) {
    if (EqualsIgnoringCase(known.section, section)) keys.emplace_back(known.key);
  }
  return keys;
}

class ConfigReader {
 public:
  ConfigReader(const Source& source, const Technology& technology)
      : source_(source), technology_(technology), ini_(scalesim::ParseIni(source, &diagnostics_)) {}

  Result<WithWarnings<ScaleSimConfig>> Read() {
    CheckKeys();
    ScaleSimConfig config;
    if (const IniEntry* name = ini_.Find("general", "run_name")) {
      config.run_name = std::string(name->value.text);
    }
    config.array.rows = Required("ArrayHeight", 1);
    config.array.columns = Required("ArrayWidth", 1);
    const SramSizes sizes{.inputs = Required("IfmapSramSzkB", 1024),
                          .weights = Required("FilterSramSzkB", 1024),
                          .outputs = Required("OfmapSramSzkB", 1024)};
    config.array.dataflow = ReadDataflow();
    const std::optional<int64_t> bandwidth = ReadBandwidth();
    WarnOfSparsity();
    config.architecture = scalesim::MakeArchitecture(config.array, sizes, bandwidth, technology_);
    if (!HasErrors(diagnostics_)) {
      for (const Fault& fault : Validate(config.architecture)) {
        diagnostics_.push_back(MakeError({source_.name, 0, 0}, fault.message, fault.hint));
      }
    }
    if (HasErrors(diagnostics_)) return Fail(std::move(diagnostics_));
    return WithWarnings<ScaleSimConfig>{std::move(config), std::move(diagnostics_)};
  }

 private:
  void CheckKeys() {
    for (const Field& section : ini_.sections) {
      if (!KeysOf(section.text).empty()) continue;
      Warn(section, "section '" + std::string(section.text) + "' is ignored",
           SuggestionHint(section.text, Sections()));
    }
    for (const IniEntry& entry : ini_.entries) {
      const std::vector<std::string> keys = KeysOf(entry.section);
      if (keys.empty() || std::any_of(keys.begin(), keys.end(), [&entry](const std::string& key) {
            return EqualsIgnoringCase(key, entry.key.text);
          })) {
        continue;
      }
      Warn(entry.key, "key '" + std::string(entry.key.text) + "' is ignored",
           SuggestionHint(entry.key.text, keys));
    }
  }

  // A whole number from 1, times `unit`; 1 after an error.
  int64_t Required(const char* key, int64_t unit) {
    const IniEntry* entry = ini_.Find(kPresets, key);
    if (entry == nullptr) {
      Missing(key);
      return 1;
    }
    const auto value = AsWholeNumber(entry->value.text);
    const auto scaled = value ? CheckedMultiply(*value, unit) : std::nullopt;
    if (scaled && *scaled >= 1) return *scaled;
    Error(entry->value, std::string(key) + " is '" + std::string(entry->value.text) + "'",
          "expected a whole number from 1");
    return 1;
  }

  Dataflow ReadDataflow() {
    const IniEntry* entry = ini_.Find(kPresets, "Dataflow");
    if (entry == nullptr) {
      Missing("Dataflow");
      return Dataflow::kOutputStationary;
    }
    if (const auto dataflow = DataflowFromShortName(entry->value.text)) return *dataflow;
    Error(entry->value, "unknown dataflow '" + std::string(entry->value.text) + "'",
          "expected os, ws or is");
    return Dataflow::kOutputStationary;
  }

  // Words per cycle between each SRAM and the DRAM; none where SCALE-Sim computes what it needs.
  std::optional<int64_t> ReadBandwidth() {
    const IniEntry* mode = ini_.Find("run_presets", "InterfaceBandwidth");
    if (mode == nullptr || EqualsIgnoringCase(mode->value.text, "CALC")) return std::nullopt;
    if (!EqualsIgnoringCase(mode->value.text, "USER")) {
      Error(mode->value, "InterfaceBandwidth is '" + std::string(mode->value.text) + "'",
            "expected CALC or USER");
      return std::nullopt;
    }
    const IniEntry* entry = ini_.Find(kPresets, "Bandwidth");
    if (entry == nullptr) {
      Error(mode->value, "InterfaceBandwidth is USER, but there is no Bandwidth",
            "add 'Bandwidth: 10' to [architecture_presets], or say CALC");
      return std::nullopt;
    }
    // SCALE-Sim takes a list and uses its first number.
    std::optional<int64_t> first;
    for (const Field& field : scalesim::Split(entry->value, ',')) {
      const auto value = AsWholeNumber(field.text);
      if (!value || *value < 1) {
        Error(field, "a bandwidth is '" + std::string(field.text) + "'",
              "expected whole numbers from 1, in words per cycle");
        return std::nullopt;
      }
      if (!first) first = value;
    }
    return first;
  }

  void WarnOfSparsity() {
    const IniEntry* support = ini_.Find("sparsity", "SparsitySupport");
    if (support == nullptr || !EqualsIgnoringCase(support->value.text, "true")) return;
    Warn(support->key, "sparsity is ignored: every layer is dense", "");
  }

  void Missing(const char* key) {
    diagnostics_.push_back(MakeError({source_.name, 0, 0}, std::string("there is no ") + key,
                                     "add it to the section [architecture_presets]"));
  }
  void Error(const Field& at, std::string message, std::string hint) {
    diagnostics_.push_back(scalesim::ErrorAt(source_, at, std::move(message), std::move(hint)));
  }
  void Warn(const Field& at, std::string message, std::string hint) {
    diagnostics_.push_back(scalesim::WarningAt(source_, at, std::move(message), std::move(hint)));
  }

  const Source& source_;
  const Technology& technology_;
  Diagnostics diagnostics_;  // before ini_, which reports into it
  Ini ini_;
};

}  // namespace

Result<WithWarnings<ScaleSimConfig>> ReadScaleSimConfig(const Source& source,
                                                        const Technology& technology) {
  if (source.text.size() > kLargestConfig) {
    return Fail(MakeError({source.name, 0, 0},
                          "the file is too large for a SCALE-Sim configuration",
                          "its sections and keys take less than 1 MiB"));
  }
  return ConfigReader(source, technology).Read();
}

}  // namespace inlay::io
