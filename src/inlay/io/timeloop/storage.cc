#include "inlay/io/timeloop/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/io/timeloop/attributes.h"

namespace inlay::io::timeloop {
namespace {

constexpr int kDefaultWordBits = 16;

class StorageReader {
 public:
  StorageReader(const Component& component, Report* report)
      : component_(component), report_(report), attributes_(component, report) {
    level_.name = component.name;
  }

  Storage Read(const EnergyTables& tables, ClassPrices* prices,
               std::vector<Constraint>* constraints, std::vector<std::string>* defaulted) {
    ReadKind();
    level_.word_bits = ReadWordBits();
    ReadBlock();
    ReadCapacity();
    ReadBandwidths();
    if (const auto buffering = attributes_.TakeNumber({"multiple_buffering"})) {
      level_.buffering = *buffering;
    }
    if (const auto least = attributes_.TakeNumber({"min_utilization"}); least && *least != 0) {
      Constraint constraint;
      constraint.at = level_.name;
      constraint.min_utilization = *least;
      constraints->push_back(constraint);
    }
    ReadEnergy(tables, prices, defaulted);
    IgnoreOthers();
    attributes_.RefuseRest();
    return {std::move(level_), cluster_size_};
  }

 private:
  void ReadKind() {
    const Node* technology = attributes_.Take({"technology"});
    const bool dram = technology != nullptr && technology->IsScalar() && technology->text == "DRAM";
    if (dram || component_.class_name.find("DRAM") != std::string::npos) {
      level_.kind = MemoryKind::kDram;
    } else if (component_.class_name.find("regfile") != std::string::npos) {
      level_.kind = MemoryKind::kRegister;
    }
  }

  // A whole number from `least`; nothing if it is absent or wrong.
  std::optional<int64_t> TakeSize(std::initializer_list<std::string_view> synonyms,
                                  int64_t least = 1) {
    const size_t before = report_->errors.size();
    const auto value = attributes_.TakeInt(synonyms);
    if (report_->errors.size() > before) return std::nullopt;
    if (value && *value < least) {
      report_->Error(*component_.node, fmt::format("{} of '{}' must be at least {}, found {}",
                                                   *synonyms.begin(), level_.name, least, *value));
      return std::nullopt;
    }
    return value;
  }

  int ReadWordBits() {
    const auto bits = TakeSize({"word_bits", "word_width", "datawidth"});
    return static_cast<int>(
        std::min<int64_t>(bits.value_or(kDefaultWordBits), std::numeric_limits<int>::max()));
  }

  void ReadBlock() {
    const int64_t block = TakeSize({"block_size", "n_words"}, 0).value_or(0);  // 0: as good as none
    const auto cluster = TakeSize({"cluster_size"});
    const auto width = TakeSize({"width", "memory_width", "data_storage_width"});
    cluster_size_ = cluster.value_or(1);
    level_.block_words = std::max<int64_t>(block, 1);
    if (width) {
      const int64_t words = *width / level_.word_bits;
      if (block > 0 && !cluster) cluster_size_ = words / block;
      if (block == 0) level_.block_words = words / cluster_size_;
      const auto product = CheckedMultiply(
          level_.word_bits, CheckedMultiply(level_.block_words, cluster_size_).value_or(0));
      if (product != width) {
        report_->Error(
            *component_.node,
            fmt::format("width of '{}' is {}, but word_bits × block_size × cluster_size = {} × {} "
                        "× {}",
                        level_.name, *width, level_.word_bits, level_.block_words, cluster_size_),
            "give two of width, block_size and cluster_size so that they agree");
        level_.block_words = cluster_size_ = 1;
      }
    }
    if (cluster_size_ > 1) {
      report_->Warn(*component_.node,
                    fmt::format("'{}' has a cluster_size of {}, which is not "
                                "modelled",
                                level_.name, cluster_size_),
                    "energies are those of each access by itself");
    }
  }

  void ReadCapacity() {
    const auto entries = TakeSize({"entries"}, 0);
    const auto depth = TakeSize({"depth", "memory_depth", "data_storage_depth"}, 0);
    const auto kilobytes = attributes_.TakeNumber({"sizeKB"});
    std::optional<int64_t> words;
    const auto agree = [&](std::optional<int64_t> other, std::string_view how) {
      if (!other) {
        report_->Error(*component_.node,
                       fmt::format("the capacity of '{}' does not fit into 64 bits", level_.name));
      } else if (words && *words != *other) {
        report_->Error(*component_.node,
                       fmt::format("'{}' has {} words by one attribute and {} by '{}'", level_.name,
                                   *words, *other, how),
                       "give one of entries, depth and sizeKB");
      }
      words = words ? words : other;
    };
    if (entries) agree(entries, "entries");
    if (depth) agree(CheckedMultiply(*depth, level_.block_words), "depth");
    if (kilobytes) {
      const double size = *kilobytes * 8192 / level_.word_bits;
      const bool fits = size >= 1 && size < 9e18;
      agree(fits ? std::optional<int64_t>(static_cast<int64_t>(size)) : std::nullopt, "sizeKB");
    }
    if (words && *words == 0) {  // a place for a fan-out, which can hold nothing
      level_.bypass = TensorNameSet{true, {}};
    } else {
      level_.capacity_words = words;
    }
  }

  void ReadBandwidths() {
    if (const auto both = attributes_.TakeNumber({"bandwidth"})) {
      level_.read_bandwidth = level_.write_bandwidth = *both / 2;
      report_->Warn(
          *component_.node,
          fmt::format("'bandwidth' of '{}' is taken as half for reads and half for writes, "
                      "as Timeloop takes it",
                      level_.name),
          "give read_bandwidth and write_bandwidth");
    }
    if (const auto read = attributes_.TakeNumber({"read_bandwidth"})) level_.read_bandwidth = *read;
    if (const auto write = attributes_.TakeNumber({"write_bandwidth"})) {
      level_.write_bandwidth = *write;
    }
    level_.shared_bandwidth = attributes_.TakeNumber({"shared_bandwidth"});
  }

  void ReadEnergy(const EnergyTables& tables, ClassPrices* prices,
                  std::vector<std::string>* defaulted) {
    if (const auto energy = attributes_.TakeNumber({"vector_access_energy"})) {
      level_.energy = {*energy, *energy, *energy};
      return;
    }
    if (prices->Price(component_, cluster_size_, &level_)) return;
    const double fallback = DefaultAccessEnergy(level_, cluster_size_);
    const EnergyTable* table = tables.Find(level_.name);
    std::optional<double> read, fill, update;
    if (table != nullptr) {
      read = table->Of({"random_read", "read"});
      fill = table->Of({"random_fill", "random_write", "fill", "write"});
      update = table->Of({"random_update", "random_write", "update", "write"});
      level_.leakage_pj_per_cycle = table->Of({"leak"}).value_or(0);
    }
    if (!read || !fill || !update) defaulted->push_back(level_.name);
    level_.energy = {read.value_or(fallback), fill.value_or(fallback), update.value_or(fallback)};
  }

  void IgnoreOthers() {
    attributes_.WarnIfSet("allow_overbooking", 0);
    attributes_.WarnIfSet("reduction_supported", 1);
    attributes_.WarnIfSet("network_fill_latency", 0);
    attributes_.WarnIfSet("network_drain_latency", 0);
    attributes_.WarnIfSet("addr_gen_energy", 0);
    attributes_.WarnIfSet("per_dataspace_bandwidth_consumption_scale", 1);
    attributes_.WarnIfSet("energy_scale", 1);
    attributes_.Ignore({"num_ports",      "n_ports",
                        "num_banks",      "n_banks",
                        "n_rd_ports",     "n_wr_ports",
                        "n_rdwr_ports",   "n_rw_ports",
                        "type",           "memory_type",
                        "network_read",   "network_fill",
                        "network_drain",  "network_update",
                        "cluster_area",   "area_scale",
                        "power_gated_at", "has_power_gating",
                        "latency",        "cycle_time",
                        "cycle_seconds",  "global_cycle_seconds",
                        "voltage",        "temperature"});
    attributes_.Ignore({"metadata_storage_depth", "metadata_storage_width", "metadata_datawidth",
                        "metadata_word_bits", "metadata_block_size", "compression_supported",
                        "decompression_supported", "tile_partition_supported",
                        "concordant_compressed_tile_traversal", "network_type", "network_word_bits",
                        "router_energy", "wire_energy", "tile_width"});
  }

  const Component& component_;
  Report* report_;
  Attributes attributes_;
  Level level_;
  int64_t cluster_size_ = 1;
};

}  // namespace

Storage ReadStorage(const Component& component, const EnergyTables& tables, ClassPrices* prices,
                    std::vector<Constraint>* constraints, std::vector<std::string>* defaulted,
                    Report* report) {
  return StorageReader(component, report).Read(tables, prices, constraints, defaulted);
}

Compute ReadCompute(const Component& component, const EnergyTables& tables, ClassPrices* prices,
                    std::vector<std::string>* defaulted, Report* report) {
  Attributes attributes(component, report);
  Compute compute;
  compute.name = component.name;
  const int64_t bits =
      attributes.TakeInt({"word_bits", "word_width", "datawidth"}).value_or(kDefaultWordBits);
  if (bits < 1 || bits > std::numeric_limits<int>::max()) {
    report->Error(*component.node, fmt::format("word_bits of '{}' is {}", component.name, bits),
                  "word_bits must be a whole number from 1");
  } else {
    compute.word_bits = static_cast<int>(bits);
  }
  compute.energy_pj = attributes.TakeNumber({"energy"});
  const EnergyTable* table = tables.Find(component.name);
  if (table != nullptr) {
    if (const auto energy =
            table->Of({"random_compute", "mac_random", "mult_random", "mac", "mult", "compute"})) {
      compute.energy_pj = *energy;
    }
    if (table->Of({"leak"}).value_or(0) > 0) {
      report->Warn(*table->node,
                   fmt::format("the leakage of '{}' is not modelled", component.name));
    }
  }
  if (!compute.energy_pj && !prices->Price(component, &compute)) {
    compute.energy_pj = DefaultComputeEnergy(compute.word_bits);
    defaulted->push_back(component.name);
  }
  attributes.WarnIfSet("energy_scale", 1);
  attributes.Ignore({"area", "area_scale", "network_operand", "network_result", "technology",
                     "multiplier_width", "adder_width", "num_pipeline_stages", "latency",
                     "cycle_time", "cycle_seconds", "global_cycle_seconds", "power_gated_at",
                     "has_power_gating", "voltage", "temperature", "type", "width", "n_instances"});
  attributes.RefuseRest();
  return compute;
}

}  // namespace inlay::io::timeloop
