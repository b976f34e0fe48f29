#pragma once

#include <string>
#include <string_view>

#include "inlay/base/long_text.h"
#include "inlay/base/result.h"

namespace inlay::io {

// Whether WriteFile can write there, as far as can be said before: no folder, no loop of links, in
// a folder that is there and may be written.
Result<void> CheckFileToWrite(const std::string& path);

// Writes a file that the user named. A regular file, and a new one, is written aside and renamed,
// so that half of it is never seen; through links, which stay. A device, a pipe, a socket and an
// open descriptor (/dev/stdout) are written in place; another process' (/proc/PID/fd/1) at the
// file's end. On return the text is on the disk.
Result<void> WriteFile(const std::string& path, std::string_view text);

// Writes a file aside and renames it over whatever has this name, also over a link. It has the mode
// of the file that it replaces. On return the text is on the disk; the name is after SyncFolder.
Result<void> ReplaceFile(const std::string& path, std::string_view text);
// The same of a text that is made as it is written.
Result<void> ReplaceFile(const std::string& path, const LongText::Writer& write);

}  // namespace inlay::io
