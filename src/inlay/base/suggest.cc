#include "inlay/base/suggest.h"

#include <algorithm>
#include <cctype>

namespace inlay {
namespace {

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

constexpr size_t kLongestWord = 64;  // longer words are not misspellings of ours
constexpr size_t kMostCandidates =
    10'000;                          // the time of a suggestion stays below a hundredth second
constexpr size_t kLongestList = 24;  // a hint lists no more candidates than this

}  // namespace

int EditDistance(std::string_view a, std::string_view b) {
  // Row i holds the distances of the first i letters of a to every prefix of b.
  std::vector<int> before_previous(b.size() + 1);
  std::vector<int> previous(b.size() + 1);
  std::vector<int> current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
          Lower(a[i - 2]) == Lower(b[j - 1])) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    before_previous = previous;
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::optional<std::string> Suggest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  // Every letter is one edit away from every other: of a single letter only the case can be wrong.
  const int limit = word.size() == 1 ? 0 : std::max(1, static_cast<int>(word.size()) / 3);
  std::optional<std::string> best;
  int best_distance = limit + 1;
  for (size_t i = 0; i < std::min(candidates.size(), kMostCandidates); ++i) {
    const std::string& candidate = candidates[i];
    // Each missing or extra letter is an edit.
    const auto longer = std::max(candidate.size(), word.size());
    const auto shorter = std::min(candidate.size(), word.size());
    if (longer - shorter >= static_cast<size_t>(best_distance)) continue;
    const int distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string SuggestionHint(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = Suggest(word, candidates)) return "did you mean '" + *near + "'?";
  if (candidates.empty()) return "";
  std::vector<std::string> listed;
  for (const std::string& candidate : candidates) {
    if (std::find(listed.begin(), listed.end(), candidate) != listed.end()) continue;
    if (listed.size() == kLongestList) {
      listed.emplace_back("...");
      break;
    }
    listed.push_back(candidate);
  }
  std::string hint = "expected one of ";
  for (const std::string& one : listed) hint += (&one == &listed.front() ? "" : ", ") + one;
  return hint;
}

}  // namespace inlay
