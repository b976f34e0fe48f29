#include "cli/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "inlay/io/descriptor.h"
#include "inlay/io/write_file.h"

namespace inlay::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = ".inlay-lock";

std::string LockPath(const std::string& folder) { return folder + "/" + kLockName; }

tl::unexpected<Diagnostics> Refuse(const std::string& path, const std::string& why,
                                   std::string hint) {
  return Fail(MakeError({path, 0, 0}, why, std::move(hint)));
}

// "result.json.1234-0.tmp": a run was killed while it was writing result.json.
bool IsLeftOver(const std::string& name, const std::vector<std::string>& known) {
  return name.ends_with(".tmp") &&
         std::any_of(known.begin(), known.end(),
                     [&](const std::string& file) { return name.starts_with(file + "."); });
}

// The first name of something in the folder other than our lock and what is known; "" if there is
// nothing. Left-overs are removed.
std::string FirstStranger(const std::string& path, const std::vector<std::string>& known,
                          std::error_code* error) {
  std::string first;
  std::vector<fs::path> left_over;
  fs::directory_iterator entry(path, *error);
  for (; !*error && entry != fs::directory_iterator(); entry.increment(*error)) {
    const std::string name = entry->path().filename().string();
    if (name == kLockName || std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (IsLeftOver(name, known)) {
      left_over.push_back(entry->path());
    } else if (first.empty() || name < first) {
      first = name;
    }
  }
  std::error_code ignored;
  for (const fs::path& file : left_over) fs::remove(file, ignored);
  return first;
}

// Whether the path still leads to the file that was opened: a run that releases the lock removes
// the file, and a new one may have its name since.
bool StillThere(int descriptor, const std::string& path) {
  struct stat opened = {}, named = {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// A descriptor with the lock, or -1 with errno: EWOULDBLOCK if another run has it, ELOOP if it is a
// link, which may lead to any file.
int Lock(const std::string& path) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) return -1;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      if (StillThere(descriptor, path)) return descriptor;
      ::close(descriptor);
      continue;
    }
    const int error = errno;
    ::close(descriptor);
    if (error == EINTR) continue;
    errno = error;
    return -1;
  }
}

Diagnostics AboutContent(const std::string& path, const std::string& entry) {
  std::error_code error;
  const auto holds = [&](const char* name) { return fs::exists(path + "/" + name, error); };
  if (holds("journal.jsonl")) {
    return {MakeError({path, 0, 0}, "this folder holds a study",
                      "'inlay study STUDY -o " + path + " --resume' goes on with it")};
  }
  return {MakeError({path, 0, 0},
                    holds("result.json") ? "this folder holds the result of another run"
                                         : "this folder is not empty: it holds '" + entry + "'",
                    "-o takes a folder that is new or empty")};
}

}  // namespace

Result<OutputFolder> OutputFolder::Claim(const std::string& path,
                                         const std::vector<std::string>& known) {
  std::error_code error;
  const bool created = fs::create_directories(path, error);
  if (error || !fs::is_directory(path, error)) {
    return Refuse(path,
                  "cannot create this folder: " +
                      (error ? error : std::make_error_code(std::errc::not_a_directory)).message(),
                  "-o takes a folder that is new or empty");
  }
  const int lock = Lock(LockPath(path));
  if (lock < 0 && errno == EWOULDBLOCK) {
    return Refuse(path, "another run is writing into this folder", "choose another folder");
  }
  if (lock < 0 && errno == ELOOP) {
    return Refuse(LockPath(path), "this is a link, and a lock never is", "remove it");
  }
  if (lock < 0) {
    const std::string reason = std::error_code(errno, std::generic_category()).message();
    if (created) fs::remove(path, error);
    return Refuse(path, "cannot write into this folder: " + reason, "");
  }
  OutputFolder folder(path, lock, created);
  // After the lock is taken: no other run adds files any more.
  const std::string entry = FirstStranger(path, known, &error);
  if (error) return Refuse(path, "cannot read this folder: " + error.message(), "");
  if (!entry.empty()) return Fail(AboutContent(path, entry));
  return folder;
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")),
      lock_(std::exchange(other.lock_, -1)),
      created_(other.created_),
      written_(other.written_) {}

OutputFolder::~OutputFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(LockPath(path_), ignored);  // before the release; see StillThere
  ::close(lock_);
  if (created_ && !written_) fs::remove(path_, ignored);
}

int OutputFolder::Sync(const std::vector<OutputFile>& files) const {
  std::set<fs::path> folders;
  const auto add = [&](fs::path folder) {
    while (folders.insert(folder).second) folder = folder.parent_path();
  };
  for (const OutputFile& file : files) add(fs::path(PathOf(file.name)).parent_path());
  int error = 0;
  for (auto folder = folders.rbegin(); folder != folders.rend() && error == 0; ++folder) {
    error = io::SyncFolder(folder->string());
  }
  return error;
}

Result<void> OutputFolder::Write(const std::vector<OutputFile>& files) {
  std::error_code ignored;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    const std::string path = path_ + "/" + file->name;
    if (file->name.find('/') != std::string::npos) {
      fs::create_directories(fs::path(path).parent_path(), ignored);  // else the write fails
    }
    auto result = io::ReplaceFile(path, [&](const TextSink& put) { file->text.WriteTo(put); });
    if (result) continue;
    for (const OutputFile& other : files) {
      for (fs::path left(other.name); !left.empty(); left = left.parent_path()) {
        fs::remove(path_ / left, ignored);  // a folder only once it is empty
      }
    }
    return Fail(std::move(result.error()));
  }
  written_ = true;
  if (const int error = Sync(files); error != 0) {
    return Refuse(path_, "cannot write this folder: " + std::generic_category().message(error), "");
  }
  return {};
}

}  // namespace inlay::cli
