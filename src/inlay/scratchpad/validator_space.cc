#include "inlay/scratchpad/validator_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace inlay {
namespace {

void CheckPlace(const Machine& machine, const TakenSpace& space, Faults* faults) {
  const Scratchpad& pad = machine.pads[space.pad];
  const int64_t alignment = pad.alignment_bytes;
  if (space.address < 0 || space.address % alignment != 0) {
    faults->push_back(
        {space.where,
         fmt::format("{} lies at address {} of '{}'", space.what, space.address, pad.name),
         fmt::format("addresses there are multiples of {}", alignment)});
  } else if (space.bytes > pad.bytes || space.address > pad.bytes - space.bytes) {
    faults->push_back({space.where,
                       fmt::format("{} of {} bytes at address {} ends outside '{}'", space.what,
                                   space.bytes, space.address, pad.name),
                       fmt::format("'{}' has {} bytes", pad.name, pad.bytes)});
  }
}

bool Disjoint(const TakenSpace& a, const TakenSpace& b) {
  return a.address >= b.address + b.bytes || b.address >= a.address + a.bytes;
}

// `a` begins no later than `b`; both are there at b.from.
bool MayShare(const TakenSpace& a, const TakenSpace& b, const std::vector<InPlacePair>& pairs) {
  if (a.address != b.address || a.workspace || b.workspace) return false;
  // What is overwritten leaves with this step.
  const auto is_pair = [&](const TakenSpace& read, const TakenSpace& written) {
    return read.to == b.from + 1 &&
           std::find(pairs.begin(), pairs.end(),
                     InPlacePair{read.tensor, written.tensor, b.from}) != pairs.end();
  };
  return is_pair(a, b) || is_pair(b, a);
}

}  // namespace

Faults CheckSpaces(const Machine& machine, std::vector<TakenSpace> spaces,
                   const std::vector<InPlacePair>& pairs) {
  Faults faults;
  for (const TakenSpace& space : spaces) CheckPlace(machine, space, &faults);
  if (!faults.empty()) return faults;
  std::stable_sort(spaces.begin(), spaces.end(), [](const TakenSpace& a, const TakenSpace& b) {
    return std::pair(a.pad, a.from) < std::pair(b.pad, b.from);
  });
  std::vector<const TakenSpace*> present;
  for (const TakenSpace& space : spaces) {
    present.erase(std::remove_if(present.begin(), present.end(),
                                 [&](const TakenSpace* other) {
                                   return other->pad != space.pad || other->to <= space.from;
                                 }),
                  present.end());
    for (const TakenSpace* other : present) {
      if (Disjoint(*other, space) || MayShare(*other, space, pairs)) continue;
      faults.push_back(
          {space.where,
           fmt::format("{} and {} lie at the same addresses of '{}' in step {}", space.what,
                       other->what, machine.pads[space.pad].name, space.from),
           "no two tensors may share bytes in a step"});
    }
    present.push_back(&space);
  }
  return faults;
}

}  // namespace inlay
