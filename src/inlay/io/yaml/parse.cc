#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <memory>
#include <streambuf>
#include <utility>

#include "inlay/io/yaml/builder.h"
#include "inlay/io/yaml/node.h"
#include "inlay/io/yaml/parse_past_repeats.h"

namespace inlay::io {
namespace {

// The scanner keeps every token of a flow collection until it knows whether the collection is a
// key: a hundred million brackets would fill the memory before the first event. So the distance
// between what has been read and what has become of it is bounded.
constexpr size_t kLongestLookahead = size_t{4} << 20;  // bytes

class LookaheadExceeded : public std::exception {};

class GuardedBuffer : public std::streambuf {
 public:
  GuardedBuffer(std::string_view text, const Builder& builder) : text_(text), builder_(builder) {}

 protected:
  std::streamsize xsgetn(char* out, std::streamsize size) override {
    const size_t count = std::min(static_cast<size_t>(size), text_.size() - read_);
    if (read_ + count > builder_.position() + kLongestLookahead) throw LookaheadExceeded();
    std::memcpy(out, text_.data() + read_, count);
    read_ += count;
    return static_cast<std::streamsize>(count);
  }
  int_type underflow() override {
    return read_ < text_.size() ? traits_type::to_int_type(text_[read_]) : traits_type::eof();
  }
  int_type uflow() override {
    char c = 0;
    return xsgetn(&c, 1) == 1 ? traits_type::to_int_type(c) : traits_type::eof();
  }
  int_type pbackfail(int_type c) override {  // the parser looks for a byte order mark first
    if (read_ == 0) return traits_type::eof();
    --read_;
    return traits_type::not_eof(c);
  }

 private:
  std::string_view text_;
  const Builder& builder_;
  size_t read_ = 0;
};

bool HasTabIndentation(std::string_view line) {
  const size_t indentation = line.find_first_not_of(" \t");
  return line.substr(0, indentation).find('\t') != std::string_view::npos;
}

// The parser's complaint in our words where ours are clearer.
Diagnostic SyntaxError(const std::shared_ptr<const Source>& source, const Builder& builder,
                       const YAML::Exception& error) {
  Node at;
  at.source = source;
  if (!error.mark.is_null()) at = builder.NodeAt(error.mark);
  const std::string_view line = LineOf(*at.source, at.line);
  if (HasTabIndentation(line)) {
    at.column = static_cast<int>(line.find('\t')) + 1;
    return at.Error("a tab in the indentation", "YAML is indented with spaces only");
  }
  std::string hint;
  if (error.msg == YAML::ErrorMsg::MAP_VALUE) {
    hint = "check the indentation; a text that contains ': ' must be quoted";
  } else if (error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) {
    hint = "an anchor '&name' must stand before its aliases '*name', in the same document";
  } else if (error.msg == YAML::ErrorMsg::UNKNOWN_TOKEN) {
    hint = "a text that starts with a special character must be quoted";
  }
  return at.Error("not valid YAML: " + error.msg, hint);
}

Diagnostic LookaheadError(const Source& source, const Builder& builder) {
  const auto begin = source.text.begin();
  const size_t position = std::min(builder.position(), source.text.size());
  YAML::Mark mark;
  mark.pos = static_cast<int>(position);
  mark.line =
      static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(position), '\n'));
  Node at = builder.NodeAt(mark);
  at.column = 1;
  at.line_start = std::string::npos;
  return at.Error(
      fmt::format("a value or comment is longer than {} MiB, or brackets are never closed",
                  kLongestLookahead >> 20));
}

Result<std::vector<Node>> Parse(Diagnostics* repeated, const std::shared_ptr<const Source>& shared,
                                const AssembledText* assembled, const YamlLimits& limits) {
  Builder builder(shared, limits, assembled);
  Diagnostics faults;
  bool stopped = false;
  try {
    GuardedBuffer buffer(shared->text, builder);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    builder.CheckEnd();
  } catch (const YAML::Exception& error) {
    faults.push_back(SyntaxError(shared, builder, error));
  } catch (const LookaheadExceeded&) {
    faults.push_back(LookaheadError(*shared, builder));
  } catch (const ParseStopped&) {
    stopped = true;  // the builder has said why
  }
  const bool whole = !stopped && faults.empty() && builder.HoldsAll();
  faults.insert(faults.begin(), builder.faults().begin(), builder.faults().end());
  if (!whole) return Fail(std::move(faults));
  *repeated = std::move(faults);
  return builder.TakeDocuments();
}

}  // namespace

Result<std::vector<Node>> ParseYamlPastRepeats(Diagnostics* repeated, Source source,
                                               const YamlLimits& limits) {
  auto clean = MakeSource(std::move(source.name), std::move(source.text));
  if (!clean) return Fail(std::move(clean.error()));
  return Parse(repeated, std::make_shared<const Source>(*std::move(clean)), nullptr, limits);
}

Result<std::vector<Node>> ParseYaml(Source source, const YamlLimits& limits) {
  Diagnostics repeated;
  auto documents = ParseYamlPastRepeats(&repeated, std::move(source), limits);
  if (documents && !repeated.empty()) return Fail(std::move(repeated));
  return documents;
}

Result<std::vector<Node>> ParseYaml(const AssembledText& text, std::string name,
                                    const YamlLimits& limits) {
  Diagnostics repeated;
  const auto shared = std::make_shared<const Source>(Source{std::move(name), text.text()});
  auto documents = Parse(&repeated, shared, &text, limits);
  if (documents && !repeated.empty()) return Fail(std::move(repeated));
  return documents;
}

}  // namespace inlay::io
