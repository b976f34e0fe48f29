#include "inlay/core/study_points.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "inlay/base/check.h"

namespace inlay {

StudyPoints::StudyPoints(Study outline)
    : outline_(std::make_shared<const Study>(std::move(outline))), numbers_(*outline_) {}

template <typename Points>
auto StudyPoints::FindIn(Points& points, size_t index) -> decltype(points.places_.data()) {
  const auto place =
      std::lower_bound(points.places_.begin(), points.places_.end(), index,
                       [](const Place& known, size_t number) { return known.index < number; });
  if (place != points.places_.end() && place->index == index) return &*place;
  const auto late = points.late_.find(index);
  return late == points.late_.end() ? nullptr : &late->second;
}

const StudyPoints::Place* StudyPoints::Find(size_t index) const { return FindIn(*this, index); }

bool StudyPoints::HasRun(size_t index) const { return Find(index) != nullptr; }

StudyPoints::Place& StudyPoints::Make(size_t index) {
  INLAY_CHECK(index < size());
  if (Place* known = FindIn(*this, index)) return *known;
  if (places_.empty() || places_.back().index < index) {
    return places_.emplace_back(Place{index, 0, 0, kNone});
  }
  constexpr size_t kFew = 1000;
  if (late_.size() >= kFew + places_.size() / 8) {
    TakeLate();
    return Make(index);
  }
  return late_[index] = Place{index, 0, 0, kNone};
}

void StudyPoints::TakeLate() {
  const auto middle = static_cast<std::ptrdiff_t>(places_.size());
  for (const auto& [index, place] : late_) places_.push_back(place);
  late_.clear();
  std::inplace_merge(places_.begin(), places_.begin() + middle, places_.end(),
                     [](const Place& a, const Place& b) { return a.index < b.index; });
}

StudyPoint StudyPoints::PointAt(const Place& place) const {
  return place.file == kNone ? *held_[place.offset]
                             : files_[place.file]->Read(place.offset, place.size);
}

StudyPoint StudyPoints::operator[](size_t index) const {
  if (const Place* place = Find(index)) return PointAt(*place);
  StudyPoint point;
  point.settings = SettingsOf(index);
  return point;
}

void StudyPoints::Put(size_t index, StudyPoint point) {
  Make(index) = {index, held_.size(), 0, kNone};
  held_.push_back(std::make_shared<const StudyPoint>(std::move(point)));
}

void StudyPoints::Put(size_t index, const std::shared_ptr<const StudyPointFile>& file,
                      uint64_t offset, size_t size) {
  INLAY_CHECK(size <= UINT32_MAX);
  auto known = std::find(files_.rbegin(), files_.rend(), file);  // mostly the last
  if (known == files_.rend()) {
    files_.push_back(file);
    known = files_.rbegin();
  }
  const auto number = static_cast<uint32_t>(files_.rend() - known - 1);
  Make(index) = {index, offset, static_cast<uint32_t>(size), number};
}

void StudyPoints::PutFrom(const StudyPoints& other, size_t index) {
  const Place* place = other.Find(index);
  INLAY_CHECK(place != nullptr);
  if (place->file != kNone) {
    return Put(index, other.files_[place->file], place->offset, place->size);
  }
  Make(index) = {index, held_.size(), 0, kNone};
  held_.push_back(other.held_[place->offset]);
}

void StudyPoints::Visit(const std::function<bool(const Place& place)>& visit) const {
  auto late = late_.begin();
  for (const Place& place : places_) {
    for (; late != late_.end() && late->first < place.index; ++late) {
      if (!visit(late->second)) return;
    }
    if (!visit(place)) return;
  }
}

void StudyPoints::ForEachRun(
    const std::function<void(size_t index, const StudyPoint& point)>& visit) const {
  Visit([&](const Place& place) {
    if (place.file == kNone) {
      visit(place.index, *held_[place.offset]);
    } else {
      visit(place.index, PointAt(place));
    }
    return true;
  });
}

void StudyPoints::ForEachNumber(const std::function<bool(size_t index)>& visit) const {
  Visit([&](const Place& place) { return visit(place.index); });
}

}  // namespace inlay
