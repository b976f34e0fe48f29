#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/deliver_result.h"
#include "cli/session.h"
#include "inlay/base/suggest.h"
#include "inlay/base/version.h"
#include "inlay/core/list_result.h"
#include "inlay/io/json/document.h"
#include "inlay/io/library/library.h"
#include "inlay/report/headline.h"

namespace inlay::cli {
namespace {

// A text in lines of at most `columns` display columns, broken at blanks; in ASCII the signs that
// our descriptions use are spelt.
std::vector<std::string> Lines(const std::string& text, size_t columns, const TextStyle& style) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    for (size_t at = 0; !style.unicode && (at = word.find("×", at)) != std::string::npos;) {
      word.replace(at, std::string_view("×").size(), "x");
    }
    if (!lines.back().empty() && DisplayWidth(lines.back()) + 1 + DisplayWidth(word) > columns) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

// A table per kind.
std::string Summary(const std::vector<ListedBuiltin>& builtins, const TextStyle& style) {
  std::string out;
  for (size_t begin = 0; begin < builtins.size();) {
    size_t end = begin, width = 0;
    for (; end < builtins.size() && builtins[end].kind == builtins[begin].kind; ++end) {
      width = std::max(width, DisplayWidth(builtins[end].name));
    }
    Table table({{builtins[begin].kind, Align::kLeft}, {"what it is", Align::kLeft}});
    width = std::max(width, builtins[begin].kind.size());
    for (; begin < end; ++begin) {
      std::string name = builtins[begin].name;
      for (std::string& line :
           Lines(builtins[begin].sentence, report::kScreenColumns - width - 2, style)) {
        table.AddRow({{std::exchange(name, ""), Tone::kAccent}, std::move(line)});
      }
    }
    out += (out.empty() ? "" : "\n") + table.Render(style);
  }
  return out;
}

ExitCode RunList(const Invocation& invocation, Session* session) {
  std::vector<io::BuiltinKind> kinds = io::BuiltinKinds();
  if (!invocation.arguments.empty()) {
    const std::string& word = invocation.arguments.front();
    const auto kind = io::BuiltinKindFromName(word);
    if (!kind) {
      std::vector<std::string> names(kinds.size());
      std::transform(kinds.begin(), kinds.end(), names.begin(),
                     [](io::BuiltinKind known) { return io::Name(known); });
      session->Report({MakeError({}, "there are no built-ins of kind '" + word + "'",
                                 SuggestionHint(word, names))});
      return kWrongInput;
    }
    kinds = {*kind};
  }
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  ListResult result;
  result.header = {"list", std::string(kVersion), {}, invocation.options.ForResult()};
  for (io::BuiltinKind kind : kinds) {
    for (io::Builtin& builtin : io::ListBuiltins(kind)) {
      result.builtins.push_back(
          {io::Name(kind), std::move(builtin.name), std::move(builtin.description)});
    }
  }
  const auto summary = [&](const TextStyle& style) { return Summary(result.builtins, style); };
  return Deliver({io::WriteJson(result), summary, {}}, &*folder, session);
}

}  // namespace

Command ListCommand() {
  return {
      .name = "list",
      .sentence = "what is built in",
      .usages = {"[KIND] [OPTIONS]"},
      .details = "",
      .arguments = {{.name = "KIND",
                     .sentence = "only architectures, networks, machines, accelerators, mixes, "
                                 "technologies, examples or studies",
                     .required = false}},
      .options = {OutputFolderOption(), JsonOption(), AsciiOption(), QuietOption()},
      .examples = {{"inlay list networks", "the built-in networks"}},
      .run = RunList,
  };
}

}  // namespace inlay::cli
