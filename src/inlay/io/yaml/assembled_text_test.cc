#include "inlay/io/yaml/assembled_text.h"

#include <gtest/gtest.h>

#include <random>

namespace inlay::io {
namespace {

// The place of a byte, by counting.
struct CountedPlace {
  int line = 1, column = 1;
};
CountedPlace Count(const std::string& text, size_t offset) {
  CountedPlace place;
  for (size_t i = 0; i < offset; ++i) {
    place = text[i] == '\n' ? CountedPlace{place.line + 1, 1}
                            : CountedPlace{place.line, place.column + 1};
  }
  return place;
}

TEST(AssembledTextTest, EveryByteHasThePlaceOfItsPiece) {
  std::mt19937 rng(7);
  const auto upto = [&rng](size_t most) {
    return std::uniform_int_distribution<size_t>(0, most)(rng);
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<std::shared_ptr<const Source>> sources;
    for (int s = 0; s < 3; ++s) {
      std::string text;
      for (size_t i = 0, size = upto(30); i < size; ++i) text += "ab\n"[upto(2)];
      sources.push_back(std::make_shared<const Source>(Source{std::to_string(s), text}));
    }
    AssembledText assembled;
    std::string text;
    struct Origin {
      const Source* source;
      size_t offset;
    };
    std::vector<Origin> origins;  // of every byte
    for (size_t p = 0, pieces = upto(8); p < pieces; ++p) {
      const auto& source = sources[upto(2)];
      const size_t begin = upto(source->text.size());
      const size_t length = upto(source->text.size() - begin);
      if (upto(2) == 0) {
        assembled.Insert("x\ny", source, begin);
        text += "x\ny";
        origins.insert(origins.end(), 3, {source.get(), begin});
      } else {
        assembled.Copy(source, begin, length);
        text += source->text.substr(begin, length);
        for (size_t i = 0; i < length; ++i) origins.push_back({source.get(), begin + i});
      }
    }
    ASSERT_EQ(assembled.text(), text);
    for (size_t i = 0; i < text.size(); ++i) {
      const AssembledText::Place place = assembled.PlaceOf(i);
      ASSERT_EQ(place.source.get(), origins[i].source);
      const CountedPlace counted = Count(origins[i].source->text, origins[i].offset);
      EXPECT_EQ(place.line, counted.line);
      EXPECT_EQ(place.column, counted.column);
      EXPECT_EQ(place.line_start + static_cast<size_t>(place.column) - 1, origins[i].offset);
    }
  }
}

TEST(AssembledTextTest, ParsesAsTheTextItIs) {
  const auto source = std::make_shared<const Source>(Source{"f", "a: 1\nb: {c: [2, x]}\n"});
  AssembledText assembled;
  assembled.Copy(source, 0, 9);
  assembled.Copy(source, 9, source->text.size() - 9);
  const auto in_pieces = ParseYaml(assembled, "f");
  const auto whole = ParseYaml(*source);
  ASSERT_TRUE(in_pieces && whole);
  const Node& left = in_pieces->front().Find("b")->Find("c")->items[1];
  const Node& right = whole->front().Find("b")->Find("c")->items[1];
  EXPECT_EQ(left.text, "x");
  EXPECT_EQ(left.line, right.line);
  EXPECT_EQ(left.column, right.column);
  EXPECT_EQ(left.SourceLine(), right.SourceLine());
}

}  // namespace
}  // namespace inlay::io
