#include "tests/support/vector_twin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

namespace inlay::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The table of functions, word for word.
const std::map<std::string, std::string> kElementwise = {
    {"any", "?"},
    {"add", "add"},
    {"mul", "mul"},
    {"max", "max"},
    {"div", "div"},
    {"sqrt", "sqrt"},
    {"exp", "exp"},
    {"log", "log"},
    {"tanh", "tanh"},
    {"erf", "erf"},
    {"sin", "sin"},
    {"logic", "logic"},
    {"clip", "max max"},
    {"pow", "log mul exp"},
    {"sigmoid", "exp add div"},
    {"silu", "exp add div mul"},
    {"gelu", "erf add mul mul mul"},
    {"gelu_tanh", "tanh add add mul mul mul mul mul mul"},
    {"softplus", "exp add log"},
    {"hard_sigmoid", "mul add max max"},
    {"hard_swish", "mul mul add max max"},
    {"leaky", "mul max"},
    {"elu", "exp add mul max"}};

std::vector<std::string> Split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// An input as the unit asks for it: the number of a word for every use, in order.
struct Asked {
  std::string tensor;
  std::vector<int64_t> words;
  bool once = false;  // whatever the order, each word comes once
};

class Twin {
 public:
  Twin(const Graph& graph, const GraphNode& node, const Architecture& architecture)
      : graph_(graph), node_(node), arch_(architecture), levels_(architecture.levels.size()) {}

  TwinVectorCost Run() {
    ReadNode();
    DealOutRows();
    CountOperations();
    if (!result_.counted) return result_;
    MakeRoom();
    if (passes_ > 1) MoveRows();
    for (const Asked& input : asked_) Move(input);
    for (int64_t i = 0; i < written_; ++i) StepOut("Outputs", 0);
    Finish();
    return result_;
  }

 private:
  const Shape& In(size_t i) const { return graph_.values[node_.inputs[i]].shape; }
  const Shape& Out() const { return graph_.values[node_.outputs[0]].shape; }
  static int64_t Product(const Shape& shape) {
    int64_t product = 1;
    for (const int64_t extent : shape) product *= extent;
    return product;
  }
  std::string TensorOf(size_t i) const {
    ValueId v = node_.inputs[i];
    while (graph_.values[v].alias_of) v = *graph_.values[v].alias_of;
    return graph_.values[v].role == ValueRole::kWeight ? "Weights" : "Inputs";
  }

  // ---- What the node computes

  void Op(const std::string& name, int64_t times = 1) { row_ops_[name] += times; }

  void ReadNode() {
    for (const ValueId v : node_.outputs) written_ += Product(graph_.values[v].shape);
    const std::string op(InfoOf(node_.op).name);
    std::string function = Name(node_.attributes.function);
    const int64_t first = node_.inputs.empty() ? 0 : Product(In(0));
    int64_t last = node_.inputs.empty() || In(0).empty() ? 1 : In(0).back();
    const std::vector<int64_t>& axes = node_.attributes.axes;
    if (!axes.empty()) last = 1;
    for (const int64_t axis : axes) last *= In(0)[static_cast<size_t>(axis)];
    if (op == "norm" && function == "any") {
      function = In(0).size() <= 3 || !axes.empty() ? "layer" : "batch";
    }
    if (op == "elementwise") {
      rows_ = Product(Out());
      for (const std::string& one : Split(kElementwise.at(function))) Op(one);
      const bool folds = function == "add" || function == "mul" || function == "max";
      if (folds && node_.inputs.size() > 2) {
        Op(function, static_cast<int64_t>(node_.inputs.size()) - 2);
      }
      for (size_t i = 0; i < node_.inputs.size(); ++i) AskStretched(i);
    } else if (op == "softmax") {
      for (int64_t i = 0; i < last; ++i) {
        for (const char* one : {"max", "add", "exp", "add", "div"}) Op(one);
      }
      ReadRows(first, last, 3);
    } else if (op == "norm" && function == "batch") {
      rows_ = Product(Out());
      Op("mul");
      Op("add");
      AskInOrder(0);
      const int64_t channels = In(0).size() > 1 ? In(0)[1] : 1;
      const int64_t plane = In(0).size() > 1 ? Product(In(0)) / In(0)[0] / channels : 1;
      for (size_t i = 1; i < node_.inputs.size(); ++i) {
        Asked asked{TensorOf(i), {}};
        for (int64_t w = 0; w < rows_; ++w) asked.words.push_back(w / plane % channels);
        asked_.push_back(asked);
      }
    } else if (op == "norm") {
      int64_t row = last;
      if (function == "instance") row = first / (In(0)[0] * In(0)[1]);
      for (int64_t i = 0; i < row; ++i) {
        if (function != "rms") Op("add");
        Op("mul");
        Op("add");
        if (function != "rms") Op("add");
        Op("mul");
        if (node_.inputs.size() > 1) Op("mul");
        if (node_.inputs.size() > 2 && function != "rms") Op("add");
      }
      Op("mul", function == "rms" ? 1 : 3);
      Op("add", function == "rms" ? 1 : 2);
      Op("sqrt");
      Op("div");
      ReadRows(first, row, 2);
    } else if (op == "pool" || op == "reduce") {
      rows_ = Product(Out());
      int64_t row = (first + rows_ - 1) / rows_;
      if (op == "pool" && !node_.attributes.window.empty()) row = Product(node_.attributes.window);
      for (int64_t i = 0; i < row; ++i) {
        Op(function == "any" ? "?" : function == "mean" ? "add" : function);
      }
      if (function == "mean") Op("mul");
      // Which words windows share is of no matter; that all are asked for, as far as uses go, is.
      Asked asked{TensorOf(0), {}, true};
      for (int64_t w = 0; w < rows_ * row; ++w) asked.words.push_back(w % first);
      asked_.push_back(asked);
    } else if (op == "sort") {
      rows_ = first / last;
      Op("max", last);
      AskInOrder(0);
    } else if (op == "transpose" || op == "concat" || op == "slice") {
      rows_ = written_;
      for (size_t i = 0; i < node_.inputs.size(); ++i) {
        AskInOrder(i, op == "slice" ? std::min(written_, Product(In(i))) : Product(In(i)));
      }
    }
  }

  void AskInOrder(size_t i) { AskInOrder(i, Product(In(i))); }
  void AskInOrder(size_t i, int64_t words) {
    Asked asked{TensorOf(i), {}};
    for (int64_t w = 0; w < words; ++w) asked.words.push_back(w);
    asked_.push_back(asked);
  }

  // Stretched to the output, whose places are gone through in order.
  void AskStretched(size_t i) {
    const Shape &from = In(i), &to = Out();
    Asked asked{TensorOf(i), {}};
    for (int64_t place = 0; place < Product(to); ++place) {
      int64_t rest = place, word = 0, stride = 1;
      for (size_t d = 0; d < to.size(); ++d) {
        const size_t at = to.size() - 1 - d;
        const int64_t index = rest % to[at];
        rest /= to[at];
        if (d >= from.size()) continue;
        const int64_t extent = from[from.size() - 1 - d];
        word += (extent == 1 ? 0 : index) * stride;
        stride *= extent;
      }
      asked.words.push_back(word);
    }
    asked_.push_back(asked);
  }

  void ReadRows(int64_t words, int64_t row, int passes) {
    rows_ = words / row;
    row_words_ = row;
    passes_ = passes;
    const bool instance = std::string(Name(node_.attributes.function)) == "instance";
    for (size_t i = 1; i < node_.inputs.size(); ++i) {
      Asked asked{TensorOf(i), {}};
      const int64_t own = Product(In(i));
      for (int64_t w = 0; w < words; ++w) asked.words.push_back((instance ? w / row : w) % own);
      asked_.push_back(asked);
    }
  }

  // ---- Who does it

  int64_t LanesBelow(size_t l) const {
    const Fanout& fanout = arch_.levels[LevelId(l)].fanout;
    return fanout.x * fanout.y;
  }

  // Row by row to another unit, as far apart as possible: the outermost fan-out turns first.
  void DealOutRows() {
    const size_t inside = arch_.vector_units.below.value() + (arch_.vector_units.in_fanout ? 1 : 0);
    active_.resize(levels_);
    for (int64_t row = 0; row < std::max<int64_t>(rows_, 1); ++row) {
      std::vector<int64_t> place;  // the lane in each fan-out
      int64_t turn = row;
      for (size_t l = 0; l < inside; ++l) {
        place.push_back(turn % LanesBelow(l));
        turn /= LanesBelow(l);
      }
      ++rows_of_[place];
      for (size_t l = 0; l < levels_; ++l) {
        // Levels further inside: as many as there could be at work.
        if (l > inside) continue;
        active_[l].insert(
            std::vector<int64_t>(place.begin(), place.begin() + static_cast<int64_t>(l)));
      }
    }
  }
  int64_t Active(size_t l) const { return static_cast<int64_t>(active_[l].size()); }

  void CountOperations() {
    const std::vector<VectorUnit>& units = arch_.vector_units.units;
    std::vector<int64_t> of_row(units.size(), 0);
    for (const auto& [name, times] : row_ops_) {
      size_t u = 0;
      while (name != "?" && u < units.size() && !units[u].ops.all &&
             std::none_of(units[u].ops.ops.begin(), units[u].ops.ops.end(),
                          [&, n = name](VectorOp op) { return n == Name(op); })) {
        ++u;
      }
      if (u == units.size()) {
        result_.counted = false;
        return;
      }
      of_row[u] += times;
    }
    for (const auto& [place, rows] : rows_of_) {
      for (size_t u = 0; u < units.size(); ++u) {
        const auto operations = static_cast<double>(rows * of_row[u]);
        compute_cycles_ =
            std::max(compute_cycles_, std::ceil(operations / units[u].ops_per_cycle - 1e-9));
        if (rows_ == 0) continue;
        result_.operations += rows * of_row[u];
        operation_pj_ += operations * units[u].energy_pj;
      }
    }
  }

  // ---- What moves

  std::vector<size_t> Path(const std::string& tensor) const {
    std::vector<size_t> path = {0};
    for (size_t l = 1; l <= arch_.vector_units.below.value(); ++l) {
      if (KeepRuleOf(arch_.levels[LevelId(l)], tensor) != KeepRule::kBypass) path.push_back(l);
    }
    return path;
  }
  Counts& At(size_t l, const std::string& tensor) { return result_.counts[{l, tensor}]; }

  void MakeRoom() {
    for (size_t l = 0; l < levels_; ++l) {
      for (const char* tensor : {"Weights", "Inputs", "Outputs"})
        room_[MemoryOf(l, tensor)] = Whole(l, tensor);
    }
  }
  // A level without partitions has one memory for all.
  std::string MemoryOf(size_t l, const std::string& tensor) const {
    return std::to_string(l) + (arch_.levels[LevelId(l)].partitions.empty() ? "" : tensor);
  }
  // In bits.
  double Whole(size_t l, const std::string& tensor) const {
    const Level& level = arch_.levels[LevelId(l)];
    const auto bits = [&](std::optional<int64_t> words, int width) {
      return words ? std::floor(static_cast<double>(*words) / level.buffering) * width : kInfinity;
    };
    for (const Partition& part : level.partitions) {
      if (part.tensor == tensor) return bits(part.capacity_words, part.word_bits);
    }
    return level.partitions.empty() ? bits(level.capacity_words, level.word_bits) : 0;
  }
  bool Holds(size_t l, const std::string& tensor, int64_t words) {
    double& left = room_[MemoryOf(l, tensor)];
    const double bits = static_cast<double>(words) * WordBitsOf(arch_.levels[LevelId(l)], tensor);
    if (bits > left) return false;
    left -= bits;
    return true;
  }

  // One word, one hop inwards or outwards.
  void HopIn(const std::vector<size_t>& path, size_t i, const std::string& tensor) {
    ++At(path[i], tensor).reads;
    ++At(path[i + 1], tensor).fills;
  }
  void StepIn(const std::string& tensor, size_t from) {
    const auto path = Path(tensor);
    for (size_t i = from; i + 1 < path.size(); ++i) HopIn(path, i, tensor);
  }
  void StepOut(const std::string& tensor, size_t to) {
    const auto path = Path(tensor);
    ++At(path.back(), tensor).updates;
    for (size_t i = path.size() - 1; i > to; --i) {
      ++At(path[i], tensor).drains;
      ++At(path[i - 1], tensor).updates;
    }
  }

  void MoveRows() {
    const std::string tensor = TensorOf(0);
    const auto path = Path(tensor);
    size_t held = path.size() - 1;
    for (; held > 0; --held) {
      // Rows in work below the busiest instance.
      std::map<std::vector<int64_t>, int64_t> units;
      int64_t most = 0;
      for (const auto& [place, rows] : rows_of_) {
        std::vector<int64_t> above(place.begin(), place.begin() + static_cast<int64_t>(path[held]));
        most = std::max(most, ++units[above]);
      }
      if (Holds(path[held], tensor, most * row_words_)) break;
    }
    result_.held_in = arch_.levels[LevelId(path[held])].name;
    for (int64_t row = 0; row < rows_; ++row) {
      for (int pass = 1; pass <= passes_; ++pass) {
        for (int64_t word = 0; word < row_words_; ++word) {
          StepIn(tensor, pass == 1 ? 0 : held);
          ++At(path.back(), tensor).reads;
          if (node_.op == inlay::Op::kSoftmax && pass == 2) StepOut(tensor, held);
        }
      }
    }
  }

  void Move(const Asked& input) {
    const auto path = Path(input.tensor);
    const std::set<int64_t> words(input.words.begin(), input.words.end());
    int64_t steps = 0;
    for (size_t i = 0; i < input.words.size(); ++i) {
      if (i == 0 || input.words[i] != input.words[i - 1]) ++steps;
    }
    const bool once = input.once || steps == static_cast<int64_t>(words.size());
    size_t held = path.size() - 1;
    if (!once) {
      while (held > 0 && !Holds(path[held], input.tensor, static_cast<int64_t>(words.size())))
        --held;
      for (size_t i = 0; i < held; ++i) Spread(input.tensor, path[i], path[i + 1], words.size());
    }
    std::set<int64_t> seen;
    for (size_t i = 0; i < input.words.size(); ++i) {
      const int64_t word = input.words[i];
      ++At(path.back(), input.tensor).reads;
      if (once) {
        if (seen.insert(word).second) StepIn(input.tensor, 0);
      } else if (i == 0 || word != input.words[i - 1]) {
        StepIn(input.tensor, held);
      }
    }
  }

  // A whole input into every instance at work.
  void Spread(const std::string& tensor, size_t from, size_t to, size_t words) {
    bool multicast = true;
    for (size_t l = from; l < to; ++l) {
      multicast &=
          LanesBelow(l) == 1 || arch_.levels[LevelId(l)].fanout.multicast == Multicast::kTile;
    }
    for (size_t word = 0; word < words; ++word) {
      std::set<std::vector<int64_t>> senders;
      for (const auto& instance : active_[to]) {
        ++At(to, tensor).fills;
        const std::vector<int64_t> sender(instance.begin(),
                                          instance.begin() + static_cast<int64_t>(from));
        if (!multicast || senders.insert(sender).second) ++At(from, tensor).reads;
      }
    }
  }

  // ---- Time and energy

  struct Flow {
    double out = 0, in = 0;  // reads and drains; fills and updates
  };
  // The slowest of a level's ports, in cycles.
  double Ports(size_t l, const std::map<std::string, Flow>& flows) const {
    const Level& level = arch_.levels[LevelId(l)];
    std::map<std::string, Flow> by_port;
    for (const auto& [tensor, flow] : flows) {
      Flow& port = by_port[level.partitions.empty() ? "" : tensor];
      port.out += flow.out;
      port.in += flow.in;
    }
    double most = 0;
    const auto lanes = static_cast<double>(Active(l));
    for (const auto& [name, flow] : by_port) {
      if (level.read_bandwidth) most = std::max(most, flow.out / lanes / *level.read_bandwidth);
      if (level.write_bandwidth) most = std::max(most, flow.in / lanes / *level.write_bandwidth);
      if (level.shared_bandwidth) {
        most = std::max(most, (flow.out + flow.in) / lanes / *level.shared_bandwidth);
      }
    }
    return most;
  }
  std::map<std::string, Flow> FlowsOf(size_t l) const {
    std::map<std::string, Flow> flows;
    for (const auto& [at, n] : result_.counts) {
      if (at.first != l) continue;
      flows[at.second] = {static_cast<double>(n.reads + n.drains),
                          static_cast<double>(n.fills + n.updates)};
    }
    return flows;
  }

  // The nearest level further out with words of the tensor; -1: none.
  int FeederOf(size_t l, const std::string& tensor) const {
    for (int f = static_cast<int>(l) - 1; f >= 0; --f) {
      const auto at = result_.counts.find({static_cast<size_t>(f), tensor});
      if (at != result_.counts.end() && at->second != Counts()) return f;
    }
    return -1;
  }
  double Wait(size_t f, size_t l) const {
    double wait = arch_.levels[LevelId(f)].latency_cycles;
    const size_t inside = arch_.vector_units.below.value() + (arch_.vector_units.in_fanout ? 1 : 0);
    for (size_t k = f; k < l && k < inside; ++k)
      wait += arch_.levels[LevelId(k)].fanout.skew_cycles;
    return wait;
  }
  bool Kept(size_t l, const std::string& tensor) const {
    const auto at = result_.counts.find({l, tensor});
    return at != result_.counts.end() && at->second != Counts();
  }
  double LongestWait(size_t l) const {
    double longest = 0;
    for (const char* tensor : {"Weights", "Inputs"}) {
      if (l < levels_ && !Kept(l, tensor)) continue;
      const int f = FeederOf(l, tensor);
      if (f >= 0) longest = std::max(longest, Wait(static_cast<size_t>(f), l));
    }
    return longest;
  }

  // The tile of a tensor, all levels halved so often; 0 where nothing comes.
  int64_t TileOf(size_t l, const std::string& tensor, int halvings) const {
    const auto at = result_.counts.find({l, tensor});
    if (at == result_.counts.end()) return 0;
    const int64_t comes = std::max(at->second.fills, at->second.drains);
    if (comes == 0) return 0;
    const Level& level = arch_.levels[LevelId(l)];
    double bits = 0;
    for (const char* other : {"Weights", "Inputs", "Outputs"}) {
      const bool alone = !level.partitions.empty() && tensor != other;
      if (!alone && Kept(l, other)) bits += WordBitsOf(level, other);
    }
    const double fits =
        std::min(std::floor(Whole(l, tensor) / bits),
                 std::ceil(static_cast<double>(comes) / static_cast<double>(Active(l))));
    const auto tile = std::max<int64_t>(1, static_cast<int64_t>(fits));
    return std::max<int64_t>(1, tile >> halvings);
  }

  // Rules 1 to 9 of the page on time, with tiles of this size.
  double Timed(int halvings, double dynamic_pj) const {
    double d = compute_cycles_, start = LongestWait(levels_);
    for (size_t l = levels_; l-- > 0;) {
      const Level& level = arch_.levels[LevelId(l)];
      const double ports = Ports(l, FlowsOf(l)), wait = LongestWait(l);
      const bool engine = level.transfer_cycles > 0 || level.overlap != Overlap::kStream;
      double x = 0, first = 0;
      if (engine) {
        double moves = 0, requests = 0, inputs = 0, load = 0, store = 0;
        std::map<std::string, Flow> own_in, own_out;
        std::map<size_t, std::map<std::string, Flow>> sent, taken;
        std::map<size_t, std::map<std::string, double>> first_words;
        for (const char* tensor : {"Weights", "Inputs", "Outputs"}) {
          const int f = FeederOf(l, tensor);
          if (!Kept(l, tensor) || f < 0) continue;
          const auto feeder = static_cast<size_t>(f);
          const Counts &own = result_.counts.at({l, tensor}),
                       &its = result_.counts.at({feeder, tensor});
          const int64_t tile = TileOf(l, tensor, halvings);
          const double tiles =
              tile == 0 ? 0
                        : std::ceil(static_cast<double>(std::max(own.fills, own.drains)) /
                                    static_cast<double>(Active(l) * tile));
          moves += tiles;
          own_in[tensor].in = static_cast<double>(own.fills);
          own_out[tensor].out = static_cast<double>(own.drains);
          sent[feeder][tensor].out = static_cast<double>(its.reads);
          taken[feeder][tensor].in = static_cast<double>(its.updates);
          if (std::string(tensor) == "Outputs" || tile == 0) continue;
          requests = std::max(requests, tiles);
          ++inputs;
          first_words[feeder][tensor] = static_cast<double>(tile);
        }
        load = Ports(l, own_in);
        store = Ports(l, own_out);
        for (const auto& [f, flows] : sent) load = std::max(load, Ports(f, flows));
        for (const auto& [f, flows] : taken) store = std::max(store, Ports(f, flows));
        x = load + store + level.transfer_cycles * moves;
        if (level.overlap != Overlap::kStream) x += requests * wait;
        if (level.overlap == Overlap::kDouble && inputs > 0) {
          double slowest = 0;
          std::map<std::string, Flow> arriving;
          for (const auto& [f, tensors] : first_words) {
            std::map<std::string, Flow> leaving;
            for (const auto& [tensor, words] : tensors) {
              leaving[tensor].out = words * static_cast<double>(Active(f));  // of one instance
              arriving[tensor].in = words * static_cast<double>(Active(l));
            }
            slowest = std::max(slowest, Ports(f, leaving));
          }
          slowest = std::max(slowest, Ports(l, arriving));
          first = wait + level.transfer_cycles * inputs + slowest;
        }
      }
      switch (level.overlap) {
        case Overlap::kNone:
          d = std::max(ports, x + d);
          break;
        case Overlap::kDouble:
          d = std::max({ports, x, first + d});
          break;
        case Overlap::kStream:
          d = std::max({ports, x, d});
          start += wait;
          break;
      }
    }
    d += start;
    if (arch_.power_limit_w) {
      d = std::max(d, dynamic_pj * 1e-12 / (*arch_.power_limit_w - arch_.idle_w) * *arch_.clock_hz);
    }
    d += arch_.launch_cycles;
    return std::ceil(d - 1e-9 * std::max(1.0, d));
  }

  void Finish() {
    double energy = operation_pj_;
    for (const auto& [at, n] : result_.counts) {
      const Level& level = arch_.levels[LevelId(at.first)];
      const AccessEnergy e = EnergyOf(arch_, LevelId(at.first), at.second);
      const auto blocks = [&](int64_t words) {
        return std::ceil(static_cast<double>(words) / static_cast<double>(level.block_words));
      };
      energy += (blocks(n.reads) + blocks(n.drains)) * e.read_pj + blocks(n.fills) * e.fill_pj +
                blocks(n.updates) * e.update_pj;
    }
    if (HasTimeKeys(arch_)) {
      double best = kInfinity;
      for (int halvings = 0; halvings < 40; ++halvings)
        best = std::min(best, Timed(halvings, energy));
      result_.cycles = best;
    } else {
      double cycles = compute_cycles_;
      for (size_t l = 0; l < levels_; ++l) {
        cycles = std::max(cycles, std::ceil(Ports(l, FlowsOf(l)) - 1e-9));
      }
      result_.cycles = cycles;
    }
    for (size_t l = 0; l < levels_; ++l) {
      int64_t instances = 1;
      for (size_t k = 0; k < l; ++k) instances *= LanesBelow(k);
      energy += arch_.levels[LevelId(l)].leakage_pj_per_cycle * static_cast<double>(instances) *
                result_.cycles;
    }
    if (arch_.clock_hz) energy += arch_.idle_w * 1e12 / *arch_.clock_hz * result_.cycles;
    result_.energy_pj = energy;
  }

  const Graph& graph_;
  const GraphNode& node_;
  const Architecture& arch_;
  size_t levels_;
  TwinVectorCost result_;
  int64_t rows_ = 0, row_words_ = 0, written_ = 0;
  int passes_ = 1;
  std::map<std::string, int64_t> row_ops_;
  std::vector<Asked> asked_;
  std::map<std::vector<int64_t>, int64_t> rows_of_;  // by the unit's place
  std::vector<std::set<std::vector<int64_t>>> active_;
  std::map<std::string, double> room_;
  double compute_cycles_ = 1, operation_pj_ = 0;
};

}  // namespace

TwinVectorCost TwinVectorCostOf(const Graph& graph, const GraphNode& node,
                                const Architecture& architecture) {
  return Twin(graph, node, architecture).Run();
}

}  // namespace inlay::testing
