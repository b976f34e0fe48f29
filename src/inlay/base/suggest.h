#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inlay {

// The number of single-character insertions, deletions, substitutions and neighbour swaps between
// two words, ignoring case.
int EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to a misspelt word, or nullopt if none is near enough to be worth
// proposing. Ties go to the first candidate.
std::optional<std::string> Suggest(std::string_view word,
                                   const std::vector<std::string>& candidates);

// "did you mean 'x'?", or a list of what is allowed, each once: "expected one of a, b, c", or ""
// when there are no candidates.
std::string SuggestionHint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace inlay
