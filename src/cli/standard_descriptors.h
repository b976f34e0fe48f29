#pragma once

namespace inlay::cli {

// Opens the standard descriptors that are closed, so that no file of ours gets their numbers and is
// then taken for the terminal. They lead to /dev/null, and reading and writing them still fails.
void OpenStandardDescriptors();

}  // namespace inlay::cli
