#include "inlay/io/json/trace_events.h"

namespace inlay::io {

void TraceEvents::NameProcess(int process, const std::string& name) {
  Add({{"ph", "M"},
       {"pid", process},
       {"tid", 0},
       {"name", "process_name"},
       {"args", {{"name", name}}}});
}

void TraceEvents::NameThread(TraceRow row, const std::string& name) {
  Add({{"ph", "M"},
       {"pid", row.process},
       {"tid", row.thread},
       {"name", "thread_name"},
       {"args", {{"name", name}}}});
}

void TraceEvents::AddSpan(TraceRow row, double at, double duration, const std::string& category,
                          const std::string& name, const Json& figures) {
  Add({{"ph", "X"},
       {"pid", row.process},
       {"tid", row.thread},
       {"ts", Compact(at)},
       {"dur", Compact(duration)},
       {"cat", category},
       {"name", name},
       {"args", figures}});
}

void TraceEvents::AddSample(int process, double at, const std::string& name, const Json& figures) {
  Add({{"ph", "C"}, {"pid", process}, {"ts", Compact(at)}, {"name", name}, {"args", figures}});
}

void TraceEvents::AddEdge(TraceRow row, bool begins, double at, const std::string& category,
                          int64_t id, const std::string& name, const Json& figures) {
  Json event = {
      {"ph", begins ? "b" : "e"}, {"pid", row.process}, {"tid", row.thread}, {"ts", Compact(at)},
      {"cat", category},          {"id", id},           {"name", name}};
  if (!figures.is_null()) event["args"] = figures;
  Add(event);
}

std::string TraceEvents::Document() const {
  return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + lines_ + "\n]}\n";
}

}  // namespace inlay::io
