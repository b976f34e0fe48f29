#include "inlay/core/map_result.h"

namespace inlay {

const char* Name(CertificateStatus status) {
  switch (status) {
    case CertificateStatus::kOptimal:
      return "optimal";
    case CertificateStatus::kBounded:
      return "bounded";
    case CertificateStatus::kHeuristic:
      return "heuristic";
  }
  return "";
}

}  // namespace inlay
