#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/mix.h"
#include "inlay/core/network.h"
#include "inlay/core/network_totals.h"
#include "inlay/core/problem.h"
#include "inlay/core/repricing.h"
#include "inlay/core/result.h"
#include "inlay/core/shown_hardware.h"
#include "inlay/core/study.h"
#include "inlay/core/technology.h"

namespace inlay {

// What result.json of `show` says of each thing: numbers in the units of their keys, and what
// follows from the files (instances, energies by technology, sizes of tensors) besides what they
// say.

struct ShownTensor {
  std::string projection;
  int64_t words = 0;
  bool output = false;
};
struct ShownProblem {
  std::string name;
  NamedCounts dims = {};
  int64_t operations = 0;
  std::vector<std::pair<std::string, ShownTensor>> tensors = {};
};

struct ShownArrivals {
  std::optional<double> per_second = {};  // at random
  std::optional<int64_t> count = {};
  std::optional<uint64_t> seed = {};
  std::optional<std::vector<double>> seconds = {};  // at given times
};
struct ShownWorkload {
  std::string network;
  int64_t batch = 1;
  std::optional<ShownArrivals> arrivals = {};  // none: one batch at the start
};
struct ShownMix {
  std::string name;
  Accelerator accelerator;
  std::vector<ShownWorkload> workloads = {};
  std::vector<std::pair<std::string, std::string>> options = {};
};

struct ShownMac {
  double energy_pj = 0, area_um2 = 0;
};
struct ShownTechnology {
  std::string name;
  std::optional<double> node_nm = {};
  std::string note = {};
  int word_bits = 16;
  std::optional<ShownMac> mac = {};
  std::vector<Arithmetic> arithmetic = {};
  std::optional<Wire> wire = {};
  std::optional<MemoryTechnology> dram = {};
  std::vector<DramKind> dram_kinds = {};
  MemoryTechnology sram = {}, reg = {};
};

struct ShownLayer {
  std::string name, kind;
  int64_t repeat = 1;
  NamedCounts dims = {};
  int64_t operations = 0;
};
// At the top level of the result, as the contract says; everything else has a key of its own.
struct ShownNetwork {
  std::string name;
  NetworkTotals totals;
  std::vector<ShownLayer> layers = {};
};

struct ShownGrid {
  std::string run;
  // The labels of each axis; of an axis with more than kMostListed a text for each of its entries,
  // with ranges such as "x=1…65536".
  std::vector<std::pair<std::string, std::vector<std::string>>> axes = {};
};
struct ShownClaim {
  std::string what, paper;
};
struct ShownStudy {
  std::string name;
  std::vector<ShownGrid> grids = {};
  std::vector<ShownClaim> claims = {};
};

struct ShowResult {
  ResultHeader header;
  std::optional<ShownNetwork> network = {};
  std::optional<ShownProblem> problem = {};
  std::optional<ShownArchitecture> architecture = {};
  std::optional<ShownMachine> machine = {};
  std::optional<Accelerator> accelerator = {};
  std::optional<ShownMix> mix = {};
  std::optional<ShownTechnology> technology = {};
  std::optional<Repricing> repricing = {};
  std::optional<ShownStudy> study = {};
  std::optional<std::vector<std::string>> mapping = {};  // native lines
};
const Structure& StructureOf(const ShowResult*);

ShownProblem Show(const Problem& problem);
ShownMix Show(const Mix& mix);
ShownTechnology Show(const Technology& technology);
ShownNetwork Show(const Network& network, const NetworkTotals& totals);
ShownStudy Show(const Study& study);

}  // namespace inlay
