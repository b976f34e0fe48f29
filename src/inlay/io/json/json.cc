#include "inlay/io/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inlay/base/utf8.h"
#include "inlay/io/json/json_place.h"

namespace inlay::io {
namespace {

constexpr double kLargestWhole = 9007199254740992;  // 2^53: above it doubles skip whole numbers

bool IsShort(const Json& json) {
  constexpr size_t kLongestLine = 72;
  const bool flat =
      std::all_of(json.begin(), json.end(), [](const Json& item) { return !item.is_structured(); });
  return flat && DumpLine(json).size() <= kLongestLine;
}

// What is short stands on one line, everything else one item a line.
void DumpTo(const Json& json, const std::string& indent, std::string* out) {
  if (!json.is_structured() || json.empty()) {
    *out += DumpLine(json);
    return;
  }
  const bool one_line = IsShort(json);
  const std::string deeper = indent + "  ";
  *out += json.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (!first) *out += one_line ? ", " : ",";
    if (!one_line) *out += "\n" + deeper;
    if (json.is_object()) *out += DumpLine(key) + ": ";
    DumpTo(value, deeper, out);
    first = false;
  }
  if (!one_line) *out += "\n" + indent;
  *out += json.is_array() ? "]" : "}";
}

// What Member returns for a key that is not there; a null that is there is another object.
const Json& Missing() {
  static const Json missing;
  return missing;
}
bool IsMissing(const Json& json) { return &json == &Missing(); }

// Keeps only the first fault of a text.
class FirstFault final : public nlohmann::json_sax<Json> {
 public:
  size_t place() const { return behind_ - std::min(behind_, token_.size()); }
  const std::string& token() const { return token_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(size_t /*size*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t /*size*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& /*fault*/) override {
    behind_ = position;
    token_ = token;
    return false;
  }

 private:
  size_t behind_ = 0;
  std::string token_;
};

Diagnostic AboutHugeNumber(const Source& source) {
  FirstFault fault;
  Json::sax_parse(source.text, &fault);
  return MakeErrorAt(PlaceAt(source, fault.place()),
                     "the number " + fault.token() + " is too large",
                     "no number of a result is above 1.8e308");
}

// DEL and the control characters from U+0080 to U+009F as escapes, as the library writes the
// others: they only stand in texts.
std::string WithoutControls(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  std::string_view rest = json;
  while (!rest.empty()) {
    const std::string_view before = rest;
    const char32_t code = TakeCodePoint(&rest);
    if (code >= 0x7F && code < 0xA0) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
    } else {
      out += before.substr(0, before.size() - rest.size());
    }
  }
  return out;
}

}  // namespace

std::string JoinPath(const std::string& path, const char* key) {
  return path.empty() || path.back() == '.' ? path + key : path + "." + key;
}

Json Compact(double value) {
  if (std::abs(value) <= kLargestWhole && std::floor(value) == value) {
    return static_cast<int64_t>(value);
  }
  return value;
}

std::string DumpLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Dump(const Json& json) {
  std::string out;
  DumpTo(json, "", &out);
  return WithoutControls(out) + "\n";
}

void DumpWithList(const Json& json, const std::string& key,
                  const std::function<void(const ItemSink& put)>& items, const TextSink& put) {
  const std::string deeper = "  ", deepest = "    ";
  const auto dump = [&put](const Json& value, const std::string& indent) {
    std::string out;
    DumpTo(value, indent, &out);
    put(WithoutControls(out));
  };
  bool first = true;
  for (const auto& [name, value] : json.items()) {
    put((first ? "{\n" : ",\n") + deeper + WithoutControls(DumpLine(name)) + ": ");
    first = false;
    if (name != key) {
      dump(value, deeper);
      continue;
    }
    bool empty = true;
    put("[");
    items([&](const Json& item) {
      put((empty ? "\n" : ",\n") + deepest);
      dump(item, deepest);
      empty = false;
    });
    put(empty ? "]" : "\n" + deeper + "]");
  }
  put("\n}\n");
}

void JsonReader::Fault(const std::string& path, const std::string& message) {
  const SourcePlace place = PlaceOfNextError(source_, path, errors_);
  errors_.push_back(MakeErrorAt(place, path.empty() ? message : path + ": " + message));
}

const Json& JsonReader::Member(const Json& object, const std::string& path, const char* key) {
  if (object.is_object()) {
    const auto found = object.find(key);
    if (found != object.end()) return *found;
  }
  Fault(JoinPath(path, key), "missing");
  return Missing();
}

int64_t JsonReader::Int(const Json& object, const std::string& path, const char* key) {
  const Json& value = Member(object, path, key);
  if (value.is_number_integer()) {
    const bool fits = !value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX;
    if (fits) return value.get<int64_t>();
  }
  if (!IsMissing(value)) Fault(JoinPath(path, key), "expected a whole number of 64 bits");
  return 0;
}

std::string JsonReader::Text(const Json& object, const std::string& path, const char* key) {
  const Json& value = Member(object, path, key);
  if (value.is_string()) return value.get<std::string>();
  if (!IsMissing(value)) Fault(JoinPath(path, key), "expected a text");
  return "";
}

const Json& JsonReader::Array(const Json& object, const std::string& path, const char* key) {
  static const Json empty = Json::array();
  const Json& value = Member(object, path, key);
  if (value.is_array()) return value;
  if (!IsMissing(value)) Fault(JoinPath(path, key), "expected a list");
  return empty;
}

const Json& JsonReader::Object(const Json& object, const std::string& path, const char* key) {
  static const Json empty = Json::object();
  const Json& value = Member(object, path, key);
  if (value.is_object()) return value;
  if (!IsMissing(value)) Fault(JoinPath(path, key), "expected an object");
  return empty;
}

Result<Json> ParseJson(const Source& source) {
  try {
    return Json::parse(source.text);
  } catch (const Json::parse_error& error) {
    const size_t end = std::min(source.text.size(), error.byte == 0 ? 0 : error.byte - 1);
    return Fail(MakeErrorAt(PlaceAt(source, end), "this is not valid JSON"));
  } catch (const Json::out_of_range&) {
    return Fail(AboutHugeNumber(source));
  }
}

}  // namespace inlay::io
