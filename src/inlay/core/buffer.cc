#include "inlay/core/buffer.h"

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const Buffer*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Buffer::id>("id", "the buffer"),
      Row<&Buffer::lower>("lower", "from this time"),
      Row<&Buffer::upper>("upper", "to before this time"),
      Row<&Buffer::size>("size", "its size"),
  });
  return Describe<Buffer, kFields>("Buffer");
}
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 62;

}  // namespace

Faults Validate(const std::vector<Buffer>& buffers) {
  Faults faults;
  Int128 room = 0;  // enough for all that move side by side, however they are aligned
  Int128 fixed_top = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    const std::string where = "buffers[" + std::to_string(i) + "].";
    const std::string name = "buffer '" + b.id + "': ";
    const auto add = [&](const char* field, const std::string& message, const std::string& hint) {
      faults.push_back({where + field, name + message, hint});
    };
    if (b.lower < 0) add("lower", "it starts before time 0", "times count from 0");
    if (b.upper < b.lower) {
      add("upper", "it ends before it starts", "it lives from lower up to, not including, upper");
    }
    if (b.size < 0) add("size", "its size is negative", "");
    if (b.alignment < 1) add("alignment", "its alignment is less than 1", "1 asks for nothing");
    if (b.fixed && *b.fixed < 0) add("offset", "its address is negative", "");
    if (b.fixed && b.alignment >= 1 && *b.fixed % b.alignment != 0) {
      add("offset", "its address is no multiple of its alignment", "");
    }
    if (b.fixed) {
      fixed_top = std::max(fixed_top, Int128{*b.fixed} + b.size);
    } else {
      room += Int128{b.size} + b.alignment;
    }
  }
  if (faults.empty() && room + fixed_top > kMostBytes) {
    faults.push_back({"buffers", "the buffers together are larger than 2^62", ""});
  }
  return faults;
}

}  // namespace inlay
