#include "cli/program.h"
#include "cli/standard_descriptors.h"

int main(int argc, char** argv) {
  inlay::cli::OpenStandardDescriptors();
  return inlay::cli::RunProgram({argv + (argc > 0 ? 1 : 0), argv + argc});
}
