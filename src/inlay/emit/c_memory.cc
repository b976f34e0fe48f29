#include "inlay/emit/c_memory.h"

namespace inlay::emit {
namespace {

std::string Parameters(const CMemory& memory, const std::string& more) {
  if (memory.lanes == 1) return more;
  return more.empty() ? "int64_t lane" : "int64_t lane, " + more;
}

// "GLB -> spads: ".
std::string Route(const CMemory& from, const CMemory& to) {
  return from.level + " -> " + to.level + ": ";
}

// Begins a function on one lane of the inner memory.
void OpenFunction(const std::string& head, const CTransfer& transfer, bool uses_outer,
                  CText* text) {
  text->Line("static void " + head);
  text->Open("");
  text->Line(fmt::format("range *held = {};", transfer.inner->TileOf("lane")));
  if (uses_outer && transfer.outer->lanes > 1) {
    text->Line(transfer.fan == 1 ? "const int64_t parent = lane;"
                                 : fmt::format("const int64_t parent = lane / {};", transfer.fan));
  }
}

std::string Count(const CMemory& memory, const char* action) {
  return fmt::format("++{}.{};", memory.counts, action);
}

// Where words are there from the start, neither of the two levels counts what moves.
void AddCount(const CTransfer& transfer, const CMemory& memory, const char* action,
              const std::string& condition, CText* text) {
  if (transfer.outer->counts.empty()) return;
  const std::string count = Count(memory, action);
  text->Line(condition.empty() ? count : fmt::format("if ({}) {}", condition, count));
}

void SetTile(const CMemory& memory, CText* text) {
  for (size_t r = 0; r < memory.extents.size(); ++r) {
    text->Line(fmt::format("held[{0}] = to[{0}];", r));
  }
}

}  // namespace

CTensor CTensorOf(const std::string& name, const std::vector<Rank>& ranks,
                  const IndexedVector<DimId, Dimension>& dims, CNames* names) {
  CTensor tensor{name, name + "[", {}};
  CNames own = names->Local();
  for (const Rank& rank : ranks) {
    std::string text, variable;
    for (const Term& term : rank.terms) {
      if (!text.empty()) text += " + ";
      if (term.coefficient != 1) text += fmt::format("{}*", term.coefficient);
      text += dims[term.dim].name;
      variable += (variable.empty() ? "" : "_") + dims[term.dim].name;
    }
    if (!tensor.coords.empty()) tensor.shape += ", ";
    tensor.shape += text.empty() ? "0" : text;
    tensor.coords.push_back(own.Unique(variable.empty() ? "zero" : variable));
  }
  tensor.shape += "]";
  if (tensor.coords.empty()) tensor.coords.push_back(own.Unique("zero"));
  for (const std::string& coord : tensor.coords) names->Avoid(coord);
  return tensor;
}

int64_t CMemory::WordsOfLane() const {
  int64_t words = 1;
  for (const int64_t extent : extents) words *= extent;
  return words;
}

std::string CMemory::At(const std::string& lane, const std::vector<std::string>& coords) const {
  return fmt::format("{}_at({}{})", name, lanes == 1 ? "" : lane + ", ", fmt::join(coords, ", "));
}

std::string CMemory::TileOf(const std::string& lane) const {
  return name + "_tile" + (lanes == 1 ? "" : "[" + lane + "]");
}

void DefineMemory(const CMemory& memory, CText* definitions, CText* setup) {
  const std::vector<std::string>& coords = memory.tensor->coords;
  definitions->Comment(
      fmt::format("{}: {} {}, {} words{}{}", memory.level, memory.whole ? "all of" : "a tile of",
                  memory.tensor->shape, fmt::join(memory.extents, " x "),
                  memory.lanes > 1 ? fmt::format(" in each of {} lanes", memory.lanes) : "",
                  memory.whole ? "" : "; a word lies at its coordinates modulo these"));
  if (memory.pad_offset < 0) {
    definitions->Line(fmt::format("static word *{};", memory.name));
    setup->Line(fmt::format("{} = words({});", memory.name, memory.lanes * memory.WordsOfLane()));
  }
  if (memory.has_tile) {
    definitions->Line(fmt::format("static range {}_tile{}[{}];", memory.name,
                                  memory.lanes > 1 ? fmt::format("[{}]", memory.lanes) : "",
                                  coords.size()));
  }
  std::string index = memory.lanes > 1 ? "lane" : "";
  for (size_t r = 0; r < coords.size(); ++r) {
    const std::string at =
        memory.whole ? coords[r] : fmt::format("{} % {}", coords[r], memory.extents[r]);
    index = WithDigit(index, memory.extents[r], at);
  }
  std::string parameters;
  for (const std::string& coord : coords) {
    parameters += (parameters.empty() ? "int64_t " : ", int64_t ") + coord;
  }
  definitions->Line(
      fmt::format("static word *{}_at({})", memory.name, Parameters(memory, parameters)));
  definitions->Open("");
  if (memory.pad_offset < 0) {
    definitions->Line(fmt::format("return &{}[{}];", memory.name, index));
  } else if (memory.pad_offset == 0) {
    definitions->Line(fmt::format("return &pad[{}];", index));
  } else {
    definitions->Line(fmt::format("return &pad[{} + {}];", memory.pad_offset, index));
  }
  definitions->Close();
  definitions->Blank();
}

std::string LoadName(const CTransfer& transfer) { return "load_" + transfer.inner->name; }
std::string OpenName(const CTransfer& transfer) { return "open_" + transfer.inner->name; }
std::string StoreName(const CTransfer& transfer) { return "store_" + transfer.inner->name; }

void DefineLoad(const CTransfer& transfer, CText* text) {
  const CMemory& outer = *transfer.outer;
  const CMemory& inner = *transfer.inner;
  const std::vector<std::string>& coords = inner.tensor->coords;
  const size_t ranks = coords.size();
  const bool counted = !outer.counts.empty();
  text->Comment(Route(outer, inner) + "the words of " + inner.tensor->name +
                " that the tile before has not" +
                (counted ? "" : "; they are there from the start, and not counted"));
  OpenFunction(fmt::format("{}({})", LoadName(transfer),
                           Parameters(inner, fmt::format("const range to[{}]", ranks))),
               transfer, true, text);
  const bool leads = counted && transfer.shared && !transfer.leads.empty();
  const bool compares = counted && transfer.shared && transfer.meets;
  if (leads) {
    text->Comment("Lanes that need the same words share one read: this one stands for them.");
    text->Line(fmt::format("{}int reads = {};", compares ? "" : "const ", transfer.leads));
  } else if (compares) {
    text->Line("int reads = 1;");
  }
  text->Line(fmt::format("if (same(held, to, {})) return;", ranks));
  if (compares) {
    text->Line(fmt::format("if (reads && shares({}, {}, held, to, {})) reads = 0;", transfer.tensor,
                           outer.lanes > 1 ? "parent" : "0", ranks));
  }
  const int loops = OpenLoops(*inner.tensor, "to", text);
  std::vector<std::string> there;
  for (size_t r = 0; r < ranks; ++r)
    there.push_back(fmt::format("holds(held[{}], {})", r, coords[r]));
  text->Line(fmt::format("if ({}) continue;", AllOf(there)));
  text->Line(fmt::format("*{} = *{};", inner.At("lane", coords), outer.At("parent", coords)));
  AddCount(transfer, inner, "fills", "", text);
  AddCount(transfer, outer, "reads", leads || compares ? "reads" : "", text);
  CloseLoops(loops, text);
  SetTile(inner, text);
  text->Close();
  text->Blank();
}

std::string StaysName(const CTransfer& transfer) { return transfer.inner->name + "_stays"; }

namespace {

// The word outside, for a function on a lane of the inner memory.
std::string Outside(const CTransfer& transfer, const std::string& parent) {
  const CMemory& outer = *transfer.outer;
  std::string at = outer.At(parent, outer.tensor->coords);
  if (!transfer.idles) return at;
  return outer.name + "_home" + at.substr(outer.name.size() + std::string_view("_at").size());
}

}  // namespace

void DefineHome(const CTransfer& transfer, CText* text) {
  const CMemory& memory = *transfer.outer;
  const CTransfer& around = *transfer.around;
  const std::vector<std::string>& coords = memory.tensor->coords;
  text->Comment("A word of " + memory.tensor->name + ": in " + memory.level +
                ", or further out where the tile has moved on");
  text->Line(fmt::format(
      "static word *{}_home({})", memory.name,
      Parameters(memory, "int64_t " + fmt::format("{}", fmt::join(coords, ", int64_t ")))));
  text->Open("");
  text->Line(fmt::format("const range *held = {};", memory.TileOf("lane")));
  std::vector<std::string> there;
  for (size_t r = 0; r < coords.size(); ++r) {
    there.push_back(fmt::format("holds(held[{}], {})", r, coords[r]));
  }
  text->Line(fmt::format("if ({}) return {};", AllOf(there), memory.At("lane", coords)));
  CTransfer outer = around;
  outer.idles = around.around != nullptr;
  text->Line(fmt::format("return {};",
                         Outside(outer, around.fan == 1 ? std::string("lane")
                                                        : fmt::format("lane / {}", around.fan))));
  text->Close();
  text->Blank();
}

void DefineStore(const CTransfer& transfer, CText* text) {
  const CMemory& outer = *transfer.outer;
  const CMemory& inner = *transfer.inner;
  const std::vector<std::string>& coords = inner.tensor->coords;
  text->Comment(Route(inner, outer) + "the tile of " + inner.tensor->name + " leaves" +
                (outer.counts.empty() ? "; it stays on chip, and is not counted" : ""));
  OpenFunction(
      fmt::format("{}({})", StoreName(transfer), inner.lanes == 1 ? "void" : Parameters(inner, "")),
      transfer, true, text);
  const bool leads = !transfer.leads.empty() && transfer.shared && !outer.counts.empty();
  if (leads) {
    text->Comment("Sums of lanes with the same words are added on the way: one update for all.");
    text->Line(fmt::format("const int first = {};", transfer.leads));
  }
  if (transfer.inside != nullptr) {
    const CTransfer& inside = *transfer.inside;
    const std::string moves = inside.idles ? fmt::format("if (!{}[i]) ", StaysName(inside)) : "";
    if (inside.inner->lanes == 1) {
      text->Line(StoreName(inside) + "();");
    } else if (inner.lanes == 1) {
      text->Line(fmt::format("for (int64_t i = 0; i < {}; ++i) {}{}(i);", inside.fan, moves,
                             StoreName(inside)));
    } else if (inside.fan == 1) {
      text->Line(inside.idles
                     ? fmt::format("if (!{}[lane]) {}(lane);", StaysName(inside), StoreName(inside))
                     : StoreName(inside) + "(lane);");
    } else {
      text->Line(fmt::format("for (int64_t i = lane * {0}; i < (lane + 1) * {0}; ++i) {1}{2}(i);",
                             inside.fan, moves, StoreName(inside)));
    }
  }
  const int loops = OpenLoops(*inner.tensor, "held", text);
  text->Line(fmt::format("*{} {} *{};", Outside(transfer, "parent"), transfer.adds ? "+=" : "=",
                         inner.At("lane", coords)));
  AddCount(transfer, inner, "drains", "", text);
  AddCount(transfer, outer, "updates", leads ? "first" : "", text);
  CloseLoops(loops, text);
  for (size_t r = 0; r < coords.size(); ++r) {
    text->Line(fmt::format("held[{0}].end = held[{0}].lo;", r));
  }
  text->Close();
  text->Blank();
}

void DefineOpen(const CTransfer& transfer, CText* text) {
  const CMemory& outer = *transfer.outer;
  const CMemory& inner = *transfer.inner;
  const std::vector<std::string>& coords = inner.tensor->coords;
  text->Comment("The next tile of " + inner.tensor->name + " in " + inner.level +
                (transfer.comes_back ? ": begins at zero, or comes back with the sums so far"
                                     : ": begins at zero"));
  OpenFunction(fmt::format("{}({})", OpenName(transfer),
                           Parameters(inner, fmt::format("{}const range to[{}]",
                                                         transfer.comes_back ? "int begins, " : "",
                                                         coords.size()))),
               transfer, transfer.comes_back, text);
  text->Line(fmt::format("if (same(held, to, {})) return;", coords.size()));
  text->Line(fmt::format("{}({});", StoreName(transfer), inner.lanes == 1 ? "" : "lane"));
  const int loops = OpenLoops(*inner.tensor, "to", text);
  const std::string at = "*" + inner.At("lane", coords);
  if (transfer.comes_back) {
    // The other lanes of a group start from zero.
    const std::string from = outer.At("parent", coords);
    text->Open(transfer.leads.empty() ? "if (begins)"
                                      : fmt::format("if (begins || !({}))", transfer.leads));
    text->Line(at + " = 0;");
    text->Else();
    text->Line(fmt::format("{} = *{};", at, from));
    if (transfer.adds) text->Line(fmt::format("*{} = 0; /* they will be added again */", from));
    AddCount(transfer, inner, "fills", "", text);
    AddCount(transfer, outer, "reads", "", text);
    text->Close();
  } else {
    text->Line(at + " = 0;");
  }
  CloseLoops(loops, text);
  SetTile(inner, text);
  text->Close();
  text->Blank();
}

std::string DrainName(const CTransfer& transfer) { return "drain_" + transfer.inner->name; }

void DefineDrain(const CTransfer& transfer, CText* text) {
  const CMemory& outer = *transfer.outer;
  const CMemory& inner = *transfer.inner;
  const std::vector<std::string>& coords = inner.tensor->coords;
  text->Comment(Route(inner, outer) + "finished words of " + inner.tensor->name +
                " are needed outside as well");
  text->Line(fmt::format("static void {}(const range to[{}])", DrainName(transfer), coords.size()));
  text->Open("");
  const int loops = OpenLoops(*inner.tensor, "to", text);
  text->Line(fmt::format("*{} = *{};", outer.At("", coords), inner.At("", coords)));
  AddCount(transfer, inner, "drains", "", text);
  AddCount(transfer, outer, "updates", "", text);
  CloseLoops(loops, text);
  text->Close();
  text->Blank();
}

std::string BoxOf(const std::vector<Rank>& ranks, const IndexedVector<DimId, std::string>& ranges) {
  std::vector<std::string> boxes;
  for (const Rank& rank : ranks) {
    if (rank.terms.empty()) {
      boxes.emplace_back("{0, 1}");
      continue;
    }
    if (rank.terms.size() == 1 && rank.terms[0].coefficient == 1) {
      boxes.push_back(ranges[rank.terms[0].dim]);
      continue;
    }
    std::string lo, end;
    for (const Term& term : rank.terms) {
      const std::string& range = ranges[term.dim];
      const std::string times = term.coefficient == 1 ? "" : fmt::format("{} * ", term.coefficient);
      lo += fmt::format("{}{}{}.lo", lo.empty() ? "" : " + ", times, range);
      end += fmt::format("{}({}.end - 1) + ", times, range);
    }
    boxes.push_back(fmt::format("{{{}, {}1}}", lo, end));
  }
  if (boxes.empty()) boxes.emplace_back("{0, 1}");
  return fmt::format("{}", fmt::join(boxes, ", "));
}

std::vector<std::string> PointOf(const std::vector<Rank>& ranks,
                                 const IndexedVector<DimId, std::string>& coords) {
  std::vector<std::string> point;
  for (const Rank& rank : ranks) {
    std::string at;
    for (const Term& term : rank.terms) {
      if (!at.empty()) at += " + ";
      if (term.coefficient != 1) at += fmt::format("{} * ", term.coefficient);
      at += coords[term.dim];
    }
    point.push_back(at.empty() ? "0" : at);
  }
  if (point.empty()) point.emplace_back("0");
  return point;
}

std::vector<int64_t> ExtentsOf(const std::vector<Rank>& ranks,
                               const IndexedVector<DimId, int64_t>& sizes) {
  std::vector<int64_t> extents;
  for (const Rank& rank : ranks) {
    int64_t extent = 1;
    for (const Term& term : rank.terms) extent += term.coefficient * (sizes[term.dim] - 1);
    extents.push_back(extent);
  }
  if (extents.empty()) extents.push_back(1);
  return extents;
}

int OpenLoops(const CTensor& tensor, const std::string& box, CText* text) {
  for (size_t r = 0; r < tensor.coords.size(); ++r) {
    text->Open(fmt::format("for (int64_t {0} = {1}[{2}].lo; {0} < {1}[{2}].end; ++{0})",
                           tensor.coords[r], box, r));
  }
  return static_cast<int>(tensor.coords.size());
}

void CloseLoops(int loops, CText* text) {
  for (int i = 0; i < loops; ++i) text->Close();
}

}  // namespace inlay::emit
