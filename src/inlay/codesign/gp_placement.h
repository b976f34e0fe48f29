#pragma once

#include "inlay/base/deadline.h"
#include "inlay/codesign/codesign.h"
#include "inlay/codesign/single_architecture.h"

namespace inlay {

// The scopes `layer` and `dominant` by geometric programs (DesignByGp). No proof.
Placement PlaceByGp(const CodesignTask& task, const CostTable& table, const Deadline& deadline,
                    const PlacementProgressSink& progress, CodesignEffort* use);

}  // namespace inlay
