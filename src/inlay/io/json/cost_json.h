#pragma once

// Private to io: what results say of a cost level by level, both ways.

#include "inlay/core/cost.h"
#include "inlay/io/json/json.h"

namespace inlay::io {

using LevelNames = IndexedVector<LevelId, std::string>;
using TensorNames = IndexedVector<TensorId, std::string>;

// "levels" and "compute".
Json LevelsToJson(const Cost& cost, const LevelNames& levels, const TensorNames& tensors);
Json ComputeToJson(const Cost& cost);

// The same of an object that has them; `path` as JoinPath takes it. The operations, which results
// have twice, are left to the caller.
void ReadLevels(const Json& json, const std::string& path, JsonReader* reader, Cost* cost,
                LevelNames* levels, TensorNames* tensors);
void ReadCompute(const Json& json, const std::string& path, JsonReader* reader, Cost* cost);

}  // namespace inlay::io
