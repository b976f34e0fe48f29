#include "inlay/mapper/dnnopt.h"

#include <string>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/mention.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/dnnopt/block_search.h"
#include "inlay/mapper/dnnopt/build_mapping.h"
#include "inlay/mapper/dnnopt/cycles.h"

namespace inlay {
namespace {

using dnnopt::Choice;
using dnnopt::Layer;
using dnnopt::Machine;

// Not even the smallest blocks lie in the memory together.
Fault TooSmall(const Problem& problem, const Architecture& architecture, const Layer& layer,
               const Machine& machine) {
  const std::string& memory = architecture.levels[LevelId(Machine::kMemory)].name;
  dnnopt::Sizes blocks = {};
  for (size_t a = 0; a < layer.axes.size(); ++a) {
    blocks[a] = std::min(layer.axes[a].stride, layer.axes[a].bound);
  }
  std::string tiles;
  for (const auto& tensor : layer.tensors) {
    if (!tiles.empty()) tiles += ", ";
    tiles +=
        problem.tensors[tensor.id].name + " " + std::to_string(dnnopt::BlockWords(tensor, blocks));
  }
  std::string room;
  for (const auto& r : machine.rooms) {
    if (!room.empty()) room += ", ";
    room += r.usable_words ? std::to_string(*r.usable_words) : "any number of";
  }
  return {"levels." + memory,
          "the smallest blocks of '" + problem.name + "' do not fit into '" + memory +
              "': " + tiles + " words, room for " + room,
          "enlarge it, or let blocks step by one (" + Mention("stride", "one") + ")"};
}

DnnoptFigures FiguresOf(const Problem& problem, const Layer& layer, const Choice& choice) {
  DnnoptFigures figures;
  for (size_t i = 0; i < layer.axes.size(); ++i) {
    const size_t axis = choice.nest.order[i];
    figures.order.push_back(
        {problem.dims[layer.axes[axis].dim].name, layer.axes[axis].bound, choice.blocks[axis]});
  }
  for (const auto& tensor : layer.tensors) {
    figures.offchip_words.push_back(dnnopt::AccessesOf(tensor, layer, choice.nest));
  }
  figures.total_offchip_words = choice.accesses;
  return figures;
}

// DNNOPT's blocks are its own mapspace; what else the space asks for must hold.
Faults BrokenConstraints(const Space& space, const Mapping& mapping) {
  Space any = space;
  any.mapspace = Mapspace::kAny;
  Faults faults = CheckMembership(any, mapping);
  for (Fault& fault : faults) {
    fault.message = "the mapping of dnnopt breaks a constraint: " + fault.message;
    fault.hint =
        "dnnopt does not search under constraints; use the strategy exact, or another dataflow";
  }
  return faults;
}

// Mapping and cost of the choice; what stands in the way goes to `unsupported`.
void Answer(const Space& space, const MapOptions& options, const Machine& machine,
            const Layer& layer, const Choice& choice, LayerAnswer* answer) {
  const Problem& problem = space.problem;
  auto mapping = dnnopt::BuildMapping(problem, space.architecture, machine, layer,
                                      options.dnnopt.dataflow, choice.nest.order, choice.resident);
  if (!mapping) {
    answer->unsupported = std::move(mapping.error());
    return;
  }
  INLAY_CHECK(Validate(problem, space.architecture, *mapping).empty());
  answer->unsupported = BrokenConstraints(space, *mapping);
  if (!answer->unsupported.empty()) return;
  auto cost = Evaluate(problem, space.architecture, *mapping);
  const auto cycles =
      dnnopt::CyclesOf(machine, layer, options.dnnopt.dataflow, choice.nest.order, choice.resident);
  if (!cost || !cycles) {
    answer->unsupported.push_back(
        cost ? Fault{"dims", "the cycles of the array do not fit into 64 bits", ""} : cost.error());
    return;
  }
  answer->dnnopt->array_cycles = cycles->compute;
  answer->dnnopt->stall_cycles = cycles->stall;
  answer->best = Solution{problem, std::move(*mapping), std::move(*cost)};
}

}  // namespace

LayerAnswer SearchDnnopt(const Space& space, const MapOptions& options, const Deadline& deadline,
                         const MapProgressSink& progress) {
  LayerAnswer answer;
  auto layer = dnnopt::LayerOf(space.problem);
  if (!layer) answer.unsupported.push_back(layer.error());
  auto machine = dnnopt::MachineOf(space.problem, space.architecture);
  if (!machine) {
    answer.unsupported.insert(answer.unsupported.end(), machine.error().begin(),
                              machine.error().end());
  }
  if (!answer.unsupported.empty()) return answer;
  dnnopt::SetStrides(*machine, options.dnnopt, &*layer);
  const auto found =
      dnnopt::FindBlocks(*machine, *layer, options.dnnopt, deadline, [&](int64_t words) {
        progress({0, static_cast<double>(words), std::nullopt});
      });
  answer.interrupted = found.stopped;
  if (found.best) {
    answer.dnnopt = FiguresOf(space.problem, *layer, *found.best);
    answer.points_visited = static_cast<double>(found.points_visited);
    answer.points_in_space = found.points_in_space;
    Answer(space, options, *machine, *layer, *found.best, &answer);
  } else if (!found.stopped) {
    answer.unsupported.push_back(TooSmall(space.problem, space.architecture, *layer, *machine));
  }
  answer.effort.evaluations = found.points_visited;
  return answer;
}

}  // namespace inlay
