#include "inlay/io/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "inlay/io/descriptor.h"
#include "inlay/io/unfinished_file.h"

namespace inlay::io {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // in a row, as the kernel has it

// Where a path leads to.
struct Target {
  enum class Kind { kFile, kFolder, kSocket, kDescriptor, kOther };
  Kind kind = Kind::kFile;  // a regular file, or none yet
  std::string path;         // behind all links
  int descriptor = -1;      // of this process, for kDescriptor
};

// The number of a descriptor of this process, if that is what the path names: /dev/stdout is a link
// to one. Opened by path it would be another file position, or not open at all (a socket).
std::optional<int> OwnDescriptor(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(fs::path(path).parent_path(), error);
  // By the number that /proc knows this process by: getpid's is of another namespace of processes
  // where that of /proc is.
  if (error || folder != fs::canonical("/proc/self/fd", error)) return std::nullopt;
  const std::string name = fs::path(path).filename().string();
  int descriptor = -1;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), descriptor);
  if (fault != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return descriptor;
}

Target::Kind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return Target::Kind::kFile;
  if (S_ISDIR(mode)) return Target::Kind::kFolder;
  return S_ISSOCK(mode) ? Target::Kind::kSocket : Target::Kind::kOther;
}

// Whether a link is one of the kernel's, such as /proc/PID/fd/1: what has it open goes on writing
// the file that it leads to, whatever has the file's name by then.
bool IsLinkOfProc(const std::string& path) {
  struct statfs info = {};
  const std::string folder = fs::path(path).parent_path().string();
  return statfs(folder.empty() ? "." : folder.c_str(), &info) == 0 &&
         info.f_type == PROC_SUPER_MAGIC;
}

// 0 or errno, as below.
int FindBehindLinkOfProc(Target* target) {
  struct stat info = {};
  if (stat(target->path.c_str(), &info) != 0) return errno;
  target->kind = KindOf(info.st_mode);
  if (target->kind == Target::Kind::kFile) target->kind = Target::Kind::kOther;
  return 0;
}

// Follows links.
int FindTarget(const std::string& path, Target* target) {
  target->path = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    if (const auto descriptor = OwnDescriptor(target->path)) {
      target->kind = Target::Kind::kDescriptor;
      target->descriptor = *descriptor;
      return 0;
    }
    struct stat info = {};
    if (lstat(target->path.c_str(), &info) != 0) return errno == ENOENT ? 0 : errno;
    if (!S_ISLNK(info.st_mode)) {
      target->kind = KindOf(info.st_mode);
      return 0;
    }
    if (IsLinkOfProc(target->path)) return FindBehindLinkOfProc(target);
    std::error_code error;
    const fs::path next = fs::read_symlink(target->path, error);
    if (error) return error.value();
    target->path = (fs::path(target->path).parent_path() / next).string();
  }
  return ELOOP;
}

Result<Target> TargetOf(const std::string& path) {
  Target target;
  if (const int error = FindTarget(path, &target); error != 0) return CannotWrite(path, error);
  if (target.kind != Target::Kind::kFolder) return target;
  return Fail(MakeError({path, 0, 0}, "this is a folder, not a file", "name a file inside it"));
}

Descriptor Connect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return Descriptor(-1);
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (connection.get() < 0 || connect(connection.get(), generic, sizeof(address)) != 0) {
    return Descriptor(-1);
  }
  return connection;
}

// None, and errno, if it fails.
Descriptor OpenInPlace(const Target& target) {
  if (target.kind == Target::Kind::kSocket) return Connect(target.path);
  return Descriptor(target.kind == Target::Kind::kDescriptor
                        ? fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
                        : open(target.path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
}

LongText::Writer WriterOf(std::string_view text) {
  return [text](const TextSink& put) { put(text); };
}

// 0 or errno, as all below.
int WriteAndClose(Descriptor file, const LongText::Writer& write) {
  if (file.get() < 0) return errno;
  int error = 0;
  write([&](std::string_view piece) {
    if (error == 0) error = WriteAll(file.get(), piece);
  });
  if (error == 0) error = Sync(file.get());
  return file.Close() != 0 && error == 0 ? errno : error;
}

// Of a regular file, without what would lend its owner's rights; none: there is no such file.
std::optional<mode_t> ModeOf(const std::string& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return info.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
}

// `aside` is to be a new file. EEXIST: it is there already, and stays.
int WriteAside(const std::string& aside, const std::string& path, const LongText::Writer& write) {
  const auto mode = ModeOf(path);
  UnfinishedFile unfinished(aside, mode.value_or(0666));
  if (unfinished.error() != 0) return unfinished.error();
  if (mode) (void)!fchmod(unfinished.file().get(), *mode);  // some file systems have no modes
  int error = WriteAndClose(std::move(unfinished.file()), write);
  if (error == 0 && std::rename(aside.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(aside.c_str());
  return error;
}

}  // namespace

Result<void> CheckFileToWrite(const std::string& path) {
  auto target = TargetOf(path);
  if (!target) return Fail(std::move(target.error()));
  if (target->kind != Target::Kind::kFile) return {};
  // Files are written anew beside the old one, whose own permissions do not matter.
  const std::string folder = fs::path(target->path).parent_path().string();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    return CannotWrite(path, errno);
  }
  return {};
}

Result<void> ReplaceFile(const std::string& path, const LongText::Writer& write) {
  constexpr int kTries = 1000;
  int error = EEXIST;
  for (int i = 0; i < kTries && error == EEXIST; ++i) {
    // Beside it: a rename then never crosses a file system.
    error = WriteAside(fmt::format("{}.{}-{}.tmp", path, getpid(), i), path, write);
  }
  if (error != 0) return CannotWrite(path, error);
  return {};
}

Result<void> ReplaceFile(const std::string& path, std::string_view text) {
  return ReplaceFile(path, WriterOf(text));
}

Result<void> WriteFile(const std::string& path, std::string_view text) {
  const auto target = TargetOf(path);
  if (!target) return Fail(target.error());
  int error = 0;
  if (target->kind == Target::Kind::kFile) {
    auto replaced = ReplaceFile(target->path, text);
    if (!replaced) return replaced;
    error = SyncFolder(fs::path(target->path).parent_path().string());
  } else {
    error = WriteAndClose(OpenInPlace(*target), WriterOf(text));
  }
  if (error != 0) return CannotWrite(path, error);
  return {};
}

}  // namespace inlay::io
