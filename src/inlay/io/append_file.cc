#include "inlay/io/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "inlay/io/descriptor.h"

namespace inlay::io {
namespace {

constexpr std::chrono::milliseconds kBetweenSyncs{100};

tl::unexpected<Diagnostics> Failure(const std::string& path, int error) {
  return Fail(MakeError(
      {path, 0, 0},
      "cannot write the file: " + std::error_code(error, std::generic_category()).message()));
}

}  // namespace

Result<AppendFile> AppendFile::Open(const std::string& path, size_t keep) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return Failure(path, errno);
  AppendFile file(path, descriptor, keep);
  if (::ftruncate(descriptor, static_cast<off_t>(keep)) != 0) return Failure(path, errno);
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
  return Failure(path_, error);
}

Result<void> AppendFile::Sync() {
  if (const int error = io::Sync(descriptor_); error != 0) return Failure(path_, error);
  return {};
}

}  // namespace inlay::io
