#include "inlay/io/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/support/synced.h"
#include "tests/support/test_folder.h"

namespace inlay::io {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class WriteFileTest : public TestFolder {
 protected:
  static std::string Slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string ErrorOf(const std::string& name) const {
    const auto written = WriteFile(Path(name), "new");
    EXPECT_EQ(written.has_value(), CheckFileToWrite(Path(name)).has_value());
    return written ? "" : Format(written.error());
  }
};

using Strings = std::vector<std::string>;

TEST_F(WriteFileTest, WritesWholeFilesAndReplacesOldOnes) {
  ASSERT_TRUE(WriteFile(Put("out.txt", "old and longer"), "new").has_value());
  EXPECT_EQ(Slurp(Path("out.txt")), "new");
  ASSERT_TRUE(WriteFile(Path("other.txt"), "new too").has_value());
  EXPECT_EQ(Slurp(Path("other.txt")), "new too");
  EXPECT_EQ(Names(), (Strings{"other.txt", "out.txt"}));
}

TEST_F(WriteFileTest, SaysThatItCannotWrite) {
  EXPECT_THAT(ErrorOf("no/such/folder/out.txt"), HasSubstr("cannot write the file: "));
  const auto done = WriteFile(Path("no/such/folder/out.txt"), "x");
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(Format(done.error()), HasSubstr("out.txt: error: cannot write the file: "));
  EXPECT_FALSE(WriteFile("", "x").has_value());
}

TEST_F(WriteFileTest, LinksStayAndTheirTargetsAreReplaced) {
  Put("target", "old");
  fs::create_directory(Path("below"));
  fs::create_symlink("../target", Path("below/first"));
  fs::create_symlink(Path("below/first"), Path("second"));
  ASSERT_TRUE(WriteFile(Path("second"), "new").has_value());
  EXPECT_EQ(Slurp(Path("target")), "new");
  EXPECT_FALSE(fs::is_symlink(Path("target")));
  EXPECT_TRUE(fs::is_symlink(Path("below/first")) && fs::is_symlink(Path("second")));
  EXPECT_EQ(Names(), (Strings{"below", "second", "target"}));
}

TEST_F(WriteFileTest, ALinkToNothingMakesItsTarget) {
  fs::create_symlink("target", Path("link"));
  ASSERT_TRUE(WriteFile(Path("link"), "new").has_value());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Slurp(Path("target")), "new");
}

TEST_F(WriteFileTest, LoopsAndFoldersAreErrors) {
  fs::create_symlink("b", Path("a"));
  fs::create_symlink("a", Path("b"));
  EXPECT_EQ(ErrorOf("a"),
            Path("a") + ": error: cannot write the file: Too many levels of symbolic links\n");
  fs::create_directory(Path("folder"));
  fs::create_symlink("folder", Path("to-folder"));
  for (const char* name : {"folder", "folder/", "to-folder"}) {
    EXPECT_EQ(ErrorOf(name), Path(name) +
                                 ": error: this is a folder, not a file\n"
                                 "  hint: name a file inside it\n");
  }
  EXPECT_EQ(Names(), (Strings{"a", "b", "folder", "to-folder"}));
}

TEST_F(WriteFileTest, PipesAreWrittenInPlace) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", Path("link"));
  std::string got;
  std::thread reader([&] { got = Slurp(Path("pipe")); });
  const auto written = WriteFile(Path("link"), "through the pipe");
  if (!fs::is_fifo(Path("pipe"))) Put("pipe", "");  // a reader of what was replaced would wait
  reader.join();
  ASSERT_TRUE(written.has_value()) << Format(written.error());
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(Path("pipe")) && fs::is_symlink(Path("link")));
  EXPECT_EQ(Names(), (Strings{"link", "pipe"}));
}

TEST_F(WriteFileTest, DevicesAreWrittenInPlace) {
  const std::string null = Path("null"), full = Path("full");
  if (mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 ||
      mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) {
    GTEST_SKIP() << "only root can make devices, and those of the machine are not for tests";
  }
  const int probe = open(null.c_str(), O_WRONLY);
  if (probe < 0) GTEST_SKIP() << "this file system opens no devices";
  close(probe);
  EXPECT_TRUE(WriteFile(null, "gone").has_value());
  const auto written = WriteFile(full, "too much");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(Format(written.error()),
            full + ": error: cannot write the file: No space left on device\n");
  EXPECT_TRUE(fs::is_character_file(null) && fs::is_character_file(full));
}

TEST_F(WriteFileTest, SocketsAreWrittenInPlace) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = Path("socket");
  if (path.size() >= sizeof(address.sun_path)) GTEST_SKIP() << "the path is too long for a socket";
  std::copy(path.begin(), path.end(), address.sun_path);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  ASSERT_EQ(bind(listener, generic, sizeof(address)), 0);
  EXPECT_FALSE(WriteFile(path, "early").has_value());  // it does not listen yet
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_TRUE(WriteFile(path, "through the socket").has_value());
  const int connection = accept(listener, nullptr, nullptr);
  std::string got(100, '\0');
  got.resize(static_cast<size_t>(std::max<ssize_t>(0, read(connection, got.data(), got.size()))));
  EXPECT_EQ(got, "through the socket");
  EXPECT_TRUE(fs::is_socket(path));
  close(connection);
  close(listener);
}

TEST_F(WriteFileTest, AnOpenDescriptorIsWrittenWhereItStands) {
  const int file = open(Path("log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(file, "before ", 7), 7);
  fs::create_symlink("/proc/self/fd/" + std::to_string(file), Path("link"));  // as /dev/stdout is
  ASSERT_TRUE(WriteFile(Path("link"), "new").has_value());
  ASSERT_EQ(write(file, " after", 6), 6);
  close(file);
  EXPECT_EQ(Slurp(Path("log")), "before new after");
  EXPECT_FALSE(WriteFile(Path("link"), "closed").has_value());
}

// In a container /proc may be that of another namespace of processes, with other numbers.
TEST_F(WriteFileTest, AnOpenDescriptorIsKnownInANamespaceOfProcesses) {
  constexpr int kSkipped = 77;
  const int file = open(Path("log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(file, "before ", 7), 7);
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(kSkipped);
    const pid_t inside = fork();
    if (inside == 0) _exit(WriteFile(fmt::format("/proc/self/fd/{}", file), "new") ? 0 : 1);
    int status = 0;
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(write(file, " after", 6), 6);
  close(file);
  if (WEXITSTATUS(status) == kSkipped) GTEST_SKIP() << "this system allows no such namespace";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(Slurp(Path("log")), "before new after");
}

// Behind a descriptor of any process is a file that it goes on with: renamed over, both lose.
TEST_F(WriteFileTest, ADescriptorOfAnotherProcessIsNotReplaced) {
  const std::string log = Put("log", "before ");
  const int file = open(log.c_str(), O_WRONLY | O_APPEND);
  const pid_t other = fork();
  if (other == 0) {
    pause();
    _exit(0);
  }
  const auto written = WriteFile(fmt::format("/proc/{}/fd/{}", other, file), "new");
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  ASSERT_EQ(write(file, " after", 6), 6);
  close(file);
  ASSERT_TRUE(written.has_value()) << Format(written.error());
  EXPECT_EQ(Slurp(log), "before new after");
}

TEST_F(WriteFileTest, TheModeStays) {
  const std::string path = Put("secret", "old");
  for (const mode_t mode : {0600U, 0664U, 0755U}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(WriteFile(path, "new").has_value());
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, mode);
  }
}

TEST_F(WriteFileTest, TextAndNameReachTheDisk) {
  Put("target", "old");
  fs::create_symlink("target", Path("link"));
  const testing::Synced synced;
  ASSERT_TRUE(WriteFile(Path("link"), "new").has_value());
  const Strings& paths = synced.paths();
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_THAT(paths[0], ::testing::StartsWith(Path("target.")));  // before it has its name
  EXPECT_THAT(paths[0], ::testing::EndsWith(".tmp"));
  EXPECT_EQ(paths[1], folder().string());
}

}  // namespace
}  // namespace inlay::io
