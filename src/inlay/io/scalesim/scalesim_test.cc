// What SCALE-Sim's files hold can be written in the native format and read back.
#include "inlay/io/scalesim/scalesim.h"

#include <gtest/gtest.h>

#include "inlay/io/library/library.h"

namespace inlay::io {
namespace {

TEST(ScaleSimToNative, Architecture) {
  for (const char* dataflow : {"os", "ws", "is"}) {
    const Source cfg{"a.cfg", std::string("[architecture_presets]\nArrayHeight: 8\nArrayWidth: 4\n"
                                          "IfmapSramSzkB: 2\nFilterSramSzkB: 3\nOfmapSramSzkB: 5\n"
                                          "Bandwidth: 7\nDataflow: ") +
                                  dataflow + "\n[run_presets]\nInterfaceBandwidth: USER\n"};
    const auto inputs = ReadScaleSim({cfg}, LoadBuiltinTechnology("thistle-45nm").value());
    ASSERT_TRUE(inputs) << Format(inputs.error());
    const std::string native = WriteNative(*inputs->architecture, BuiltinContext());
    const auto again = ReadNative({{"a.yaml", native}}, BuiltinContext());
    ASSERT_TRUE(again) << Format(again.error());
    EXPECT_EQ(again->architecture, inputs->architecture) << native;
  }
}

TEST(ScaleSimToNative, Networks) {
  const Source conv{"a.csv",
                    "Layer,H,W,R,S,C,K,stride\na,16,16,3,3,8,4,2\nb_DP,16,16,3,3,8,1,1\n"
                    "c_DP,16,16,3,3,8,2,1\nd_DP,16,16,3,3,1,1,1\n"};
  const Source gemm{"b.csv", "Layer,M,N,K\na,2,3,4\nb,2,3,4,5\nc,2,3,4,1\n"};
  for (const Source& csv : {conv, gemm}) {
    const auto inputs = ReadScaleSim({csv}, Technology());
    ASSERT_TRUE(inputs) << Format(inputs.error());
    const std::string native = WriteNative(*inputs->network);
    const auto again = ReadNative({{"a.yaml", native}});
    ASSERT_TRUE(again) << Format(again.error()) << native;
    EXPECT_EQ(again->network, inputs->network) << native;
  }
}

}  // namespace
}  // namespace inlay::io
