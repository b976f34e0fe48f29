#pragma once

#include <optional>

#include "inlay/core/mix.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

// An accelerator as part of a mix: a name, or an object of the keys of one, all of them optional
// where it has 'like'.
const Type& AcceleratorOrNameType();

// The accelerator of such a value, or of a document's. Names are looked for in the same files, then
// in the context; what is wrong is reported, and then there is none. Places are noted as "KEY"
// behind `prefix`.
std::optional<Accelerator> BuildAccelerator(const Node& node, const std::string& prefix,
                                            Places* places, Reading* reading);

}  // namespace inlay::io
