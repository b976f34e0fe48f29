#pragma once

#include <string>

namespace inlay::io {

// The JSON Schema (draft 7) of result.json, of whichever command.
std::string ResultSchema();

// The schema of plan.json.
std::string PlanSchema();

// The same as interfaces of TypeScript: what the report page is written against.
std::string ResultTypeScript();

// The same as a page of Markdown: docs/reference/result.md.
std::string ResultMarkdown();

}  // namespace inlay::io
