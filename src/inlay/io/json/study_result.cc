#include "inlay/io/json/study_result.h"

#include "inlay/io/json/fields.h"

namespace inlay::io {
namespace {

// One point after the other: a study may have more than memory holds.
void Write(const StudyResult& result, const TextSink& put_text) {
  StudyDocument document = DocumentOf(result);
  const bool all = result.points.size() <= kMostListed;
  if (!all) document.not_run = result.points.size() - result.points.run();
  const auto items = [&](const ItemSink& put) {
    const auto list = [&put](const StudyPoint& point) { put(ToJson(ListedPoint(point))); };
    if (all) {
      for (const StudyPoint& point : result.points) list(point);
    } else {
      result.points.ForEachRun([&](size_t /*index*/, const StudyPoint& point) { list(point); });
    }
  };
  DumpWithList(ToJson(document), "points", items, put_text);
}

}  // namespace

LongText WriteStudyResult(const StudyResult& result) {
  return LongText([&result](const TextSink& put) { Write(result, put); });
}

}  // namespace inlay::io
