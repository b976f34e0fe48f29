#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace inlay {

// An index that cannot be mixed up with another kind of index, or with a count.
template <typename Tag>
class Index {
 public:
  constexpr Index() = default;
  explicit constexpr Index(size_t value) : value_(static_cast<int32_t>(value)) {}
  constexpr size_t value() const { return static_cast<size_t>(value_); }
  constexpr auto operator<=>(const Index&) const = default;
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }

 private:
  int32_t value_ = 0;
};

// A vector that is indexed by one kind of index only.
template <typename Id, typename T>
class IndexedVector {
 public:
  IndexedVector() = default;
  IndexedVector(std::initializer_list<T> values) : values_(values) {}
  explicit IndexedVector(size_t size, const T& value = T()) : values_(size, value) {}

  T& operator[](Id id) { return values_[id.value()]; }
  const T& operator[](Id id) const { return values_[id.value()]; }
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  void push_back(T value) { values_.push_back(std::move(value)); }
  void resize(size_t size) { values_.resize(size); }
  void assign(size_t size, const T& value) { values_.assign(size, value); }
  T& back() { return values_.back(); }
  const T& back() const { return values_.back(); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const IndexedVector&) const = default;

 private:
  std::vector<T> values_;
};

// for (DimId d : Ids(problem.dims)) ...
template <typename Id>
class IdRange {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(Id id) : id_(id) {}
    constexpr Id operator*() const { return id_; }
    constexpr Iterator& operator++() {
      ++id_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    Id id_;
  };
  explicit constexpr IdRange(size_t size) : size_(size) {}
  constexpr Iterator begin() const { return Iterator(Id(0)); }
  constexpr Iterator end() const { return Iterator(Id(size_)); }

 private:
  size_t size_;
};

template <typename Id, typename T>
IdRange<Id> Ids(const IndexedVector<Id, T>& values) {
  return IdRange<Id>(values.size());
}

}  // namespace inlay
