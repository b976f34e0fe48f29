#pragma once

// Private to io: timelines in the format of Perfetto and chrome://tracing, one event per line.

#include <string>

#include "inlay/io/json/json.h"

namespace inlay::io {

// A row of the viewer: a thread of a process.
struct TraceRow {
  int process = 1, thread = 0;
};

// Times are in µs, as in the format.
class TraceEvents {
 public:
  void NameProcess(int process, const std::string& name);
  void NameThread(TraceRow row, const std::string& name);
  // Something that takes time; of a row, spans nest or do not overlap.
  void AddSpan(TraceRow row, double at, double duration, const std::string& category,
               const std::string& name, const Json& figures);
  // Figures of a process that hold until the next sample of that name.
  void AddSample(int process, double at, const std::string& name, const Json& figures);
  // The begin or the end of something that may overlap others of the row; those of one category and
  // id nest.
  void AddEdge(TraceRow row, bool begins, double at, const std::string& category, int64_t id,
               const std::string& name, const Json& figures = {});

  std::string Document() const;

 private:
  void Add(const Json& event) { lines_ += (lines_.empty() ? "" : ",\n") + DumpLine(event); }
  std::string lines_;
};

}  // namespace inlay::io
