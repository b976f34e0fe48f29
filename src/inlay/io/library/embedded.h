#pragma once

#include <span>
#include <string_view>

namespace inlay::io {

// One file of the folder library/, as it was when the binary was built.
struct EmbeddedFile {
  std::string_view path;  // relative to library/, e.g. "architectures/eyeriss.yaml"
  std::string_view text;
};

// Sorted by path (byte order), no path twice. Defined in a file that the build generates from
// library/ (cmake/embed.cmake).
std::span<const EmbeddedFile> EmbeddedFiles();

}  // namespace inlay::io
