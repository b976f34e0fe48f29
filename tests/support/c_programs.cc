#include "tests/support/c_programs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace inlay::testing {
namespace {

constexpr std::string_view kMain = "int main(void)\n";

ProgramRun RunShell(const std::string& command) {
  ProgramRun run;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> piece;
  size_t length = 0;
  while ((length = std::fread(piece.data(), 1, piece.size(), pipe)) > 0) {
    run.output.append(piece.data(), length);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  return run;
}

// The program with a function of another name instead of `main`.
std::string Renamed(std::string program, size_t number) {
  const size_t at = program.find(kMain);
  EXPECT_NE(at, std::string::npos);
  if (at == std::string::npos) return program;
  return program.replace(at, kMain.size(),
                         fmt::format("int main_{0}(void);\nint main_{0}(void)\n", number));
}

}  // namespace

std::vector<ProgramRun> RunPrograms(const std::filesystem::path& folder,
                                    const std::vector<std::string>& programs) {
  std::string declarations, cases;
  for (size_t i = 0; i < programs.size(); ++i) {
    std::ofstream(folder / fmt::format("p{}.c", i)) << Renamed(programs[i], i);
    declarations += fmt::format("int main_{}(void);\n", i);
    cases += fmt::format("    case {0}: return main_{0}();\n", i);
  }
  std::ofstream(folder / "all.c")
      << "#include <stdlib.h>\n" + declarations +
             "int main(int argc, char **argv)\n{\n  switch (argc > 1 ? atoi(argv[1]) : -1) {\n" +
             cases + "  }\n  return 99;\n}\n";
  const char* compiler = std::getenv("CC");
  const ProgramRun compiled = RunShell(
      fmt::format("cd '{}' && {} -std=c99 -Wall -Wextra -Werror -o all *.c", folder.string(),
                  compiler != nullptr && *compiler != '\0' ? compiler : "cc"));
  if (compiled.status != 0) {
    ADD_FAILURE() << "the programs do not compile:\n" << compiled.output.substr(0, 4000);
    return {};
  }
  std::vector<ProgramRun> runs;
  for (size_t i = 0; i < programs.size(); ++i) {
    runs.push_back(RunShell(fmt::format("'{}' {}", (folder / "all").string(), i)));
  }
  return runs;
}

}  // namespace inlay::testing
