#include "inlay/io/timeloop/class_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <utility>

#include "inlay/core/units.h"
#include "inlay/io/library/library.h"
#include "inlay/io/timeloop/expression.h"

namespace inlay::io::timeloop {
namespace {

constexpr std::string_view kFamily = "cmos-";
constexpr double kPicojoulesPerMicrojoule = 1e6;

std::optional<double> NumberAtStart(std::string_view text, std::string_view* rest) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc()) return std::nullopt;
  *rest = text.substr(static_cast<size_t>(end.ptr - text.data()));
  return value;
}

// 45 of "45nm", "45 nm" and 45.
std::optional<double> NodeOf(const Component& component) {
  const Node* technology = component.scope.Find("technology");
  if (technology == nullptr || !technology->IsScalar()) return std::nullopt;
  std::string_view rest;
  const auto node = NumberAtStart(technology->text, &rest);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!node || !(rest.empty() || rest == "nm")) return std::nullopt;
  return node;
}

// The first of these attributes that has a number.
std::optional<double> NumberOf(const Component& component,
                               std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Node* node = component.scope.Find(name);
    if (node == nullptr) continue;
    const auto value = EvaluateNumber(*node, name, component.scope);
    if (value) return *value;
  }
  return std::nullopt;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The class that Accelergy prices: of a storage, its subclass.
const std::string& PricedClass(const Component& component) {
  return component.subclass_name.empty() ? component.class_name : component.subclass_name;
}

std::optional<MemoryKind> KindOfClass(std::string_view name) {
  if (Contains(name, "DRAM")) return MemoryKind::kDram;
  if (Contains(name, "SRAM") || name == "smartbuffer_metadata") return MemoryKind::kSram;
  for (const std::string_view part : {"regfile", "_RF", "register"}) {
    if (Contains(name, part)) return MemoryKind::kRegister;
  }
  return std::nullopt;
}

// Two ports that both read and write are priced as one, as Accelergy's own classes do.
MemoryPorts PortsOf(const Component& component) {
  const double reads = NumberOf(component, {"n_rd_ports"}).value_or(0);
  const double writes = NumberOf(component, {"n_wr_ports"}).value_or(0);
  return reads >= 1 && writes >= 1 ? MemoryPorts::kReadAndWrite : MemoryPorts::kReadOrWrite;
}

// The type as technologies name it.
std::string DramName(const Component& component) {
  const Node* type = component.scope.Find("type");
  std::string name = type != nullptr && type->IsScalar() ? type->text : "LPDDR4";
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool IsInteger(std::string_view class_name) {
  return class_name == "mac" || Contains(class_name, "intmac");
}
bool IsFloat(std::string_view class_name) { return Contains(class_name, "fpmac"); }

double Mixed(double low, double high, double share) { return low + (high - low) * share; }

}  // namespace

Level AsClass(const Component& component, int64_t cluster_size, const Level& level) {
  Level bare = level;
  bare.energy.reset();
  const auto kind = KindOfClass(PricedClass(component));
  if (!kind) return bare;
  bare.kind = *kind;
  bare.block_words = level.block_words * cluster_size;
  if (*kind == MemoryKind::kDram) {
    bare.dram = DramName(component);
  } else if (bare.capacity_words) {
    bare.capacity_words = *bare.capacity_words * cluster_size;
  } else {
    bare.capacity_words = bare.block_words;  // one row
  }
  if (*kind == MemoryKind::kSram) bare.ports = PortsOf(component);
  return bare;
}

Compute AsClass(const Component& component, const Compute& compute) {
  Compute bare = compute;
  bare.energy_pj.reset();
  const std::string& name = PricedClass(component);
  if (IsFloat(name)) {
    const auto exponent = NumberOf(component, {"exponent"});
    const auto mantissa = NumberOf(component, {"mantissa"});
    const double bits = exponent && mantissa
                            ? *exponent + *mantissa
                            : NumberOf(component, {"width"}).value_or(compute.word_bits);
    bare.type = fmt::format("fp{:g}", bits);
  } else if (IsInteger(name)) {
    const double bits =
        NumberOf(component, {"multiplier_width", "width"}).value_or(compute.word_bits);
    if (bits >= 1 && bits <= static_cast<double>(kMostWordBits)) {
      bare.word_bits = static_cast<int>(bits);
    }
  }
  return bare;
}

const Technology* ClassPrices::Load(const std::string& name) {
  const auto known = loaded_.find(name);
  if (known != loaded_.end()) return &known->second;
  auto technology = LoadBuiltinTechnology(name);
  if (!technology) return nullptr;
  return &loaded_.emplace(name, *std::move(technology)).first->second;
}

std::optional<ClassPrices::Neighbours> ClassPrices::TechnologiesOf(const Component& component) {
  const auto node = NodeOf(component);
  if (has_ert_ || !node) return std::nullopt;
  std::map<double, std::string> family;
  for (const Builtin& builtin : ListBuiltins(BuiltinKind::kTechnology)) {
    std::string_view rest = builtin.name;
    if (!rest.starts_with(kFamily)) continue;
    rest.remove_prefix(kFamily.size());
    if (const auto nm = NumberAtStart(rest, &rest)) family.emplace(*nm, builtin.name);
  }
  const auto high = family.lower_bound(*node);
  if (high == family.end()) return std::nullopt;
  if (high->first == *node) {
    const Technology* exact = Load(high->second);
    if (exact == nullptr) return std::nullopt;
    return Neighbours{exact, exact, 0, high->second};
  }
  if (high == family.begin()) return std::nullopt;
  const auto low = std::prev(high);
  Neighbours neighbours = {Load(low->second), Load(high->second),
                           (*node - low->first) / (high->first - low->first),
                           low->second + " and " + high->second};
  if (neighbours.low == nullptr || neighbours.high == nullptr) return std::nullopt;
  return neighbours;
}

bool ClassPrices::Price(const Component& component, int64_t cluster_size, Level* level) {
  const auto technologies = TechnologiesOf(component);
  if (!technologies) return false;
  if (!KindOfClass(PricedClass(component))) return false;
  const Level bare = AsClass(component, cluster_size, *level);
  if (!bare.dram.empty() && FindDram(*technologies->low, bare.dram) == nullptr) return false;
  struct Prices {
    AccessEnergy energy;
    double leakage_uw = 0;
  };
  const auto prices_by = [&bare](const Technology& technology) {
    Architecture alone;
    alone.technology = technology;
    alone.levels.push_back(bare);
    return Prices{EnergyOf(alone, LevelId(0), ""), LeakageUw(alone, LevelId(0))};
  };
  const Prices low = prices_by(*technologies->low);
  const Prices high = prices_by(*technologies->high);
  const auto mixed = [&](double AccessEnergy::*figure) {
    return Mixed(low.energy.*figure, high.energy.*figure, technologies->share) /
           static_cast<double>(cluster_size);
  };
  level->energy = {mixed(&AccessEnergy::read_pj), mixed(&AccessEnergy::fill_pj),
                   mixed(&AccessEnergy::update_pj)};
  if (const auto seconds = NumberOf(component, {"global_cycle_seconds"}); seconds && *seconds > 0) {
    level->leakage_pj_per_cycle = Mixed(low.leakage_uw, high.leakage_uw, technologies->share) *
                                  *seconds * kPicojoulesPerMicrojoule;
  }
  level->note = fmt::format("energy by class {}{}, {}", PricedClass(component),
                            bare.dram.empty() ? "" : " (" + bare.dram + ")", technologies->names);
  Note(component, PricedClass(component), technologies->names);
  return true;
}

bool ClassPrices::Price(const Component& component, Compute* compute) {
  const auto technologies = TechnologiesOf(component);
  const std::string& name = PricedClass(component);
  if (!technologies || !(IsInteger(name) || IsFloat(name))) return false;
  const Compute bare = AsClass(component, *compute);
  if (!bare.type.empty() && !HasType(*technologies->low, bare.type)) return false;
  const auto price_by = [&bare](const Technology& technology) {
    return FiguresOfMac(technology, bare.type, bare.word_bits).energy_pj;
  };
  compute->energy_pj =
      Mixed(price_by(*technologies->low), price_by(*technologies->high), technologies->share);
  Note(component, PricedClass(component), technologies->names);
  return true;
}

void ClassPrices::Note(const Component& component, const std::string& what,
                       const std::string& technologies) {
  priced_.push_back(fmt::format("'{}' as {}", component.name, what));
  if (!Contains(technologies_, technologies)) {
    technologies_ += (technologies_.empty() ? "" : ", ") + technologies;
  }
}

void ClassPrices::Warn(const Node& section, Report* report) const {
  if (priced_.empty()) return;
  std::string list;
  for (const std::string& one : priced_) list += (list.empty() ? "" : ", ") + one;
  report->Warn(
      section,
      fmt::format("no ERT: energies are estimated by class with {}: {}", technologies_, list),
      "for Accelergy's own, give the ERT that it writes");
}

}  // namespace inlay::io::timeloop
