#include "inlay/io/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "inlay/io/descriptor.h"

namespace inlay::io {
namespace {

constexpr std::chrono::milliseconds kBetweenSyncs{100};

tl::unexpected<Diagnostics> Refuse(const std::string& path, const char* why) {
  return Fail(MakeError({path, 0, 0}, why, "remove it, or choose another folder"));
}

// Whether a file begins with `start`, or is the beginning of it.
bool BeginsWith(int descriptor, std::string_view start) {
  std::string text(start.size(), '\0');
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  return got >= 0 && start.starts_with(text.substr(0, static_cast<size_t>(got)));
}

}  // namespace

Result<AppendFile> AppendFile::Open(const std::string& path, size_t keep, std::string_view start) {
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == ELOOP) return Refuse(path, "this is a link, not a file");
  if (descriptor < 0) return CannotWrite(path, errno);
  AppendFile file(path, descriptor, keep);
  struct stat info = {};
  if (::fstat(descriptor, &info) != 0) return CannotWrite(path, errno);
  if (!S_ISREG(info.st_mode)) return Refuse(path, "this is no regular file");
  if (keep == 0 && !BeginsWith(descriptor, start)) {
    return Refuse(path, "this file was not written by inlay, and stays as it is");
  }
  if (::ftruncate(descriptor, static_cast<off_t>(keep)) != 0) return CannotWrite(path, errno);
  // So that a new file's name is there after the machine has failed, too.
  if (keep == 0) SyncFolder(std::filesystem::path(path).parent_path().string());
  return file;
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      synced_(other.synced_) {}

AppendFile::~AppendFile() {
  if (descriptor_ < 0) return;
  io::Sync(descriptor_);
  ::close(descriptor_);
}

Result<void> AppendFile::Append(std::string_view text) {
  int error = WriteAll(descriptor_, text);
  const auto now = std::chrono::steady_clock::now();
  if (error == 0 && now - synced_ >= kBetweenSyncs) {
    error = io::Sync(descriptor_);
    synced_ = now;
  }
  if (error == 0) {
    size_ += text.size();
    return {};
  }
  (void)!::ftruncate(descriptor_, static_cast<off_t>(size_));  // else its reader cuts half a line
  return CannotWrite(path_, error);
}

Result<void> AppendFile::Sync() {
  if (const int error = io::Sync(descriptor_); error != 0) return CannotWrite(path_, error);
  return {};
}

}  // namespace inlay::io
