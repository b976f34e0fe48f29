#pragma once

#include <memory>

#include "inlay/io/inputs.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/timeloop/sections.h"

namespace inlay::io::timeloop {

// A binder for the section `mapping`, a list of directives. Faults of form are reported now, those
// that need the problem and the architecture by the binder. `sections` stays alive in the binder.
MappingBinder ReadMapping(std::shared_ptr<const Sections> sections, bool own_fanouts,
                          Report* report);

}  // namespace inlay::io::timeloop
