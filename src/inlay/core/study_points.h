#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

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

// All points of a study. Memory goes with how many have run, and of those that a file has no more
// is held than where.
class StudyPoints {
 public:
  StudyPoints() = default;  // of a study without grids
  explicit StudyPoints(Study outline);

  const Study& outline() const { return *outline_; }
  size_t size() const { return size_; }  // all, run or not
  size_t run() const { return places_.size(); }
  bool HasRun(size_t index) const { return places_.contains(index); }
  StudyPoint operator[](size_t index) const;

  void Put(size_t index, StudyPoint point);
  void Put(size_t index, std::shared_ptr<const StudyPointFile> file, uint64_t offset, size_t size);
  // As another has it, of the same outline.
  void PutFrom(const StudyPoints& other, size_t index);

  // Those that have run, in order.
  void ForEachRun(const std::function<void(size_t index, const StudyPoint& point)>& visit) const;
  // Their numbers.
  void ForEachNumber(const std::function<void(size_t index)>& visit) const;

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
  Iterator end() const { return {this, size_}; }

 private:
  struct Place {
    std::shared_ptr<const StudyPoint> held;  // null: in the file
    std::shared_ptr<const StudyPointFile> file;
    uint64_t offset = 0;
    size_t size = 0;
  };
  static StudyPoint PointAt(const Place& place);

  std::shared_ptr<const Study> outline_ = std::make_shared<const Study>();
  size_t size_ = 0;
  std::map<size_t, Place> places_;
};

}  // namespace inlay
