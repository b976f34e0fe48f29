#include "inlay/core/network.h"

#include <set>

namespace inlay {

Faults Validate(const Network& network) {
  Faults faults;
  if (network.layers.empty()) faults.push_back({"layers", "the network has no layers", ""});
  std::set<std::string> seen;
  for (const Layer& layer : network.layers) {
    const std::string where = "layers." + layer.name;
    if (!seen.insert(layer.name).second) {
      faults.push_back({where, "layer '" + layer.name + "' is declared twice", ""});
    }
    if (layer.repeat < 1) {
      faults.push_back({where + ".repeat", "repeat must be a whole number from 1", ""});
    }
    for (Fault& fault : Validate(layer.problem)) {
      fault.where = where + "." + fault.where;
      faults.push_back(fault);
    }
  }
  return faults;
}

}  // namespace inlay
