#pragma once

#include <string>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/machine.h"
#include "inlay/core/mix.h"
#include "inlay/core/network.h"
#include "inlay/core/network_totals.h"
#include "inlay/core/problem.h"
#include "inlay/core/result.h"
#include "inlay/core/study.h"
#include "inlay/core/technology.h"

namespace inlay::io {

// Results of `show`. A network is at the top level of the result, as the contract says; everything
// else has a key of its own.
struct ShowResult {
  ResultHeader header;
  const Network* network = nullptr;
  NetworkTotals totals;  // of the network
  const Problem* problem = nullptr;
  const Architecture* architecture = nullptr;
  const Machine* machine = nullptr;
  const Accelerator* accelerator = nullptr;
  const Mix* mix = nullptr;
  const Technology* technology = nullptr;
  const Study* study = nullptr;
  const std::vector<std::string>* mapping = nullptr;  // native lines
};
std::string WriteShowResult(const ShowResult& result);

}  // namespace inlay::io
