#include "cli/output_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "inlay/io/file.h"

namespace inlay::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = ".inlay-lock";

std::string LockPath(const std::string& folder) { return folder + "/" + kLockName; }

tl::unexpected<Diagnostics> Refuse(const std::string& path, const std::string& why,
                                   std::string hint) {
  return Fail(MakeError({path, 0, 0}, why, std::move(hint)));
}

// The name of something in the folder other than our lock; "" if there is nothing.
std::string FirstEntry(const std::string& path, std::error_code* error) {
  std::string first;
  fs::directory_iterator entry(path, *error);
  for (; !*error && entry != fs::directory_iterator(); entry.increment(*error)) {
    const std::string name = entry->path().filename().string();
    if (name != kLockName && (first.empty() || name < first)) first = name;
  }
  return first;
}

}  // namespace

Result<OutputFolder> OutputFolder::Claim(const std::string& path) {
  std::error_code error;
  const bool created = fs::create_directories(path, error);
  if (error || !fs::is_directory(path, error)) {
    return Refuse(path,
                  "cannot create this folder: " +
                      (error ? error : std::make_error_code(std::errc::not_a_directory)).message(),
                  "-o takes a folder that is new or empty");
  }
  const int lock = ::open(LockPath(path).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (lock < 0 && errno == EEXIST) {
    return Refuse(path, "another run is writing into this folder",
                  "choose another folder; if no run is alive, remove " + LockPath(path));
  }
  if (lock < 0) {
    const std::string reason = std::error_code(errno, std::generic_category()).message();
    if (created) fs::remove(path, error);
    return Refuse(path, "cannot write into this folder: " + reason, "");
  }
  ::close(lock);
  OutputFolder folder(path, created);
  // Only now: what appears later can only be ours.
  const std::string entry = FirstEntry(path, &error);
  if (error) return Refuse(path, "cannot read this folder: " + error.message(), "");
  if (!entry.empty()) {
    return Refuse(path,
                  entry == "result.json" || fs::exists(path + "/result.json", error)
                      ? "this folder holds the result of another run"
                      : "this folder is not empty: it holds '" + entry + "'",
                  "-o takes a folder that is new or empty");
  }
  return folder;
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")), created_(other.created_), written_(other.written_) {}

OutputFolder::~OutputFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(LockPath(path_), ignored);
  if (created_ && !written_) fs::remove(path_, ignored);
}

Result<void> OutputFolder::Write(const std::vector<OutputFile>& files) {
  std::error_code ignored;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    const std::string path = path_ + "/" + file->name;
    if (file->name.find('/') != std::string::npos) {
      fs::create_directories(fs::path(path).parent_path(), ignored);  // else the write fails
    }
    auto result = io::WriteFileAtomically(path, file->text);
    if (result) continue;
    for (const OutputFile& other : files) {
      for (fs::path left(other.name); !left.empty(); left = left.parent_path()) {
        fs::remove(path_ / left, ignored);  // a folder only once it is empty
      }
    }
    return Fail(std::move(result.error()));
  }
  written_ = true;
  return {};
}

}  // namespace inlay::cli
