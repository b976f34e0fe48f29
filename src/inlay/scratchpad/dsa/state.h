#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "inlay/scratchpad/dsa/instance.h"

namespace inlay::dsa {

// A partial placement, built from the bottom up, with what it implies for the buffers that are not
// placed yet, and a way back.
//
// Everything placed lies below everything that lives with it and is placed later. So a buffer that
// is not placed starts at or above its floor, the highest end of a placed buffer that lives with it
// (aligned). It is *blocked* if it is known not to start at its floor: then it rests on a buffer
// that is not placed yet, and starts at or above the lowest end that such a buffer can have.
class State {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  // What a section still has to hold.
  struct Section {
    int64_t floor = kNever;  // the least start of a buffer to come; kNever: nothing to come
    int64_t slack = 0;       // the capacity less what the buffers to come need at least
    int32_t candidates = 0;  // how many of them have that least start; 0 if one is blocked
  };

  State(const Instance& instance, bool section_bound);

  const Instance& instance() const { return instance_; }
  bool Placed(ItemId i) const { return placed_[i]; }
  // The start of a placed buffer, else the least that it can have.
  int64_t Start(ItemId i) const { return start_[i]; }
  bool Blocked(ItemId i) const { return blocked_[i]; }
  const Section& At(SectionId s) const { return sections_[s]; }
  const std::vector<ItemId>& Members(SectionId s) const { return members_[s]; }
  // Whether a buffer to come lives in this section and the next.
  bool Crossed(SectionId s) const { return crossing_[s] > 0; }

  // Both say whether buffers to come may still fit. If not, FailedAt says where it was seen.
  bool Place(ItemId i);                          // at its least start
  bool Block(const std::vector<ItemId>& items);  // none of them starts at its floor
  SectionId FailedAt() const { return failed_at_; }

  // Undoes everything since the mark was taken.
  size_t Mark() const { return trail_.size(); }
  void UndoTo(size_t mark);

  // Looks at all sections; to be called once, before anything else. False: nothing fits.
  bool Begin();

 private:
  enum class Change : uint8_t { kStart, kFloor, kBlocked, kUnblocked, kPlaced, kSection };
  struct Entry {
    Change change;
    uint32_t index;
    int64_t old = 0;
    Section section = {};
  };

  void SetStart(ItemId i, int64_t start);
  bool RestsOn(ItemId i, ItemId other) const;
  int64_t LowestRest(ItemId i);
  void MarkDirty(ItemId i);  // the sections of i have to be looked at again
  bool RaiseBlocked();
  bool Propagate();
  bool CheckSection(SectionId s);
  bool Fail(SectionId s);

  const Instance& instance_;
  bool section_bound_;
  IndexedVector<ItemId, int64_t> start_, floor_;
  IndexedVector<ItemId, uint8_t> placed_, blocked_;
  IndexedVector<ItemId, int64_t> size_;    // as the instance's, side by side
  IndexedVector<ItemId, ItemId> support_;  // what a blocked one was last seen to rest on: a hint
  IndexedVector<ItemId, std::vector<ItemId>> neighbours_;  // live together with it
  IndexedVector<SectionId, std::vector<ItemId>> members_;  // nearly by descending start
  IndexedVector<SectionId, Section> sections_;
  IndexedVector<SectionId, int32_t> crossing_;
  IndexedVector<SectionId, int32_t> to_come_;  // members that are not placed
  std::vector<ItemId> blocked_list_;           // all blocked ones, and some that are no longer
  std::vector<Entry> trail_;
  IndexedVector<SectionId, uint8_t> dirty_;
  std::vector<SectionId> dirty_list_;
  SectionId failed_at_;
};

}  // namespace inlay::dsa
