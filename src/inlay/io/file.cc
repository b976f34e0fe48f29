#include "inlay/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "inlay/base/utf8.h"
#include "inlay/io/descriptor.h"

namespace inlay::io {
namespace {

std::string Reason(int error) { return std::generic_category().message(error); }

Diagnostic AboutFile(const std::string& name, std::string message, std::string hint = "") {
  return MakeError({name, 0, 0}, std::move(message), std::move(hint));
}

// Where the text stops being text, if it does: one sentence with its place.
std::optional<Diagnostic> FindJunk(const std::string& name, std::string_view text) {
  int line = 1;
  size_t line_start = 0;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const int column = static_cast<int>(std::min<size_t>(i - line_start + 1, INT32_MAX));
    if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f) {
      return MakeError({name, line, column}, fmt::format("byte 0x{:02x} is not text", c),
                       "the file must be UTF-8 text");
    }
    const size_t length = Utf8Length(text.substr(i));
    if (length == 0) {
      return MakeError({name, line, column}, fmt::format("byte 0x{:02x} is not valid UTF-8", c),
                       "save the file as UTF-8");
    }
    i += length;
    if (c == '\n') {
      ++line;
      line_start = i;
    }
  }
  return std::nullopt;
}

void DropCarriageReturns(std::string* text) {
  if (text->find('\r') == std::string::npos) return;
  size_t out = 0;
  for (size_t i = 0; i < text->size(); ++i) {
    if ((*text)[i] == '\r' && i + 1 < text->size() && (*text)[i + 1] == '\n') continue;
    (*text)[out++] = (*text)[i];
  }
  text->resize(out);
}

// Whatever the descriptor yields, up to some bytes more than a file may have. 0 or errno; EINTR: a
// signal came while it waited for a pipe, and those that end no process ask for a stop.
int ReadAll(int fd, size_t largest, std::string* bytes) {
  constexpr size_t kChunk = size_t{1} << 16;
  while (bytes->size() <= largest) {
    const size_t old = bytes->size();
    bytes->resize(old + kChunk);
    const ssize_t got = read(fd, bytes->data() + old, kChunk);
    bytes->resize(old + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return 0;
    if (got < 0) return errno;
  }
  return 0;
}

thread_local const std::map<std::string, std::string>* texts_as_files = nullptr;

const std::string* TextFor(const std::string& path) {
  if (texts_as_files == nullptr) return nullptr;
  const auto found = texts_as_files->find(path);
  return found == texts_as_files->end() ? nullptr : &found->second;
}

}  // namespace

TextsAsFiles::TextsAsFiles(std::map<std::string, std::string> texts)
    : texts_(std::move(texts)), outer_(std::exchange(texts_as_files, &texts_)) {}

TextsAsFiles::~TextsAsFiles() { texts_as_files = outer_; }

bool IsFile(const std::string& path) {
  std::error_code ignored;
  return TextFor(path) != nullptr ||
         (std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored));
}

bool IsFolder(const std::string& path) {
  if (texts_as_files != nullptr) {
    const auto first = texts_as_files->lower_bound(path + "/");
    if (first != texts_as_files->end() && first->first.starts_with(path + "/")) return true;
  }
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::vector<std::string> MatchingPaths(const std::string& pattern) {
  if (IsFile(pattern) || IsFolder(pattern)) return {pattern};
  if (pattern.find_first_of("*?[") == std::string::npos) return {};
  std::vector<std::string> paths;
  if (texts_as_files != nullptr) {
    for (const auto& [name, text] : *texts_as_files) {
      if (fnmatch(pattern.c_str(), name.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0) {
        paths.push_back(name);
      }
    }
  }
  glob_t found = {};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

Result<Source> MakeSource(std::string name, std::string bytes) {
  if (bytes.size() > kLargestFile) {
    return Fail(AboutFile(
        name, fmt::format("the file is larger than {} MiB", kLargestFile / (size_t{1} << 20))));
  }
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    return Fail(AboutFile(name, "the file is UTF-16, not UTF-8", "save the file as UTF-8"));
  }
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  DropCarriageReturns(&bytes);
  if (auto junk = FindJunk(name, bytes)) return Fail(std::move(*junk));
  return Source{std::move(name), std::move(bytes)};
}

namespace {

std::string HintForFolder(const std::string& path) {
  const std::string files = (std::filesystem::path(path) / "*.yaml").string();
  return MatchingPaths(files).size() > 1 ? "name a file inside it, or all of them: " + files
                                         : "name a file inside it";
}

// The bytes of a file, at most a few more than `largest`.
Result<std::string> ReadBytes(const std::string& path, size_t largest) {
  if (const std::string* text = TextFor(path)) return *text;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Fail(AboutFile(path, "cannot read the file: " + Reason(errno)));
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) {
    return Fail(AboutFile(path, "cannot read the file: " + Reason(errno)));
  }
  if (S_ISDIR(info.st_mode)) {
    return Fail(AboutFile(path, "this is a folder, not a file", HintForFolder(path)));
  }
  std::string bytes;
  const int error = ReadAll(file.get(), largest, &bytes);
  if (error != 0) return Fail(AboutFile(path, "cannot read the file: " + Reason(error)));
  return bytes;
}

}  // namespace

Result<Source> ReadTextFile(const std::string& path) {
  auto bytes = ReadBytes(path, kLargestFile);
  if (!bytes) return Fail(std::move(bytes.error()));
  return MakeSource(path, *std::move(bytes));
}

Result<Source> ReadBinaryFile(const std::string& path) {
  auto bytes = ReadBytes(path, kLargestBinaryFile);
  if (!bytes) return Fail(std::move(bytes.error()));
  if (bytes->size() > kLargestBinaryFile) {
    return Fail(AboutFile(path, "the file is larger than 2 GiB"));
  }
  return Source{path, *std::move(bytes)};
}

std::string_view LineOf(const Source& source, int line) {
  std::string_view rest = source.text;
  for (int i = 1; i < line && !rest.empty(); ++i) {
    const size_t end = rest.find('\n');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return line < 1 ? std::string_view() : rest.substr(0, rest.find('\n'));
}

std::string ContentHash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * uint64_t{0x100000001b3};
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace inlay::io
