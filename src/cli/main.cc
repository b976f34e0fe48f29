#include "cli/run.h"

int main(int argc, char** argv) {
  return inlay::cli::Run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
