#include "inlay/core/explanation.h"

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const ExplainedCopy*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ExplainedCopy::loop>("loop",
                                "the loop that was added; empty: the tile of the inner level"),
      Row<&ExplainedCopy::words>("words", "words copied up to this loop, as an expression"),
  });
  return Describe<ExplainedCopy, kFields>("ExplainedCopy");
}

const Structure& StructureOf(const ExplainedClass*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ExplainedClass::order>("order", "dimensions, outer to inner; one of the class's orders"),
      Row<&ExplainedClass::copies>(
          "copies", "by tensor: words copied as loops are added, from the innermost"),
      Row<&ExplainedClass::dominated_by>("dominated_by",
                                         "number, from 1, of a class that never copies more"),
  });
  return Describe<ExplainedClass, kFields>("ExplainedClass");
}

const Structure& StructureOf(const ExplainedLevel*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ExplainedLevel::level>("from", "the level that is read"),
      Row<&ExplainedLevel::inner>("to", "the next inner level"),
      Row<&ExplainedLevel::orders>("orders", "loop orders of the level"),
      Row<&ExplainedLevel::paper_classes>("paper_classes", "classes that the paper's rule tells"),
      Row<&ExplainedLevel::classes>("classes", "classes of orders that copy different volumes"),
  });
  return Describe<ExplainedLevel, kFields>("ExplainedLevel");
}

const Structure& StructureOf(const Explanation*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Explanation::layer>("layer", "the layer"),
      Row<&Explanation::tiles>("tiles", "by level and tensor: words of a tile, as an expression"),
      Row<&Explanation::levels>("levels", "the levels from which copies are made"),
  });
  return Describe<Explanation, kFields>("Explanation");
}

const Structure& StructureOf(const ExplainResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ExplainResult::header>("", "", {.inlined = true}),
      Row<&ExplainResult::explanations>("explanations", "the expressions of each layer"),
  });
  return Describe<ExplainResult, kFields>("ExplainResult");
}

}  // namespace inlay
