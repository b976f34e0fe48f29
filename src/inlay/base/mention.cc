#include "inlay/base/mention.h"

#include <algorithm>

#include "inlay/base/options.h"

namespace inlay {
namespace {

// A mark is kOption or kListOf, a name, kValue, a value, and kEnd. Nothing that is printed has any
// of these characters (printable.h).
constexpr char kOption = '\x01', kListOf = '\x02', kValue = '\x03', kEnd = '\x04';

std::string Mark(char begin, std::string_view name, std::string_view value) {
  std::string mark(1, begin);
  mark.append(name).append(1, kValue).append(value).append(1, kEnd);
  return mark;
}

std::string ListCommand(std::string_view kind) { return "'inlay list " + std::string(kind) + "'"; }

std::string ShellOption(std::string_view key, std::string_view value) {
  return FlagOf(key) + (value.empty() ? "" : " " + std::string(value));
}

std::string Setting(std::string_view key, std::string_view value) {
  return std::string(key) + (value.empty() ? "" : ": " + std::string(value));
}

}  // namespace

std::string Mention(std::string_view key, std::string_view value) {
  return Mark(kOption, key, value);
}

std::string MentionListOf(std::string_view kind) { return Mark(kListOf, kind, ""); }

const Spelling kShellSpelling = {ShellOption, ListCommand};
const Spelling kSettingSpelling = {Setting, ListCommand};

std::string Spell(std::string_view sentence, const Spelling& spelling) {
  constexpr char kBegins[] = {kOption, kListOf};
  std::string out;
  while (true) {
    const size_t begin = sentence.find_first_of({kBegins, sizeof kBegins});
    out += sentence.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const bool option = sentence[begin] == kOption;
    sentence.remove_prefix(begin + 1);
    const std::string_view mark = sentence.substr(0, sentence.find(kEnd));
    sentence.remove_prefix(std::min(mark.size() + 1, sentence.size()));
    const std::string_view name = mark.substr(0, mark.find(kValue));
    std::string value(mark.substr(std::min(name.size() + 1, mark.size())));
    if (value.find(' ') != std::string::npos) value.insert(0, 1, '"').push_back('"');
    out += option ? spelling.option(name, value) : spelling.list_of(name);
  }
}

}  // namespace inlay
