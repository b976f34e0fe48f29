#include "inlay/io/json/alloc.h"

#include <utility>

#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

// The ids are different, and many: the library's own insertion compares each with all before it.
Json OffsetsToJson(const AllocResult& result) {
  Json::object_t offsets;
  offsets.reserve(result.offsets.size());
  for (size_t i = 0; i < result.offsets.size(); ++i) {
    offsets.push_back({result.buffers[i].id, result.offsets[i]});
  }
  return offsets;
}

// What was to be placed: with the offsets enough to draw the memory over time.
Json BuffersToJson(const std::vector<Buffer>& buffers) {
  Json json = Json::array();
  for (const Buffer& b : buffers) {
    json.push_back({{"id", b.id}, {"lower", b.lower}, {"upper", b.upper}, {"size", b.size}});
  }
  return json;
}

Json CauseToJson(const AllocResult& result) {
  Json ids = Json::array();
  int64_t bytes = 0;
  for (const size_t i : result.cause->buffers) {
    ids.push_back(result.buffers[i].id);
    bytes += result.buffers[i].size;
  }
  return {{"lower", result.cause->lower},
          {"upper", result.cause->upper},
          {"buffers", std::move(ids)},
          {"bytes", bytes}};
}

}  // namespace

std::string WriteAllocResult(const AllocResult& result) {
  const bool placed = result.status == "placed";
  Json json = HeaderToJson(result.header);
  json["capacity"] = result.capacity ? Json(*result.capacity) : Json();
  if (!result.capacity && placed) json["capacity"] = result.height;
  json["peak"] = placed ? Json(result.height) : Json();
  json["lower_bound"] = result.lower_bound;
  json["peak_load"] = {
      {"bytes", result.peak_load}, {"lower", result.peak.lower}, {"upper", result.peak.upper}};
  json["status"] = result.status;
  if (result.interrupted) json["interrupted"] = true;
  if (result.cause) json["cause"] = CauseToJson(result);
  json["offsets"] = OffsetsToJson(result);
  json["buffers"] = BuffersToJson(result.buffers);
  json["measured"] = {{"seconds", result.seconds}, {"nodes", result.nodes}};
  return Dump(json);
}

}  // namespace inlay::io
