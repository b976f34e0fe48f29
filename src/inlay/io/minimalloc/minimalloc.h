#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/buffer.h"
#include "inlay/io/file.h"

namespace inlay::io {

// MiniMalloc's table of buffers: a header that names the columns in any order, then a buffer per
// line. Needed: id (or buffer, buffer_id), lower (start, begin), upper, size. `end` instead of
// upper is the last step of a life, itself included. May be there: alignment, and offset, which
// fixes the address unless it is empty. Other columns are ignored with a warning. The buffers of a
// result pass Validate, and no id occurs twice.
Result<WithWarnings<std::vector<Buffer>>> ReadMiniMalloc(const Source& source);

// The same table with the column offset; alignment only where one is not 1.
std::string WriteMiniMalloc(const std::vector<Buffer>& buffers,
                            const std::vector<int64_t>& offsets);

}  // namespace inlay::io
