#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/architecture.h"
#include "inlay/core/machine.h"

namespace inlay {

// What results say of the hardware: architectures and machines with numbers in the units of their
// keys, and what follows from the files (instances, energies by technology) besides what they say.

using NamedCounts = std::vector<std::pair<std::string, int64_t>>;

struct ShownPartition {
  MemoryKind kind = MemoryKind::kSram;
  int word_bits = 16;
  std::optional<int64_t> capacity_words = {};
  AccessEnergy energy;
  bool operator==(const ShownPartition&) const = default;
};
struct ShownFanout {
  std::string name;
  int64_t x = 1, y = 1;
  std::string multicast;
  bool reduce = true;
  double skew_cycles = 0;
  bool operator==(const ShownFanout&) const = default;
};
struct ShownLevel {
  std::string name;
  MemoryKind kind = MemoryKind::kSram;
  MemoryPorts ports = MemoryPorts::kReadOrWrite;
  std::string dram = {};
  int word_bits = 16;
  NamedCounts tensor_bits = {};
  int64_t instances = 1;
  std::optional<int64_t> capacity_words = {};
  std::optional<AccessEnergy> energy = {};  // of levels without partitions
  std::vector<std::pair<std::string, ShownPartition>> partitions = {};
  int64_t block_words = 1;
  double buffering = 1;
  std::optional<double> read_bandwidth = {}, write_bandwidth = {}, shared_bandwidth = {};
  double leakage_pj_per_cycle = 0;
  double latency_cycles = 0, transfer_cycles = 0;
  Overlap overlap = Overlap::kStream;
  std::optional<std::vector<std::string>> keep = {}, bypass = {};
  std::string note;
  ShownFanout fanout;
  bool operator==(const ShownLevel&) const = default;
};
struct ShownCompute {
  std::string name;
  int word_bits = 16;
  std::string type = {};
  int64_t instances = 1;
  double energy_pj = 0;
  bool operator==(const ShownCompute&) const = default;
};
struct ShownVectorUnit {
  std::string name;
  std::vector<std::string> ops;
  std::string below;  // a level or a fan-out
  int64_t instances = 1;
  double ops_per_cycle = 0;
  double energy_pj = 0;
  bool operator==(const ShownVectorUnit&) const = default;
};
struct ShownArchitecture {
  std::string name;
  std::vector<ShownLevel> levels = {};
  ShownCompute compute;
  std::vector<ShownVectorUnit> vector_units = {};
  std::optional<double> area_um2 = {};
  std::optional<double> clock_hz = {};
  double launch_cycles = 0;
  std::optional<double> power_limit_w = {};
  double idle_w = 0;
  bool operator==(const ShownArchitecture&) const = default;
};

struct ShownUnit {
  std::optional<std::string> arch = {};
  std::optional<double> macs_per_second = {};
  std::optional<double> vector_ops_per_second = {};
  bool operator==(const ShownUnit&) const = default;
};
struct ShownMemory {
  int64_t bytes = 0, alignment_bytes = 1;
  std::optional<double> bytes_per_second = {};
  double pj_per_byte = 0;
  std::vector<std::string> reached_by = {};
  bool operator==(const ShownMemory&) const = default;
};
struct ShownDma {
  int64_t engines = 1;
  std::vector<std::vector<std::string>> moves = {};  // pairs
  bool operator==(const ShownDma&) const = default;
};
struct ShownMachine {
  std::string name;
  double clock_hz = 0;
  std::vector<std::pair<std::string, ShownUnit>> units = {};
  std::vector<std::pair<std::string, ShownMemory>> memories = {};
  OffChip offchip;
  ShownDma dma;
  bool operator==(const ShownMachine&) const = default;
};

const Structure& StructureOf(const ShownArchitecture*);
const Structure& StructureOf(const ShownMachine*);

ShownArchitecture Show(const Architecture& architecture);
ShownMachine Show(const Machine& machine);

}  // namespace inlay
