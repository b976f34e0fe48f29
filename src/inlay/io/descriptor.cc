#include "inlay/io/descriptor.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace inlay::io {

tl::unexpected<Diagnostics> CannotWrite(const std::string& path, int error) {
  return Fail(
      MakeError({path, 0, 0}, "cannot write the file: " + std::generic_category().message(error)));
}

int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) text.remove_prefix(static_cast<size_t>(put));
  }
  return 0;
}

int Sync(int fd) {
  while (fsync(fd) != 0) {
    if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

int SyncFolder(const std::string& path) {
  const Descriptor folder(
      open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder may be written and not read: its names then reach the disk when the system sees fit.
  return folder.get() < 0 ? 0 : Sync(folder.get());
}

}  // namespace inlay::io
