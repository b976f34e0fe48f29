#include "inlay/report/headline.h"

#include "inlay/base/printable.h"
#include "inlay/report/numbers.h"

namespace inlay::report {

std::string Title(const std::vector<std::string>& names, const TextStyle& style) {
  std::string title;
  for (const std::string& name : names) {
    if (!name.empty()) title += (title.empty() ? "" : " ") + PrintableName(name);
  }
  return Paint(title, Tone::kBold, style);
}

std::string Wrap(const std::vector<std::string>& pieces, const std::string& separator,
                 size_t indent) {
  const std::string line_end = separator.substr(0, separator.find_last_not_of(' ') + 1) + "\n";
  std::string out;
  size_t width = 0;  // of the last line
  for (const std::string& any : pieces) {
    const std::string piece = PrintableName(any);
    const size_t more = DisplayWidth(separator) + DisplayWidth(piece);
    if (out.empty()) {
      width = DisplayWidth(piece);
    } else if (width + more <= kScreenColumns) {
      out += separator;
      width += more;
    } else {
      out += line_end + std::string(indent, ' ');
      width = indent + DisplayWidth(piece);
    }
    out += piece;
  }
  return out;
}

std::string EinsumLine(const Problem& problem, const TextStyle& style) {
  std::vector<std::string> inputs;
  for (const Tensor& tensor : problem.tensors) {
    if (!tensor.is_output) inputs.push_back(ToString(problem, tensor));
  }
  const std::string output = ToString(problem, problem.tensors[OutputTensor(problem)]);
  if (inputs.empty()) return output + " 1";
  inputs.front() = output + " " + inputs.front();
  return Wrap(inputs, style.unicode ? " × " : " * ", 4);
}

std::string BoundsLine(const Problem& problem, const TextStyle& style) {
  std::vector<std::string> bounds;
  for (const Dimension& dim : problem.dims) {
    bounds.push_back(dim.name + " " + Grouped(dim.bound, style));
  }
  return Wrap(bounds, style.unicode ? " · " : ", ", 0);
}

std::string CapacityText(const Level& level, const TextStyle& style) {
  if (level.partitions.empty()) {
    if (!level.capacity_words) return "unbounded";
    return Grouped(*level.capacity_words, style) +
           (*level.capacity_words == 1 ? " word" : " words");
  }
  std::string sum;
  for (const Partition& part : level.partitions) {
    if (!sum.empty()) sum += " + ";
    sum += part.capacity_words ? Grouped(*part.capacity_words, style) : "unbounded";
  }
  return sum + " words";
}

std::string ChainLine(const Architecture& architecture, const TextStyle& style) {
  std::vector<std::string> chain;
  const auto add_fanout = [&](const Fanout& fanout) {
    if (fanout.x == 1 && fanout.y == 1) return;
    std::string lanes = Grouped(fanout.x, style);
    if (fanout.y != 1) lanes += (style.unicode ? " × " : " x ") + Grouped(fanout.y, style);
    chain.push_back(lanes);
  };
  for (const Level& level : architecture.levels) {
    const bool bounded = level.capacity_words.has_value() || !level.partitions.empty();
    chain.push_back(bounded ? level.name + " " + CapacityText(level, style) : level.name);
    add_fanout(level.fanout);
  }
  chain.push_back(architecture.compute.name);
  return Wrap(chain, style.unicode ? " → " : " > ", 4);
}

}  // namespace inlay::report
