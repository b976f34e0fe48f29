#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "inlay/core/study_point.h"

namespace inlay {

// Where points are kept that memory does not hold.
class StudyPointFile {
 public:
  StudyPointFile() = default;
  StudyPointFile(const StudyPointFile&) = delete;
  StudyPointFile& operator=(const StudyPointFile&) = delete;
  virtual ~StudyPointFile() = default;
  // What was written there. If it cannot be read back the point has no answer, and says why.
  virtual StudyPoint Read(uint64_t offset, size_t size) const = 0;
};

// All points of a study. Memory is proportional to those that have run; of those of a file it holds
// where they are, 24 bytes each.
class StudyPoints {
 public:
  StudyPoints() : StudyPoints(Study()) {}  // of a study without grids
  explicit StudyPoints(Study outline);

  const Study& outline() const { return *outline_; }
  size_t size() const { return numbers_.size(); }  // all, run or not
  size_t run() const { return places_.size() + late_.size(); }
  bool HasRun(size_t index) const;
  StudyPoint operator[](size_t index) const;
  StudyFilter SettingsOf(size_t index) const { return numbers_.SettingsOf(index); }

  void Put(size_t index, StudyPoint point);
  // `size` is below 4 GiB.
  void Put(size_t index, const std::shared_ptr<const StudyPointFile>& file, uint64_t offset,
           size_t size);
  // As another has it, of the same outline.
  void PutFrom(const StudyPoints& other, size_t index);

  // Those that have run, in order.
  void ForEachRun(const std::function<void(size_t index, const StudyPoint& point)>& visit) const;
  // Their numbers; ends at the first for which `visit` is false.
  void ForEachNumber(const std::function<bool(size_t index)>& visit) const;

  // Over all of them, run or not: for as many as can be listed.
  class Iterator {
   public:
    Iterator(const StudyPoints* points, size_t index) : points_(points), index_(index) {}
    StudyPoint operator*() const { return (*points_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const StudyPoints* points_;
    size_t index_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  struct Place {
    size_t index = 0;       // of the point
    uint64_t offset = 0;    // in the file; without one the place in held_
    uint32_t size = 0;      // in the file
    uint32_t file = kNone;  // the place in files_
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  template <typename Points>
  static auto FindIn(Points& points, size_t index) -> decltype(points.places_.data());
  const Place* Find(size_t index) const;
  Place& Make(size_t index);
  void TakeLate();
  StudyPoint PointAt(const Place& place) const;
  void Visit(const std::function<bool(const Place& place)>& visit) const;

  std::shared_ptr<const Study> outline_;
  StudyNumbers numbers_;
  std::vector<Place> places_;     // in order
  std::map<size_t, Place> late_;  // that came after one behind them: few, then sorted in
  std::vector<std::shared_ptr<const StudyPointFile>> files_;
  std::vector<std::shared_ptr<const StudyPoint>> held_;
};

}  // namespace inlay
