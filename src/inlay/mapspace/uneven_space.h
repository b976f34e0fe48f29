#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "inlay/core/uneven.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// Whether tensors may enter a level at different loops: not at the outermost, and not where
// constraints say how many steps its loops take, in which order they stand, or how full it is to
// be.
bool MayBeUneven(const Space& space, LevelId level);

// The uneven mappings of a space in which every level keeps certain tensors, which enter it in a
// certain order, as the mappings of a space of even forms: every tensor has a level of its own, and
// those of one memory stand one after the other (Level::same_memory_as_outer). Costs and rooms are
// the same in both.
struct EvenSpace {
  Space space;                             // mapspace `any`
  IndexedVector<LevelId, LevelId> origin;  // by level of it
};

// Tensors in the order in which they enter; a level with none that is listed stays as it is, and
// keeps `keeps`.
using EntryOrders = IndexedVector<LevelId, std::vector<TensorId>>;
EvenSpace MakeEvenSpace(const Space& space, const IndexedVector<LevelId, TensorSet>& keeps,
                        const EntryOrders& orders);

// Every choice of tensors kept, and for each of them every order in which those of each level can
// enter. False if `visit` has stopped it.
using EntryVisitor =
    std::function<bool(const IndexedVector<LevelId, TensorSet>& keeps, const EntryOrders& orders)>;
bool ForEachEntryOrder(const Space& space, const EntryVisitor& visit);

// The form that a mapping of the space has in an even space that keeps what it keeps; none if its
// tensors enter in another order.
std::optional<Mapping> InEvenSpace(const EvenSpace& even, const Mapping& mapping);

}  // namespace inlay
