#pragma once

#include <string>
#include <vector>

#include "inlay/base/long_text.h"
#include "inlay/base/result.h"

namespace inlay::cli {

struct OutputFile {
  std::string name;  // may stand in folders below: "layers/conv1/map.txt"
  LongText text;
};

// The folder of one run, which holds it exclusively: a lock on a file inside keeps a second run
// out. The system releases the lock when the process ends, also when it is killed.
class OutputFolder {
 public:
  // Creates the folder, or takes an empty one. Refuses a folder that holds anything but the files
  // of `known` (left-overs of a killed run that wrote them are removed), that another run holds, or
  // that cannot be written: before the work starts.
  static Result<OutputFolder> Claim(const std::string& path,
                                    const std::vector<std::string>& known = {});

  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }

  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  // Removes the lock, and the folder too if Claim created it and nothing was written.
  ~OutputFolder();

  // All files or none: each is written aside and renamed, the first of the list last, so that its
  // presence means that all are there. On return they are on the disk.
  Result<void> Write(const std::vector<OutputFile>& files);

 private:
  OutputFolder(std::string path, int lock, bool created)
      : path_(std::move(path)), lock_(lock), created_(created) {}

  // The names of the files, and of the folders that they are in, reach the disk. 0 or errno.
  int Sync(const std::vector<OutputFile>& files) const;

  std::string path_;  // empty: moved from
  int lock_;          // the descriptor that holds the lock
  bool created_;
  bool written_ = false;
};

}  // namespace inlay::cli
