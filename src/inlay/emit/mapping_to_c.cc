#include "inlay/emit/c_nest.h"
#include "inlay/emit/c_program.h"
#include "inlay/emit/emit_c.h"

namespace inlay {
namespace {

using emit::CMemory;
using emit::CTensor;

// Loops without tiles, for comparison.
void WritePlain(const Problem& problem, const emit::CNest& nest, const CMemory& output,
                emit::CProgram* program) {
  emit::CText& text = program->functions;
  emit::CNames names = program->names().Local();
  IndexedVector<DimId, std::string> coords;
  std::vector<DimId> dims;
  for (DimId d : Ids(problem.dims)) {
    coords.push_back(names.Unique(problem.dims[d].name));
    dims.push_back(d);
  }
  std::string product, sum;
  for (TensorId t : Ids(problem.tensors)) {
    const std::vector<std::string> point = emit::PointOf(problem.tensors[t].ranks, coords);
    if (problem.tensors[t].is_output) {
      sum = output.At("", point);
    } else {
      product += (product.empty() ? "*" : " * *") + nest.OutermostOf(t).At("", point);
    }
  }
  text.Comment("The loops without tiles");
  text.Line("static void plain(void)");
  text.Open("");
  emit::CProgram::WritePlainLoops(problem.dims, dims, coords,
                                  fmt::format("*{} += {};", sum, product.empty() ? "1" : product),
                                  &text);
  text.Close();
  text.Blank();
}

}  // namespace

std::string EmitC(const Problem& problem, const Architecture& architecture,
                  const Mapping& mapping) {
  const emit::EvenParts parts = emit::EvenPartsOf(architecture, mapping);
  emit::CProgram program;
  for (const char* function : {"plain", "mapped"}) (void)program.names().Unique(function);
  std::deque<CTensor> tensors;
  emit::CNestInput input;
  input.problem = &problem;
  input.architecture = &parts.architecture;
  input.mapping = &parts.mapping;
  size_t ranks = 1;
  for (const Tensor& tensor : problem.tensors) {
    tensors.push_back(emit::CTensorOf(tensor.name, tensor.ranks, problem.dims, &program.names()));
    input.tensors.push_back(&tensors.back());
    input.outermost.push_back(nullptr);
    ranks = std::max(ranks, tensors.back().coords.size());
  }
  emit::CNames local = program.names().Local();
  for (const Dimension& dim : problem.dims) input.ranges.push_back(local.Unique(dim.name + "0"));
  input.counts = [&](LevelId level, TensorId tensor) {
    const LevelId origin = parts.origin[level];
    return program.AddCounts(origin, architecture.levels[origin].name, tensor,
                             problem.tensors[tensor].name);
  };
  emit::CNest nest(input, &program.names());
  nest.Define(&program.definitions, &program.setup);
  if (nest.served() > 0) program.NeedServed(nest.served(), ranks);

  const TensorId output = OutputTensor(problem);
  CMemory wanted = nest.OutermostOf(output);
  wanted.level = "plain loops";
  wanted.name = program.names().Unique("plain_" + problem.tensors[output].name);
  DefineMemory(wanted, &program.definitions, &program.setup);
  for (TensorId t : Ids(problem.tensors)) {
    if (!problem.tensors[t].is_output) program.Fill(nest.OutermostOf(t), t.value());
  }
  program.Compare(nest.OutermostOf(output), wanted);
  WritePlain(problem, nest, wanted, &program);

  emit::CText& text = program.functions;
  text.Comment("The loops of the mapping");
  text.Line("static void mapped(void)");
  text.Open("");
  for (DimId d : Ids(problem.dims)) {
    text.Line(fmt::format("const range {} = {{0, {}}};", input.ranges[d], problem.dims[d].bound));
  }
  nest.WriteBody(&text);
  text.Close();
  text.Blank();
  program.calls = {"plain();", "mapped();"};
  program.totals = {"operations", "steps"};

  std::vector<std::string> head = {problem.name + " on " + architecture.name +
                                       ": the loops of its mapping, with every copy of a tile",
                                   "Compiles with: cc -std=c99 -O2 FILE. Prints ok, and the words "
                                   "that each level moves for each tensor."};
  for (const Tensor& tensor : problem.tensors) head.push_back(ToString(problem, tensor));
  emit::CText reports;
  reports.Line(R"(printf("operations %" PRIu64 "\nsteps %" PRIu64 "\n", operations, steps);)");
  return program.Text(head, reports);
}

}  // namespace inlay
