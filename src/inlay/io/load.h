#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/buffer.h"
#include "inlay/core/fused_graph.h"
#include "inlay/core/result.h"
#include "inlay/core/systolic.h"
#include "inlay/io/file.h"
#include "inlay/io/inputs.h"
#include "inlay/io/onnx/onnx.h"
#include "inlay/io/timeloop/template.h"

namespace inlay::io {

// What users write after a command, turned into core values. An argument is the name of a built-in
// ("eyeriss", "resnet50", one layer "resnet50/conv2_1_3x3") or a file in any format; one layer of a
// file is "net.yaml/stem". A built-in goes before a file of the same name; "./eyeriss" is the file.

// What is given for the reading, and what was read on the way, for the result and for the user.
struct LoadRecord {
  DimValues dims;      // given: values for symbolic dimensions of ONNX models
  TemplateValues set;  // given: values for templates of Timeloop and for decoders
  TemplateUse templates;
  std::vector<InputRecord> inputs;
  std::vector<Source> sources;  // the text of each input; of an ONNX model nothing
  std::vector<Problem> layers;  // of the workloads; constraints that are loaded after are for them
  std::vector<std::shared_ptr<const Graph>> graphs;  // of the workloads that are networks as one
  std::optional<Architecture> architecture;  // that a workload's file holds as well, the first one
  Diagnostics warnings;                      // each once
};

// All layers of a workload; a single problem is a network of one layer, a graph gives its compute
// nodes.
Result<Network> LoadWorkload(const std::string& argument, LoadRecord* record);

// The layers of one or several workloads as one network. Where several call a layer the same, it
// is called after its file.
Result<Network> LoadWorkloads(const std::vector<std::string>& arguments, LoadRecord* record);

// A network as a graph; a list of layers is none.
Result<Graph> LoadGraph(const std::string& argument, LoadRecord* record);

// Nodes that pass tensors on: those of a network that is a graph, or of a fused mapping, a built-in
// or a file; its tree is not looked at.
struct FusableNodes {
  FusedGraph fused;  // of a fused mapping: the problem only
  std::optional<Graph> graph;
};
Result<FusableNodes> LoadFusableNodes(const std::string& argument, LoadRecord* record);

// A machine, built in or in a file; or what an architecture makes at 1 GHz (see MachineFrom).
Result<Machine> LoadMachine(const std::string& argument, LoadRecord* record);

// A mix, built in or in a file, with its networks.
Result<Mix> LoadMix(const std::string& argument, LoadRecord* record);

// What several networks share, built in or in a file.
Result<Accelerator> LoadAccelerator(const std::string& argument, LoadRecord* record);

// A built-in architecture, or the one that files hold together, with its constraints.
Result<Architecture> LoadArchitecture(const std::vector<std::string>& arguments,
                                      LoadRecord* record);

// A native file of an architecture with free attributes.
Result<ArchitectureSpace> LoadArchitectureSpace(const std::string& argument, LoadRecord* record);

// The constraints in files of their own, native or Timeloop's, that name the levels and fan-outs
// of this architecture.
Result<std::vector<Constraint>> LoadConstraints(const std::vector<std::string>& paths,
                                                const Architecture& architecture,
                                                LoadRecord* record);

// The array of a SCALE-Sim cfg.
Result<SystolicArray> LoadSystolicArray(const std::string& path, LoadRecord* record);

// A table of buffers as MiniMalloc reads it.
Result<std::vector<Buffer>> LoadBuffers(const std::string& path, LoadRecord* record);

// A built-in study or a file.
Result<Study> LoadStudy(const std::string& argument, LoadRecord* record);

// Built-ins of any kind and files, read together. Constraints are those of the architecture;
// without one they stay by themselves, with a warning.
Result<Inputs> LoadAny(const std::vector<std::string>& arguments, LoadRecord* record);

// Whether the network is but the frame of the problem ("resnet50/conv1").
bool IsOneLayer(const Inputs& inputs);

// One problem, one architecture and one mapping that belong together, or a fused mapping.
struct CaseArguments {
  std::vector<std::string> files;  // hold some or all of the three; or one example
  // These go before what the files hold. Files with no more than a part of an architecture, such as
  // an ERT, are read together with those of `arch`.
  std::optional<std::string> problem;
  std::vector<std::string> arch;
  std::optional<std::string> mapping;
};
// Nodes, an architecture and a tree that belong together.
struct FusedCase {
  FusedProblem problem;
  FusedTree tree;  // legal; whether it fits is another question
};
struct Case {
  Problem problem;
  Architecture architecture;
  Mapping mapping;  // valid in form; whether it fits is another question
  // What was asked for, where the file of the mapping holds that problem with bounds rounded up, as
  // the mapspace `padded` does; `problem` is then the larger one.
  std::optional<Problem> asked_for;
  // Instead of problem and mapping, which are empty, where the files hold a fused mapping.
  std::optional<FusedCase> fused;
  std::vector<InputRecord> inputs;
  Diagnostics warnings;
};
// All errors at once, as far as one part can be read without the other. `record`: none, or what is
// given; it then knows the inputs and warnings, too.
Result<Case> LoadCase(const CaseArguments& arguments, LoadRecord* record = nullptr);

// Gives an architecture, and constraints beside it, the names that all problems have in common for
// their tensors. False where the problems differ in that: architecture and constraints then keep
// their own names, and each layer has to be given its own of them (ForLayer). Errors of CheckRoles,
// with their places in the sources of the record, which is given its warnings.
bool MatchTensorNames(const std::vector<Layer>& layers, Architecture* architecture,
                      std::vector<Constraint>* constraints, LoadRecord* record,
                      Diagnostics* errors);

// The same of one problem.
Result<void> MatchTensorNames(const Problem& problem, Architecture* architecture,
                              LoadRecord* record);

// A value that was set and is not asked for: a warning, an error where only decoders ask for some.
Diagnostics WarnOfUnusedValues(const LoadRecord& record);

}  // namespace inlay::io
