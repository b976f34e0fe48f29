#include "inlay/core/constraint.h"

#include "inlay/core/units.h"

namespace inlay {

const Structure& StructureOf(const Constraint*) {
  static constexpr KeyTraits kDimensions = {
      .what = "a list of dimensions", .text = TextForm::kDimension, .unless_default = true};
  static constexpr KeyTraits kTensors = {
      .what = "a list of tensors", .text = TextForm::kName, .unless_default = true};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Constraint::at>("at", "the level or fan-out that is constrained",
                             {.required = true, .text = TextForm::kName}),
      KeyOf<&Constraint::x>("x", "fan-out: only these dimensions may be unrolled on x",
                            kDimensions),
      KeyOf<&Constraint::y>("y", "fan-out: only these dimensions may be unrolled on y",
                            kDimensions),
      KeyOf<&Constraint::not_x>("not_x", "fan-out: these dimensions may not be unrolled on x",
                                kDimensions),
      KeyOf<&Constraint::not_y>("not_y", "fan-out: these dimensions may not be unrolled on y",
                                kDimensions),
      KeyOf<&Constraint::loops>("loops", "level: only these dimensions may have loops there",
                                kDimensions),
      ByHand("factors",
             "the number of steps of a dimension there: '4', '<= 16', '>= 2', 'all' that the "
             "dimension has, or '4 if it fits', which has no effect on a dimension of fewer"),
      ByHand("default_factor", "the same for every dimension that 'factors' does not name"),
      KeyOf<&Constraint::innermost>("innermost", "level: the innermost loops, innermost first",
                                    kDimensions),
      KeyOf<&Constraint::outermost>("outermost", "level: the outermost loops, outermost first",
                                    kDimensions),
      KeyOf<&Constraint::keep>("keep", "level: tensors that must be held there", kTensors),
      KeyOf<&Constraint::bypass>("bypass", "level: tensors that must not be held there", kTensors),
      ByHand("utilization", "the share of the capacity, or of the lanes, that must be used"),
      KeyOf<&Constraint::remainders>(
          "remainders",
          "the most steps that a loop with a remainder may have there; 1: no remainders (no effect "
          "in the mapspace 'any')"),
  });
  return DescribeKeys<Constraint, kKeys>("a constraint");
}

}  // namespace inlay
