#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/io/timeloop/components.h"
#include "inlay/io/timeloop/fields.h"

namespace inlay::io::timeloop {

// What a technology would have to see of a level, or of the compute, to price it as its class says;
// a class that is not known leaves it as it is, but for its energies.
Level AsClass(const Component& component, int64_t cluster_size, const Level& level);
Compute AsClass(const Component& component, const Compute& compute);

// Prices components by their Accelergy class and node where files hold no ERT:
//
// | class, or else subclass                              | priced as                            |
// | DRAM                                                 | a kind of memory off chip, by `type` |
// |                                                      | (LPDDR4)                             |
// | SRAM, smartbuffer_SRAM and others with SRAM in them  | a memory on chip, depth × width      |
// | regfile, smartbuffer_RF, …register                   | registers, depth × width             |
// | intmac, mac                                          | integers of multiplier_width, width  |
// |                                                      | or datawidth bits                    |
// | fpmac                                                | fp16 or fp32, by exponent + mantissa |
//
// by the built-in technologies cmos-NODE, which have to be on both sides of `technology` ("45nm");
// between two of them linearly, as Accelergy does it. Banks, and what a class adds to its memory
// (address generators, counters), are left out.
class ClassPrices {
 public:
  explicit ClassPrices(bool has_ert) : has_ert_(has_ert) {}

  // Gives a level that is otherwise read its energies, leakage and note. False: the class, its type
  // or the node is not known, or there is an ERT.
  bool Price(const Component& component, int64_t cluster_size, Level* level);
  bool Price(const Component& component, Compute* compute);

  // Says which components were priced so.
  void Warn(const Node& section, Report* report) const;

 private:
  struct Neighbours {
    const Technology* low = nullptr;
    const Technology* high = nullptr;
    double share = 0;  // of the way from low to high
    std::string names;
  };
  std::optional<Neighbours> TechnologiesOf(const Component& component);
  const Technology* Load(const std::string& name);
  void Note(const Component& component, const std::string& what, const std::string& technologies);

  bool has_ert_ = false;
  std::map<std::string, Technology> loaded_;
  std::vector<std::string> priced_;  // "'GLB' as smartbuffer_SRAM"
  std::string technologies_;
};

}  // namespace inlay::io::timeloop
