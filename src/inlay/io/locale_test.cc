// A locale with a decimal comma changes neither what is read nor what is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <string>

#include "inlay/core/result.h"
#include "inlay/io/json/document.h"
#include "inlay/io/native/native.h"
#include "inlay/io/timeloop/read.h"
#include "inlay/io/timeloop/write.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace inlay::io {
namespace {

using ::testing::HasSubstr;

// Makes the locale in a folder of its own, because few machines have it, and switches to it until
// the end of the test. Needs localedef and its sources (Debian: package locales).
class GermanLocale {
 public:
  GermanLocale() {
    std::string name = std::filesystem::temp_directory_path() / "inlay-locale-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return;
    folder_ = name;
    // Its exit status is not 0 for warnings either: whether it worked is checked below.
    const std::string command = "cd / && localedef --no-archive -i de_DE -f UTF-8 '" + name +
                                "/de_DE.UTF-8' >/dev/null 2>&1";
    [[maybe_unused]] const int status = std::system(command.c_str());
    setenv("LOCPATH", name.c_str(), 1);
#ifdef __SANITIZE_ADDRESS__
    // The C library never frees the list of folders it makes of LOCPATH: its leak, not ours.
    const __lsan::ScopedDisabler disabler;
#endif
    is_set_ = setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    if (is_set_) before_ = std::locale::global(std::locale("de_DE.UTF-8"));  // of streams, too
  }
  ~GermanLocale() {
    if (is_set_) std::locale::global(before_);
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;

  bool is_set() const { return is_set_; }

 private:
  std::filesystem::path folder_;
  bool is_set_ = false;
  std::locale before_;
};

constexpr const char* kNative = R"(format: inlay/1
architecture:
  name: fractions
  levels:
  - {name: DRAM, kind: dram, energy: {read: 100.25 pJ, write: 1.5e2 pJ}, read_bandwidth: 2.5 words/cycle}
  - {name: RF, kind: register, capacity: 0.5 KiB, energy: {read: .125 pJ, write: 0.75 pJ}}
  - {compute: mac, energy: 1234567.5 fJ}
)";

constexpr const char* kTimeloop = R"(architecture:
  version: 0.2
  subtree:
  - name: system
    local:
    - {name: DRAM, class: DRAM, attributes: {word-bits: 16, read_bandwidth: 2.5, vector_access_energy: 1.75}}
    - {name: mac, class: intmac, attributes: {word-bits: 16}}
)";

// Everything that is read and written, one after the other.
std::string Everything() {
  std::string text;
  const auto native = ReadNative({{"native.yaml", kNative}});
  if (!native) return Format(native.error());
  text += WriteNative(*native->architecture);
  const auto written =
      WriteTimeloop(nullptr, &*native->architecture, nullptr, TimeloopVersion::k04);
  if (!written) return Format(written.error());
  text += *written;
  const auto timeloop = ReadTimeloop({{"timeloop.yaml", kTimeloop}});
  if (!timeloop) return Format(timeloop.error());
  text += WriteNative(*timeloop->architecture);
  EvalResult result;
  result.measured.seconds = 1234.5;
  result.energy_pj = 1e6 + 0.25;
  result.operations = 1234567;
  const std::string json = WriteJson(result);
  const auto again = ReadJson<EvalResult>({"result.json", json});
  if (!again) return Format(again.error());
  return text + json + WriteJson(*again);
}

TEST(LocaleTest, ADecimalCommaChangesNothing) {
  const std::string expected = Everything();
  EXPECT_THAT(expected, HasSubstr("100.25 pJ"));
  EXPECT_THAT(expected, HasSubstr("1.75"));
  EXPECT_THAT(expected, HasSubstr("1234.5"));
  const GermanLocale locale;
  ASSERT_TRUE(locale.is_set()) << "install localedef and its sources (Debian: package locales)";
  std::array<char, 16> active = {};
  std::snprintf(active.data(), active.size(), "%.1f", 1.5);
  ASSERT_STREQ(active.data(), "1,5");
  EXPECT_EQ(Everything(), expected);
}

}  // namespace
}  // namespace inlay::io
