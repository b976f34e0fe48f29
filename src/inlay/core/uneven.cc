#include "inlay/core/uneven.h"

#include <algorithm>

namespace inlay {

EvenForm EvenFormOf(const Mapping& mapping) {
  EvenForm form;
  for (LevelId l : Ids(mapping.levels)) {
    const LevelMapping& level = mapping.levels[l];
    std::vector<size_t> places = {0};  // of the temporal loops before which tensors enter
    for (const LateEntry& entry : level.late) places.push_back(entry.loops);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (size_t i = 0; i < places.size(); ++i) {
      LevelMapping part;
      if (i == 0) {
        part.keep = level.keep;
        for (const LateEntry& entry : level.late) part.keep.erase(entry.tensor);
      }
      for (const LateEntry& entry : level.late) {
        if (entry.loops == places[i]) part.keep.insert(entry.tensor);
      }
      const bool last = i + 1 == places.size();
      const size_t end = last ? level.temporal.size() : places[i + 1];
      part.temporal.assign(level.temporal.begin() + static_cast<std::ptrdiff_t>(places[i]),
                           level.temporal.begin() + static_cast<std::ptrdiff_t>(end));
      if (last) part.spatial = level.spatial;
      form.mapping.levels.push_back(std::move(part));
      form.origin.push_back(l);
    }
  }
  return form;
}

Mapping FromEvenForm(const Mapping& even, const IndexedVector<LevelId, LevelId>& origin,
                     size_t levels) {
  Mapping mapping;
  mapping.levels.resize(levels);
  for (LevelId part : Ids(even.levels)) {
    const LevelMapping& from = even.levels[part];
    LevelMapping& to = mapping.levels[origin[part]];
    for (size_t t = 0; t < 64; ++t) {
      if (!from.keep.contains(TensorId(t))) continue;
      to.keep.insert(TensorId(t));
      if (!to.temporal.empty()) to.late.push_back({TensorId(t), to.temporal.size()});
    }
    to.temporal.insert(to.temporal.end(), from.temporal.begin(), from.temporal.end());
    to.spatial.insert(to.spatial.end(), from.spatial.begin(), from.spatial.end());
  }
  for (LevelMapping& level : mapping.levels) {
    std::sort(level.late.begin(), level.late.end(),
              [](const LateEntry& a, const LateEntry& b) { return a.tensor < b.tensor; });
  }
  return mapping;
}

}  // namespace inlay
