#include "inlay/io/timeloop/template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "inlay/base/suggest.h"
#include "inlay/io/timeloop/expression.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/timeloop/template_expression.h"
#include "inlay/io/timeloop/template_pieces.h"
#include "inlay/io/yaml/assembled_text.h"

namespace inlay::io::timeloop {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostIncludes = 1000;
constexpr size_t kDeepestInclude = 20;
constexpr size_t kMostTemplateErrors = 500;     // after so many, nothing more is expanded
constexpr size_t kMostText = size_t{64} << 20;  // bytes of all texts that are put together
constexpr const char* kHintForComments =
    "Jinja2 expands comments of YAML, too; '{# … #}' is a comment of its own";

// One template while it is expanded.
struct Frame {
  std::shared_ptr<const Source> source;
  fs::path folder;
  std::vector<std::string> search;  // folders, besides its own
  std::map<std::string, TemplateValue, std::less<>> variables;
  std::set<std::string> set_here;  // those that the template sets
  AssembledText* out = nullptr;
  size_t at = 0;         // offset of the expression at hand
  AssembledText places;  // the source, whose lines and columns it knows
};

// What {% end… %} ends in Jinja2, but for 'set', which does so only without a '='.
constexpr std::array<std::string_view, 9> kBlocks = {
    "if", "for", "macro", "raw", "call", "filter", "block", "with", "autoescape"};

// An {% if %} and its branches, or a block that is not read here: left out as a whole.
struct Branch {
  size_t offset = 0;
  std::string_view block = "if";
  bool outside = true;   // whether what is around it counts
  bool active = false;   // whether this branch does
  bool decided = false;  // whether one of its branches did or does
  bool last = false;     // {% else %} was there
};

class TemplateExpander {
 public:
  TemplateExpander(const TemplateValues& values, TemplateUse* use) : use_(use) {
    for (const auto& [name, text] : values) values_[name] = ParseTemplateValue(text);
  }

  // The documents of a file; none after errors.
  std::optional<std::vector<Node>> Documents(std::shared_ptr<const Source> source,
                                             std::vector<std::string> search) {
    const size_t before = errors_.size();
    const std::string name = source->name;
    AssembledText text;
    Expand(std::move(source), std::move(search), &text);
    if (errors_.size() > before || written_ > kMostText) return std::nullopt;
    auto documents = ParseYaml(text, name);
    if (documents) return *std::move(documents);
    inlay::Append(std::move(documents.error()), &errors_);
    return std::nullopt;
  }

  Diagnostics TakeErrors() { return std::move(errors_); }

 private:
  static Node NodeAt(const Frame& frame, size_t offset) {
    const AssembledText::Place place = frame.places.PlaceOf(offset);
    Node node;
    node.source = frame.source;
    node.line = std::max(place.line, 1);
    node.column = std::max(place.column, 1);
    node.line_start = place.line_start;
    return node;
  }

  void Error(const Frame& frame, size_t offset, std::string message, std::string hint = "") {
    if (TooManyErrors()) return;
    if (IsInComment(frame.source->text, offset)) {
      hint += (hint.empty() ? "" : "; ") + std::string(kHintForComments);
    }
    errors_.push_back(NodeAt(frame, offset).Error(std::move(message), std::move(hint)));
  }

  bool TooManyErrors() const { return errors_.size() >= kMostTemplateErrors; }

  // Within an expression, whose text starts at `begin`.
  TemplateScope ScopeOf(Frame* frame, size_t begin) {
    TemplateScope scope;
    scope.variables = &frame->variables;
    scope.ask = [this, frame](const std::string& name) {
      if (!frame->set_here.contains(name)) use_->asked.insert(name);
    };
    scope.set_in = [this](const std::string& name) -> std::string {
      const auto found = set_in_.find(name);
      return found == set_in_.end() ? "" : found->second;
    };
    scope.report = [this, frame, begin](TemplateFault fault) {
      Error(*frame, begin + fault.offset, std::move(fault.message), std::move(fault.hint));
    };
    scope.call = [this, frame, begin](const TemplateExpression& call,
                                      const TemplateValue::List& arguments) {
      frame->at = begin + call.offset;
      return Call(frame, call.name, arguments);
    };
    return scope;
  }

  // --- Templates.

  void Expand(std::shared_ptr<const Source> source, std::vector<std::string> search,
              AssembledText* out) {
    Frame frame{std::move(source), {}, std::move(search), values_, {}, out, 0, {}};
    frame.places.Copy(frame.source, 0, frame.source->text.size());
    frame.folder = fs::path(frame.source->name).parent_path();
    if (frame.folder.empty()) frame.folder = ".";
    if (const size_t tag = frame.source->text.find(AssembledText::kValueTag);
        tag != std::string::npos) {
      return Error(frame, tag, fmt::format("the tag '{}' is reserved", AssembledText::kValueTag),
                   "give it another name");
    }
    stack_.push_back(frame.source->name);
    std::vector<TemplateFault> faults;
    const auto pieces = CutTemplate(frame.source->text, &faults);
    for (TemplateFault& fault : faults) Error(frame, fault.offset, fault.message, fault.hint);
    if (faults.empty()) ExpandPieces(pieces, &frame);
    stack_.pop_back();
  }

  void ExpandPieces(const std::vector<TemplatePiece>& pieces, Frame* frame) {
    std::vector<Branch> branches;
    for (const TemplatePiece& piece : pieces) {
      if (TooManyErrors()) return;
      const bool active = branches.empty() || branches.back().active;
      if (piece.kind != TemplatePiece::Kind::kText) use_->any = true;
      switch (piece.kind) {
        case TemplatePiece::Kind::kText:
          if (active && HasRoom(*frame, piece.begin, piece.end - piece.begin)) {
            frame->out->Copy(frame->source, piece.begin, piece.end - piece.begin);
          }
          break;
        case TemplatePiece::Kind::kOutput:
          if (active) Output(piece, frame);
          break;
        case TemplatePiece::Kind::kStatement:
          Statement(piece, frame, &branches);
          break;
      }
    }
    for (const Branch& branch : branches) {
      if (branch.block != "if") continue;  // which has been reported
      Error(*frame, branch.offset, "'{% if … %}' is not closed",
            "write '{% endif %}' where it ends");
    }
  }

  // Bounds what includes of includes add up to.
  bool HasRoom(const Frame& frame, size_t offset, size_t length) {
    const size_t before = written_;
    written_ += length;
    if (written_ <= kMostText) return true;
    if (before <= kMostText) {
      Error(frame, offset, fmt::format("the expanded text is longer than {} MiB", kMostText >> 20),
            "check what includes what");
    }
    return false;
  }

  std::optional<TemplateExpression> Parse(Frame* frame, size_t begin, size_t end) {
    TemplateFault fault;
    const std::string_view text = frame->source->text;
    auto parsed = ParseTemplateExpression(text.substr(begin, end - begin), &fault);
    if (!parsed) {
      Error(*frame, begin + fault.offset, std::move(fault.message), std::move(fault.hint));
    }
    return parsed;
  }

  void Output(const TemplatePiece& piece, Frame* frame) {
    const auto expression = Parse(frame, piece.inner_begin, piece.inner_end);
    if (!expression) return;
    const bool is_call = expression->kind == TemplateExpression::Kind::kCall;
    if (is_call && IsInclude(expression->name)) {
      return Include(*expression, piece, frame);
    }
    const auto value = EvaluateDefined(*expression, ScopeOf(frame, piece.inner_begin));
    const std::string text = value.Text();
    if (text.find(AssembledText::kValueTag) != std::string::npos) {
      return Error(*frame, piece.begin,
                   fmt::format("the tag '{}' is reserved", AssembledText::kValueTag));
    }
    if (HasRoom(*frame, piece.begin, text.size())) {
      frame->out->Insert(text, frame->source, piece.begin);
    }
  }

  static bool IsInclude(std::string_view name) {
    return name == "include" || name == "include_all" || name == "include_text";
  }

  // --- Statements.

  void Statement(const TemplatePiece& piece, Frame* frame, std::vector<Branch>* branches) {
    const std::string_view text = frame->source->text;
    size_t begin = text.find_first_not_of(" \t\n", piece.inner_begin);
    begin = std::min(begin, piece.inner_end);
    size_t end = begin;
    while (end < piece.inner_end && IsNameStart(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    const bool active = branches->empty() || branches->back().active;
    const bool is_raw = !branches->empty() && branches->back().block == "raw";
    if (is_raw && word != "endraw") return;
    if (word == "if") {
      const bool holds = active && Holds(frame, end, piece.inner_end);
      branches->push_back({piece.begin, "if", active, holds, holds, false});
    } else if (word == "elif" || word == "else") {
      NextBranch(word, piece, end, frame, branches);
    } else if (word.starts_with("end")) {
      EndBlock(word, piece, frame, branches);
    } else if (word == "set") {
      if (active) Set(frame, end, piece);
      if (text.substr(end, piece.inner_end - end).find('=') == std::string_view::npos) {
        LeaveOut("set", piece, branches);
      }
    } else {
      if (std::find(kBlocks.begin(), kBlocks.end(), word) != kBlocks.end()) {
        LeaveOut(word, piece, branches);
      }
      if (!active) return;
      Error(
          *frame, piece.begin, fmt::format("'{{% {} %}}' of Jinja2 is not read here", word),
          fmt::format("read are set, if, elif, else and endif; for others, {}", kExpandElsewhere));
    }
  }

  // A block that is not read here, up to its end.
  static void LeaveOut(std::string_view word, const TemplatePiece& piece,
                       std::vector<Branch>* branches) {
    branches->push_back({piece.begin, word, false, false, true, false});
  }

  void EndBlock(std::string_view word, const TemplatePiece& piece, Frame* frame,
                std::vector<Branch>* branches) {
    const std::string_view block = word.substr(3);
    const auto open = std::find_if(branches->rbegin(), branches->rend(),
                                   [&](const Branch& branch) { return branch.block == block; });
    if (open != branches->rend()) {
      branches->erase(open.base() - 1, branches->end());
      return;
    }
    Error(*frame, piece.begin,
          fmt::format("'{}' without {} '{}'", word, block == "if" ? "an" : "a", block),
          "take it out, or write what it ends");
  }

  bool Holds(Frame* frame, size_t begin, size_t end) {
    const auto condition = Parse(frame, begin, end);
    return condition && EvaluateDefined(*condition, ScopeOf(frame, begin)).IsTrue();
  }

  void NextBranch(std::string_view word, const TemplatePiece& piece, size_t end, Frame* frame,
                  std::vector<Branch>* branches) {
    if (!branches->empty() && branches->back().block != "if") return;  // 'else' of a 'for'
    if (branches->empty() || branches->back().last) {
      return Error(*frame, piece.begin, fmt::format("'{}' without an 'if'", word));
    }
    Branch& branch = branches->back();
    const bool is_else = word == "else";
    branch.last = is_else;
    branch.active =
        branch.outside && !branch.decided && (is_else || Holds(frame, end, piece.inner_end));
    branch.decided = branch.decided || branch.active;
  }

  // set name = expression
  void Set(Frame* frame, size_t begin, const TemplatePiece& piece) {
    const std::string_view text = frame->source->text;
    size_t name_begin = text.find_first_not_of(" \t\n", begin);
    name_begin = std::min(name_begin, piece.inner_end);
    size_t name_end = name_begin;
    while (name_end < piece.inner_end && (IsNameStart(text[name_end]) || IsDigit(text[name_end]))) {
      ++name_end;
    }
    const size_t sign = std::min(text.find_first_not_of(" \t\n", name_end), piece.inner_end);
    if (name_end == name_begin || sign == piece.inner_end || text[sign] != '=') {
      return Error(*frame, piece.begin, "cannot read this 'set'", "write '{% set name = value %}'");
    }
    const auto expression = Parse(frame, sign + 1, piece.inner_end);
    auto value = expression ? EvaluateDefined(*expression, ScopeOf(frame, sign + 1))
                            : TemplateValue{TemplateValue::Wrong()};
    const std::string name(text.substr(name_begin, name_end - name_begin));
    frame->variables[name] = std::move(value);
    frame->set_here.insert(name);
    set_in_.emplace(name, frame->source->name);
  }

  // --- Functions.

  TemplateValue Call(Frame* frame, const std::string& name, const TemplateValue::List& arguments) {
    const auto wrong = [&](std::string message, std::string hint = "") {
      Error(*frame, frame->at, std::move(message), std::move(hint));
      return TemplateValue{TemplateValue::Wrong()};
    };
    if (name == "cwd" && arguments.empty()) {
      return {frame->folder.string(), true};
    }
    if (IsInclude(name)) {
      return wrong(fmt::format("{}() stands alone", name),
                   fmt::format("write '{{{{{}(…)}}}}', with nothing else in the braces", name));
    }
    const bool takes_path = name == "path_exists" || name == "find_path" || name == "add_to_path";
    if (!takes_path && name != "cwd") {
      return wrong(fmt::format("there is no function '{}' of Timeloop's front end here", name),
                   SuggestionHint(name, {"include_text", "include", "include_all", "add_to_path",
                                         "cwd", "path_exists", "find_path"}));
    }
    if (arguments.size() != 1 || !arguments[0].Is<std::string>()) {
      return wrong(name == "cwd" ? "cwd() takes nothing"
                                 : fmt::format("{}() takes the text of one path", name));
    }
    const std::vector<std::string> paths = Find(*frame, arguments[0]);
    if (name == "path_exists") return {!paths.empty()};
    if (paths.empty()) return NotFound(frame, arguments[0], name);
    if (name == "find_path") return {paths.front(), true};
    frame->search.insert(frame->search.end(), paths.begin(), paths.end());
    return {std::string()};
  }

  // What a path stands for, in the template's own folder and those that were added.
  static std::vector<std::string> Find(const Frame& frame, const TemplateValue& path) {
    const fs::path wanted(path.Text());
    if (wanted.empty()) return {};
    std::vector<std::string> found;
    const auto add = [&](const fs::path& pattern) {
      for (std::string& match : MatchingPaths(pattern.string())) AddOnce(std::move(match), &found);
      if (!found.empty()) return;
      // Texts that stand for files have no folders, so there is no way up from one.
      const std::string plain = pattern.lexically_normal().string();
      for (std::string& match : MatchingPaths(plain)) AddOnce(std::move(match), &found);
    };
    if (wanted.is_absolute() || path.located) {
      add(wanted);
      return found;
    }
    add(frame.folder == "." ? wanted : frame.folder / wanted);
    for (const std::string& folder : frame.search) add(folder / wanted);
    return found;
  }

  // The shortest path of that file, once.
  static void AddOnce(std::string path, std::vector<std::string>* found) {
    const std::string plain = fs::path(path).lexically_normal().string();
    std::error_code ignored;
    if (plain != path && (!fs::exists(path, ignored) || fs::equivalent(plain, path, ignored))) {
      path = plain;
    }
    if (std::find(found->begin(), found->end(), path) == found->end()) {
      found->push_back(std::move(path));
    }
  }

  TemplateValue NotFound(Frame* frame, const TemplateValue& path, std::string_view of) {
    const bool folder = of == "add_to_path";
    // A folder that was not found may be the one that holds the file.
    const bool depends = !path.located && !fs::path(path.Text()).is_absolute();
    if (depends && !folder && lacks_folder_) return {TemplateValue::Wrong()};
    lacks_folder_ = lacks_folder_ || folder;
    std::vector<std::string> folders;
    if (depends) {
      folders = {frame->folder.string()};
      for (const std::string& added : frame->search) {
        if (fs::path(added) != frame->folder) folders.push_back(added);
      }
    }
    std::string hint =
        DidYouMean(path.Text(), folders.empty() ? std::vector<std::string>(1) : folders);
    if (!folders.empty()) {
      hint +=
          fmt::format("{}ooked in '{}'{}", hint.empty() ? "l" : " L", fmt::join(folders, "', '"),
                      folder ? "" : "; add_to_path(…) adds folders");
    }
    for (const auto& [name, value] : values_) {
      if (!value.Is<std::string>() || !value.Text().empty()) continue;
      hint = fmt::format("'{0}' is empty: give it a value, --set {0}=VALUE", name);
    }
    Error(*frame, frame->at,
          fmt::format("there is no {} '{}'", folder ? "folder" : "file", path.Text()), hint);
    return {TemplateValue::Wrong()};
  }

  // Of the first part of a path that is not there, what it resembles of what lies beside it.
  static std::string DidYouMean(const std::string& path, const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
      fs::path known = folder == "." ? "" : folder;
      for (const fs::path& part : fs::path(path)) {
        if (!MatchingPaths((known / part).string()).empty()) {
          known /= part;
          continue;
        }
        std::vector<std::string> entries;
        for (const std::string& entry : MatchingPaths((known / "*").string())) {
          entries.push_back(fs::path(entry).filename().string());
        }
        if (const auto near = Suggest(part.string(), entries)) {
          return fmt::format("did you mean '{}'?", *near);
        }
        break;
      }
    }
    return "";
  }

  // --- Includes.

  void Include(const TemplateExpression& call, const TemplatePiece& piece, Frame* frame) {
    const size_t errors = errors_.size();
    TemplateValue::List arguments;
    const TemplateScope scope = ScopeOf(frame, piece.inner_begin);
    for (const TemplateExpression& argument : call.arguments) {
      arguments.push_back(EvaluateDefined(argument, scope));
    }
    if (errors_.size() > errors) return;
    frame->at = piece.inner_begin + call.offset;
    const size_t most = call.name == "include_text" ? 1 : 2;
    const bool texts = std::all_of(arguments.begin(), arguments.end(), [](const auto& argument) {
      return argument.template Is<std::string>() || argument.template Is<TemplateValue::Wrong>();
    });
    if (arguments.empty() || arguments.size() > most || !texts) {
      return Error(*frame, frame->at,
                   most == 1
                       ? "include_text() takes the path of a file"
                       : fmt::format("{}() takes a path and the key of what to include", call.name),
                   most == 1 ? "" : fmt::format("write {}('file.yaml', 'key.below')", call.name));
    }
    if (arguments[0].Is<TemplateValue::Wrong>()) return;
    const std::vector<std::string> paths = Find(*frame, arguments[0]);
    if (paths.empty()) {
      NotFound(frame, arguments[0], call.name);
    } else if (call.name == "include" && paths.size() > 1) {
      Error(*frame, frame->at,
            fmt::format("'{}' stands for {} files", arguments[0].Text(), paths.size()),
            "include_all() includes several");
    } else if (call.name == "include_text") {
      IncludeText(paths, arguments[0].Text(), piece, frame);
    } else {
      IncludeValues(paths, arguments.size() > 1 ? arguments[1].Text() : "", piece, frame);
    }
  }

  // Reads a file, unless it is being expanded already, or there are too many.
  std::shared_ptr<const Source> Open(const std::string& path, const Frame& frame) {
    const auto in_use = std::find(stack_.begin(), stack_.end(), path);
    if (in_use != stack_.end()) {
      std::string chain;
      for (auto file = in_use; file != stack_.end(); ++file) chain += *file + " → ";
      Error(frame, frame.at, fmt::format("'{}' includes itself: {}{}", path, chain, path),
            "take one of these includes out");
      return nullptr;
    }
    if (stack_.size() > kDeepestInclude) {
      Error(frame, frame.at, fmt::format("more than {} files include each other", kDeepestInclude),
            "include the innermost ones directly");
      return nullptr;
    }
    if (++includes_ > kMostIncludes) {
      if (includes_ == kMostIncludes + 1) {
        Error(frame, frame.at, fmt::format("more than {} files are included", kMostIncludes),
              "check what includes what");
      }
      return nullptr;
    }
    const auto known = texts_.find(path);
    if (known != texts_.end()) return known->second;
    auto source = ReadTextFile(path);
    if (!source) {
      Error(frame, frame.at, source.error().front().message + fmt::format(" ('{}')", path),
            source.error().front().hint);
      return nullptr;
    }
    use_->included.push_back(*source);
    return texts_[path] = std::make_shared<const Source>(*std::move(source));
  }

  // Of a text that starts with "key:" and is to stand behind "other:", where it cannot be read, the
  // key; else "". One that starts with comments leaves the rest of the line empty, which can be.
  static std::string KeyForInclude(const TemplatePiece& piece, std::string_view text,
                                   const Frame& frame) {
    const std::string_view whole = frame.source->text;
    const size_t end_of_last = whole.substr(0, piece.begin).rfind('\n');
    const size_t line = end_of_last == std::string_view::npos ? 0 : end_of_last + 1;
    std::string_view before = whole.substr(line, piece.begin - line);
    while (before.ends_with(' ')) before.remove_suffix(1);
    if (!before.ends_with(':')) return "";
    before.remove_suffix(1);
    while (before.starts_with(' ')) before.remove_prefix(1);
    bool comments = false;
    while (!text.empty()) {
      const std::string_view first = text.substr(0, text.find('\n'));
      size_t end = 0;
      while (end < first.size() && (IsNameStart(first[end]) || IsDigit(first[end]))) ++end;
      const std::string_view key = first.substr(0, end);
      const bool is_key = end > 0 && first.substr(end).starts_with(':');
      if (is_key) return comments && key != before ? "" : std::string(key);
      if (!first.empty() && first.front() != '#') return "";
      comments = true;
      text.remove_prefix(std::min(text.size(), first.size() + 1));
    }
    return "";
  }

  // `wanted`: the path as it is written.
  void IncludeText(const std::vector<std::string>& paths, const std::string& wanted,
                   const TemplatePiece& piece, Frame* frame) {
    for (const std::string& path : paths) {
      const auto source = Open(path, *frame);
      if (source == nullptr) return;
      if (const std::string key = KeyForInclude(piece, source->text, *frame); !key.empty()) {
        return Error(*frame, frame->at,
                     fmt::format("the text of '{}' cannot stand in the middle of a line", path),
                     fmt::format("include() puts in what a key of the file has: "
                                 "{{{{include('{}', '{}')}}}}",
                                 wanted, key));
      }
      if (path != paths.front()) frame->out->Insert("\n", frame->source, piece.begin);
      Expand(source, frame->search, frame->out);
    }
  }

  void IncludeValues(const std::vector<std::string>& paths, const std::string& key,
                     const TemplatePiece& piece, Frame* frame) {
    std::vector<Node> values;
    for (const std::string& path : paths) {
      const auto source = Open(path, *frame);
      auto documents = source == nullptr ? std::nullopt : Documents(source, frame->search);
      if (!documents) return;
      const Node* value = documents->empty() ? nullptr : Below(documents->front(), key, *frame);
      if (documents->empty()) {
        Error(*frame, frame->at, fmt::format("'{}' holds nothing", path));
      }
      if (value == nullptr) return;
      values.push_back(*value);
    }
    frame->out->InsertValue(Together(std::move(values), NodeAt(*frame, piece.begin)), frame->source,
                            piece.begin);
  }

  // 'a.b.c' of a document.
  const Node* Below(const Node& document, std::string_view key, const Frame& frame) {
    const Node* node = &document;
    while (key.starts_with('.')) key.remove_prefix(1);
    while (!key.empty()) {
      const std::string step(key.substr(0, key.find('.')));
      key.remove_prefix(std::min(key.size(), step.size() + 1));
      const Node* next = node->Find(step);
      if (next == nullptr) {
        std::vector<std::string> known;
        for (const auto& [name, value] : node->entries) known.push_back(name.text);
        Error(frame, frame.at, fmt::format("'{}' has no key '{}'", document.source->name, step),
              known.empty() ? fmt::format("it is in line {}, where there are no keys", node->line)
                            : SuggestionHint(step, known));
        return nullptr;
      }
      node = next;
    }
    return node;
  }

  // Of several files one list, which stands at `place`; their lists are one list.
  static Node Together(std::vector<Node> values, Node place) {
    if (values.size() == 1) return std::move(values.front());
    const bool lists = std::all_of(values.begin(), values.end(),
                                   [](const Node& value) { return value.IsSequence(); });
    Node all = std::move(place);
    all.kind = Node::Kind::kSequence;
    for (Node& value : values) {
      if (lists) {
        std::move(value.items.begin(), value.items.end(), std::back_inserter(all.items));
      } else {
        all.items.push_back(std::move(value));
      }
    }
    return all;
  }

  Diagnostics errors_;
  std::map<std::string, TemplateValue, std::less<>> values_;
  TemplateUse* use_;
  std::vector<std::string> stack_;  // the files that are being expanded
  std::map<std::string, std::shared_ptr<const Source>> texts_;
  std::map<std::string, std::string, std::less<>> set_in_;  // the file that sets it, by {% set %}
  size_t includes_ = 0, written_ = 0;
  bool lacks_folder_ = false;  // one that add_to_path() did not find, which was reported
};

}  // namespace

bool IsTemplate(const Source& source) {
  std::string_view rest = source.text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#') continue;
    for (const char* mark : {"{{", "{%", "{#"}) {
      if (line.find(mark) != std::string_view::npos) return true;
    }
  }
  return false;
}

Result<std::vector<Node>> ReadTemplate(const Source& source, const TemplateValues& values,
                                       TemplateUse* use) {
  TemplateExpander expander(values, use);
  auto documents = expander.Documents(std::make_shared<const Source>(source), {});
  if (documents) return *std::move(documents);
  Diagnostics errors = expander.TakeErrors();
  SortByPlace(&errors);
  return Fail(std::move(errors));
}

}  // namespace inlay::io::timeloop
