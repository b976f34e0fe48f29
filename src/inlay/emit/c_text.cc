#include "inlay/emit/c_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace inlay::emit {
namespace {

constexpr int kIndent = 2;

// Of C, of its headers, and of what the prelude defines.
constexpr auto kTaken = std::to_array<std::string_view>({"auto",
                                                         "break",
                                                         "case",
                                                         "char",
                                                         "const",
                                                         "continue",
                                                         "default",
                                                         "do",
                                                         "double",
                                                         "else",
                                                         "enum",
                                                         "extern",
                                                         "float",
                                                         "for",
                                                         "goto",
                                                         "if",
                                                         "inline",
                                                         "int",
                                                         "long",
                                                         "register",
                                                         "restrict",
                                                         "return",
                                                         "short",
                                                         "signed",
                                                         "sizeof",
                                                         "static",
                                                         "struct",
                                                         "switch",
                                                         "typedef",
                                                         "union",
                                                         "unsigned",
                                                         "void",
                                                         "volatile",
                                                         "while",
                                                         "asm",
                                                         "typeof",
                                                         "true",
                                                         "false",
                                                         "bool",
                                                         "nullptr",
                                                         "constexpr",
                                                         "thread_local",
                                                         "alignas",
                                                         "alignof",
                                                         "static_assert",
                                                         "main",
                                                         "NULL",
                                                         "EOF",
                                                         "BUFSIZ",
                                                         "FILENAME_MAX",
                                                         "FOPEN_MAX",
                                                         "L_tmpnam",
                                                         "SEEK_CUR",
                                                         "SEEK_END",
                                                         "SEEK_SET",
                                                         "TMP_MAX",
                                                         "EXIT_FAILURE",
                                                         "EXIT_SUCCESS",
                                                         "RAND_MAX",
                                                         "MB_CUR_MAX",
                                                         "stdin",
                                                         "stdout",
                                                         "stderr",
                                                         "unix",
                                                         "linux",
                                                         "i386",
                                                         "int64_t",
                                                         "uint64_t",
                                                         "size_t",
                                                         "printf",
                                                         "calloc",
                                                         "exit",
                                                         "fputs",
                                                         "word",
                                                         "range",
                                                         "counts",
                                                         "cut",
                                                         "length",
                                                         "holds",
                                                         "same",
                                                         "within",
                                                         "hull",
                                                         "missing",
                                                         "words",
                                                         "pattern",
                                                         "stand_in",
                                                         "report",
                                                         "served",
                                                         "served_count",
                                                         "shares",
                                                         "transfer",
                                                         "operations",
                                                         "steps",
                                                         "pad",
                                                         "at_end",
                                                         "held",
                                                         "to",
                                                         "lane",
                                                         "first",
                                                         "begun",
                                                         "busy",
                                                         "product",
                                                         "sum",
                                                         "parent",
                                                         "reads",
                                                         "forget",
                                                         "i"});

// Functions of the prelude, each after those that it uses.
struct Helper {
  std::string_view name;
  std::string_view text;
};
constexpr auto kHelpers = std::to_array<Helper>({
    {"length", R"(static int64_t length(range r)
{
  return r.end > r.lo ? r.end - r.lo : 0;
}
)"},
    {"cut",
     R"(/* The tile that begins `at` iterations behind the begin of r; short where r ends before it. */
static range cut(range r, int64_t at, int64_t step)
{
  range tile = {r.lo + at, r.lo + at + step};
  if (tile.lo > r.end) tile.lo = r.end;
  if (tile.end > r.end) tile.end = r.end;
  return tile;
}
)"},
    {"within", R"(/* What of r is from `lo` on and before `end`. */
static range within(range r, int64_t lo, int64_t end)
{
  if (r.lo < lo) r.lo = lo;
  if (r.end > end) r.end = end;
  if (r.end < r.lo) r.end = r.lo;
  return r;
}
)"},
    {"hull", R"(/* The smallest range that has both; an empty one has no part in it. */
static range hull(range a, range b)
{
  if (a.end <= a.lo) return b;
  if (b.end <= b.lo) return a;
  if (b.lo < a.lo) a.lo = b.lo;
  if (b.end > a.end) a.end = b.end;
  return a;
}
)"},
    {"holds", R"(static int holds(range r, int64_t x)
{
  return r.lo <= x && x < r.end;
}
)"},
    {"same", R"(static int same(const range *a, const range *b, int ranks)
{
  for (int i = 0; i < ranks; ++i)
    if (a[i].lo != b[i].lo || a[i].end != b[i].end) return 0;
  return 1;
}
)"},
    {"missing",
     R"(/* What of the tile `now` the tile `before` has not, where that is one box; else all of it. */
static void missing(const range *before, const range *now, int ranks, range *rest)
{
  int differ = -1;
  for (int i = 0; i < ranks; ++i) rest[i] = now[i];
  for (int i = 0; i < ranks; ++i)
    if (before[i].lo >= now[i].end || before[i].end <= now[i].lo) return; /* nothing in common */
  for (int i = 0; i < ranks; ++i) {
    if (before[i].lo <= now[i].lo && before[i].end >= now[i].end) continue;
    if (differ >= 0 || (before[i].lo > now[i].lo && before[i].end < now[i].end)) {
      for (int j = 0; j < ranks; ++j) rest[j] = now[j];
      return;
    }
    differ = i;
    if (before[i].lo <= now[i].lo)
      rest[i].lo = before[i].end;
    else
      rest[i].end = before[i].lo;
  }
  if (differ < 0) rest[0].end = rest[0].lo; /* all of it is there */
}
)"},
    {"shares",
     R"(/* Whether another lane gets the same words in this step, and had the same before: lanes of one
   parent then share one read. `what` is the tensor; a lane that shares with none before it is noted. */
static int shares(int what, int64_t parent, const range *before, const range *to, int ranks)
{
  for (int64_t i = 0; i < served_count; ++i)
    if (served[i].what == what && served[i].parent == parent && same(served[i].to, to, ranks) &&
        same(served[i].before, before, ranks))
      return 1;
  served[served_count].what = what;
  served[served_count].parent = parent;
  for (int i = 0; i < ranks; ++i) {
    served[served_count].before[i] = before[i];
    served[served_count].to[i] = to[i];
  }
  ++served_count;
  return 0;
}
)"},
    {"stand_in",
     R"(/* Stands for a softmax or a norm: some function of a word. What it is changes no count. */
static word stand_in(word x)
{
  return x * x + 7 * x + 1;
}
)"},
    {"pattern", R"(/* Some value for word i of an input: from -125 to 125. */
static word pattern(int64_t i, int64_t tensor)
{
  return ((word)i * 2654435761u + (word)tensor * 40503u) % 251 - 125;
}
)"},
    {"forget", R"(/* What was there before does not count any more. */
static void forget(range *tiles, int64_t n)
{
  for (int64_t i = 0; i < n; ++i) tiles[i].end = tiles[i].lo;
}
)"},
    {"words", R"(static word *words(int64_t n)
{
  word *array = calloc((size_t)n, sizeof *array);
  if (array == NULL) {
    fputs("not enough memory\n", stderr);
    exit(2);
  }
  return array;
}
)"},
    {"report", R"(static void report(const char *level, const char *tensor, counts n)
{
  printf("%s %s: reads %" PRIu64 " fills %" PRIu64 " updates %" PRIu64 " drains %" PRIu64 "\n", level,
         tensor, n.reads, n.fills, n.updates, n.drains);
}
)"},
});

bool IsIdentifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The identifiers and keywords of a line, in order.
std::vector<std::string_view> IdentifiersOf(std::string_view line) {
  std::vector<std::string_view> found;
  for (size_t at = 0; at < line.size();) {
    size_t end = at;
    while (end < line.size() && IsIdentifier(line[end])) ++end;
    if (end > at) found.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

bool Calls(std::string_view text, std::string_view function) {
  for (size_t at = text.find(function); at != std::string_view::npos;
       at = text.find(function, at + 1)) {
    const size_t end = at + function.size();
    const bool begins = at == 0 || !IsIdentifier(text[at - 1]);
    if (begins && end < text.size() && text[end] == '(') return true;
  }
  return false;
}

}  // namespace

void CText::Line(std::string_view line) {
  text_.append(static_cast<size_t>(depth_) * kIndent, ' ');
  text_ += line;
  text_ += '\n';
}

void CText::Comment(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool shown = c >= ' ' && c <= '~' && c != '\\' && c != '?';
    const bool ends =
        !safe.empty() && ((safe.back() == '*' && c == '/') || (safe.back() == '/' && c == '*'));
    safe += shown && !ends ? c : '_';
  }
  Line("/* " + safe + " */");
}

void CText::Open(std::string_view head) {
  Line(std::string(head) + (head.empty() ? "{" : " {"));
  ++depth_;
}

void CText::Else() {
  --depth_;
  Open("} else");
}

void CText::Close() {
  --depth_;
  Line("}");
}

void CText::Blank() { text_ += '\n'; }

CNames::CNames() : taken_(kTaken.begin(), kTaken.end()) {}

std::string CNames::Unique(std::string_view name) {
  std::string base = IdentifierPart(name);
  const bool starts_well = !base.empty() && std::isalpha(static_cast<unsigned char>(base[0]));
  if (!starts_well) base.insert(0, "x");
  std::string unique = base;
  for (int i = 2; avoided_.contains(unique) || !taken_.insert(unique).second; ++i) {
    unique = fmt::format("{}_{}", base, i);
  }
  return unique;
}

CNames CNames::Local() const {
  CNames local = *this;
  local.avoided_.clear();
  return local;
}

std::string IdentifierPart(std::string_view name) {
  constexpr size_t kMost = 40;
  std::string part;
  for (const char c : name.substr(0, kMost)) {
    part += c < 0 || !std::isalnum(static_cast<unsigned char>(c)) ? '_' : c;
  }
  return part;
}

std::string CString(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?') {
      literal += c;
    } else {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return literal + "\"";
}

std::string WithDigit(const std::string& number, int64_t base, const std::string& digit) {
  if (number.empty()) return digit;
  const bool simple = number.find(' ') == std::string::npos;
  return fmt::format("{} * {} + {}", simple ? number : "(" + number + ")", base, digit);
}

std::string AllOf(const std::vector<std::string>& terms, std::string_view if_none) {
  return terms.empty() ? std::string(if_none) : fmt::format("{}", fmt::join(terms, " && "));
}

std::string WithoutUnused(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  std::map<std::string_view, int> uses;
  for (const std::string_view line : lines) {
    for (const std::string_view name : IdentifiersOf(line)) ++uses[name];
  }
  // From the last line on, so that what only unused ones use is unused, too.
  std::vector<std::string_view> kept;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const auto names = IdentifiersOf(*line);
    if (names.size() > 2 && names[0] == "const" && uses[names[2]] == 1) {
      for (const std::string_view name : names) --uses[name];
      continue;
    }
    kept.push_back(*line);
  }
  std::string result;
  for (auto line = kept.rbegin(); line != kept.rend(); ++line) result += *line;
  return result;
}

std::string PreludeFor(std::string_view text) {
  std::string functions;
  for (auto helper = kHelpers.rbegin(); helper != kHelpers.rend(); ++helper) {
    if (Calls(text, helper->name) || Calls(functions, helper->name)) {
      functions.insert(0, std::string(helper->text) + "\n");
    }
  }
  return functions;
}

}  // namespace inlay::emit
