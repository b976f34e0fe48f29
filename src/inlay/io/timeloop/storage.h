#pragma once

#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/io/timeloop/class_prices.h"
#include "inlay/io/timeloop/components.h"
#include "inlay/io/timeloop/energy.h"
#include "inlay/io/timeloop/fields.h"

namespace inlay::io::timeloop {

// A storage level without its fan-out and its tensors. `defaulted` gets the name of the level if
// the files give no energies for it and its class has no price.
//
// | attributes                                               | become                            |
// | word_bits, word_width, datawidth (16)                     | word_bits                         |
// | width, block_size, n_words, cluster_size                  | block_words: width = word_bits ×  |
// |                                                           | block_size × cluster_size         |
// | entries, depth (× block_size), sizeKB                     | capacity_words                    |
// | bandwidth (half each), {read,write,shared}_bandwidth      | the bandwidths                    |
// | multiple_buffering                                        | buffering                         |
// | vector_access_energy, or the ERT, or the class' price     | energy                            |
// | (class_prices.h), or Timeloop's built-in figures          |                                   |
// | technology: DRAM, a class with DRAM or regfile in it      | kind                              |
// | min_utilization                                           | a constraint                      |
// | ports, banks, networks by name, areas, metadata_*,        | nothing: Timeloop's counts,       |
// | *compress*, power gating, cycle and technology of         | cycles and energies do not depend |
// | Accelergy                                                 | on them for dense tensors         |
// | allow_overbooking, latencies of networks, addr_gen_energy,| nothing, with a warning unless    |
// | reduction_supported, per_dataspace_bandwidth_…, clusters  | they are at their neutral value   |
struct Storage {
  Level level;
  int64_t cluster_size = 1;  // instances of the level that are one memory for Accelergy
};
Storage ReadStorage(const Component& component, const EnergyTables& tables, ClassPrices* prices,
                    std::vector<Constraint>* constraints, std::vector<std::string>* defaulted,
                    Report* report);

Compute ReadCompute(const Component& component, const EnergyTables& tables, ClassPrices* prices,
                    std::vector<std::string>* defaulted, Report* report);

}  // namespace inlay::io::timeloop
