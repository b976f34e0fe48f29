#include "inlay/io/random_access_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace inlay::io {
namespace {

tl::unexpected<Diagnostics> CannotRead(const std::string& path) {
  return Fail(MakeError(
      {path, 0, 0},
      "cannot read the file: " + std::error_code(errno, std::generic_category()).message()));
}

}  // namespace

Result<RandomAccessFile> RandomAccessFile::Open(const std::string& path) {
  // Opening a pipe would wait for a process that writes into it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return CannotRead(path);
  RandomAccessFile file(path, descriptor);
  struct stat info = {};
  if (::fstat(descriptor, &info) != 0) return CannotRead(path);
  if (S_ISDIR(info.st_mode)) {
    return Fail(MakeError({path, 0, 0}, "this is a folder, not a file", "name a file inside it"));
  }
  if (!S_ISREG(info.st_mode)) return Fail(MakeError({path, 0, 0}, "this is no regular file"));
  return file;
}

RandomAccessFile::RandomAccessFile(RandomAccessFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RandomAccessFile::~RandomAccessFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<size_t> RandomAccessFile::ReadAt(uint64_t offset, char* into, size_t size) const {
  size_t got = 0;
  while (got < size) {
    const ssize_t now =
        ::pread(descriptor_, into + got, size - got, static_cast<off_t>(offset + got));
    if (now == 0) break;
    if (now < 0 && errno != EINTR) return CannotRead(path_);
    if (now > 0) got += static_cast<size_t>(now);
  }
  return got;
}

}  // namespace inlay::io
