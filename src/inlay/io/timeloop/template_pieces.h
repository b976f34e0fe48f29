#pragma once

#include <string_view>
#include <vector>

#include "inlay/io/timeloop/template_expression.h"

namespace inlay::io::timeloop {

// A template cut into what it consists of.
struct TemplatePiece {
  enum class Kind { kText, kOutput, kStatement };
  Kind kind = Kind::kText;
  size_t begin = 0, end = 0;              // of the whole piece, in the template
  size_t inner_begin = 0, inner_end = 0;  // between the marks
};

// Texts, {{ output }} and {% statement %} in order; {# comments #} are left out. As in Jinja2, a
// '-' inside a mark removes the white space on that side, and the last end of line does not count.
std::vector<TemplatePiece> CutTemplate(std::string_view text, std::vector<TemplateFault>* faults);

// Whether a place is in a line that begins with '#'.
bool IsInComment(std::string_view text, size_t offset);

}  // namespace inlay::io::timeloop
