#pragma once

#include <string>
#include <string_view>

namespace inlay {

// How sentences to users name options: by a mark with the option's key, which the front end that
// shows the sentence replaces by what its users write: --time-limit 60s, time_limit=60s.

// An option: "time_limit"; with a value: "time_limit", "60s".
std::string Mention(std::string_view key, std::string_view value = "");
// What lists the built-ins of a kind: "machine".
std::string MentionListOf(std::string_view kind);

// What users write. A value is in quotes where it has blanks, and empty where there is none.
struct Spelling {
  std::string (*option)(std::string_view key, std::string_view value);
  std::string (*list_of)(std::string_view kind);
};
extern const Spelling kShellSpelling;    // --time-limit 60s, 'inlay list machine'
extern const Spelling kSettingSpelling;  // of files: time_limit: 60s

// The sentence with every mark replaced.
std::string Spell(std::string_view sentence, const Spelling& spelling = kShellSpelling);

}  // namespace inlay
