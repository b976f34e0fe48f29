// Points by their number, against walking through all of them.
#include "inlay/core/study_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "inlay/core/study.h"
#include "inlay/core/study_points.h"

namespace inlay {
namespace {

using ::testing::ElementsAre;

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  size_t UpTo(size_t most) { return random_() % (most + 1); }

  StudyValues Values(int64_t begin) {
    StudyValues values;
    for (size_t i = 0; i <= UpTo(2); ++i, begin += 10) {
      if (UpTo(1) == 0) {
        values.Add("v" + std::to_string(begin));
      } else {
        values.AddRange(begin, begin + static_cast<int64_t>(UpTo(2)));
      }
    }
    return values;
  }

  StudyAxis Axis(const std::string& name) {
    StudyAxis axis(name);
    for (size_t e = 0; e <= UpTo(1); ++e) {
      StudyEntry entry;
      entry.label = e == 0 ? "" : "like";
      const size_t choices = e == 0 ? 1 : UpTo(2);
      for (size_t c = 0; c < choices; ++c) {
        entry.choices.push_back({e == 0 ? "" : std::string(1, static_cast<char>('x' + c)),
                                 Values(static_cast<int64_t>(100 * e))});
      }
      axis.Add(entry);
    }
    return axis;
  }

  Study Any() {
    Study study;
    for (size_t g = 0; g <= UpTo(1); ++g) {
      StudyGrid& grid = study.grids.emplace_back();
      for (size_t a = 0; a <= UpTo(2); ++a) {
        grid.axes.push_back(Axis(std::string(1, static_cast<char>('a' + a + UpTo(1) * 5))));
      }
      if (UpTo(2) == 0) grid.deal = grid.axes[UpTo(grid.axes.size() - 1)].name;
      std::set<std::string> names;  // no axis twice
      std::erase_if(grid.axes,
                    [&](const StudyAxis& axis) { return !names.insert(axis.name).second; });
    }
    return study;
  }

 private:
  std::mt19937 random_;
};

// All points, the last axis fastest; a dealt axis beside the combinations of the others.
std::vector<StudyFilter> Walk(const Study& study) {
  std::vector<StudyFilter> all;
  for (const StudyGrid& grid : study.grids) {
    std::vector<size_t> at(grid.axes.size(), 0);
    const auto points = static_cast<size_t>(PointsOf(grid));
    for (size_t p = 0; p < points; ++p) {
      StudyFilter& settings = all.emplace_back();
      for (size_t i = 0; i < at.size(); ++i) {
        settings.emplace_back(grid.axes[i].name, grid.axes[i].LabelAt(at[i]));
      }
      for (size_t i = at.size(); i > 0; --i) {
        if (grid.axes[i - 1].name == grid.deal) {
          at[i - 1] = p + 1;
        }
      }
      for (size_t i = at.size(); i > 0; --i) {
        if (grid.axes[i - 1].name == grid.deal) continue;
        if (++at[i - 1] < grid.axes[i - 1].size()) break;
        at[i - 1] = 0;
      }
    }
  }
  return all;
}

const std::string* LabelIn(const StudyFilter& settings, const std::string& axis) {
  for (const auto& [name, label] : settings) {
    if (name == axis) return &label;
  }
  return nullptr;
}

std::optional<size_t> Scan(const std::vector<StudyFilter>& all, const StudyFilter& fixed,
                           const StudyFilter& like) {
  for (size_t i = 0; i < all.size(); ++i) {
    bool agrees = true;
    for (const auto& [axis, label] : fixed) {
      const std::string* other = LabelIn(all[i], axis);
      agrees = agrees && other != nullptr && *other == label;
    }
    for (const auto& [axis, label] : like) {
      const std::string* other = LabelIn(all[i], axis);
      if (LabelIn(fixed, axis) == nullptr && other != nullptr) agrees = agrees && *other == label;
    }
    if (agrees) return i;
  }
  return std::nullopt;
}

TEST(StudyAxisTest, PointsByNumberAreThoseOfAWalk) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const Study study = draw.Any();
    const std::vector<StudyFilter> all = Walk(study);
    ASSERT_EQ(PointsOf(study), all.size());
    for (size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(StudyNumbers(study).SettingsOf(i), all[i]) << i;
    for (int k = 0; k < 20; ++k) {
      const StudyFilter& one = all[draw.UpTo(all.size() - 1)];
      const StudyFilter& other = all[draw.UpTo(all.size() - 1)];
      const StudyFilter fixed = {other[draw.UpTo(other.size() - 1)]};
      EXPECT_EQ(FindPoint(study, fixed, one), Scan(all, fixed, one));
    }
    for (const StudyGrid& grid : study.grids) {
      for (const StudyAxis& axis : grid.axes) {
        for (size_t i = 0; i < axis.size(); ++i) EXPECT_EQ(axis.Find(axis.LabelAt(i)), i);
      }
    }
  }
}

// Probes go through every text and the ends of every range, the last axis first.
TEST(StudyAxisTest, ProbesAreOneSettingAtATime) {
  const StudyAxis a = StudyAxis::OfTexts("a", {"p", "q", "r"});
  StudyAxis b("b");
  StudyEntry range;
  range.choices.emplace_back().values.AddRange(1, 1000);
  b.Add(range);
  b.Add(StudyEntry::Text("x"));
  StudyGrid grid{"map", {a, b}, "", {}};
  EXPECT_THAT(ProbesOf(grid), ElementsAre(0, 999, 1000, 1001, 2002));
  grid.deal = "b";
  EXPECT_THAT(ProbesOf(grid), ElementsAre(0, 1, 2, 999, 1000));
  grid.deal = "a";
  EXPECT_THAT(ProbesOf(grid), ElementsAre(0, 1, 2));
}

// What names files is read value by value: each may be missing.
TEST(StudyAxisTest, EveryValueThatNamesAnInputIsAProbe) {
  StudyAxis axis("workload");
  StudyEntry range;
  range.choices.push_back({"", {}, true});
  range.choices[0].values.AddRange(1, 4);
  axis.Add(range);
  EXPECT_THAT(axis.Probes(), ElementsAre(0, 1, 2, 3));
}

// Journals of inlay 0.1 list the labels of axes that are now put together of ranges.
TEST(StudyAxisTest, AxesAreEqualByTheirLabels) {
  StudyAxis range("seed"), list("seed"), other("seed");
  StudyEntry entry;
  entry.choices.emplace_back().values.AddRange(1, 20'000);
  range.Add(entry);
  for (int i = 1; i <= 20'000; ++i) {
    list.Add(StudyEntry::Text(std::to_string(i)));
    other.Add(StudyEntry::Text(std::to_string(i == 19'999 ? 0 : i)));
  }
  EXPECT_EQ(range, list);
  EXPECT_FALSE(range == other);
}

// Points in any order, against a map.
TEST(StudyPointsTest, PointsMayComeInAnyOrder) {
  Study outline;
  StudyEntry entry;
  entry.choices.emplace_back().values.AddRange(0, 19'999);
  outline.grids.push_back({"map", {StudyAxis("seed")}, "", {}});
  outline.grids[0].axes[0].Add(entry);
  StudyPoints points(outline), copy(outline);
  std::map<size_t, double> twin;
  std::mt19937 random(5);
  for (int i = 0; i < 15'000; ++i) {
    const size_t index = i < 4000 ? 2 * static_cast<size_t>(i) : random() % 20'000;
    StudyPoint point;
    point.seconds = twin[index] = i;
    points.Put(index, point);
    if (i % 3 == 0) copy.PutFrom(points, index);
  }
  ASSERT_EQ(points.run(), twin.size());
  auto next = twin.begin();
  points.ForEachRun([&](size_t index, const StudyPoint& point) {
    ASSERT_NE(next, twin.end());
    EXPECT_EQ(index, next->first);
    EXPECT_EQ(point.seconds, next->second);
    ++next;
  });
  EXPECT_EQ(next, twin.end());
  for (size_t i = 0; i < 20'000; ++i) EXPECT_EQ(points.HasRun(i), twin.contains(i));
  size_t visited = 0;
  copy.ForEachNumber([&](size_t index) {
    EXPECT_TRUE(twin.contains(index));
    return ++visited < 10;
  });
  EXPECT_EQ(visited, 10U);
}

}  // namespace
}  // namespace inlay
