#include "inlay/report/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

// Whole numbers in full, everything else in four significant digits.
std::string Number(double value, const TextStyle& style) {
  constexpr double kLongest = 1e12;
  if (value == std::floor(value) && std::abs(value) < kLongest) {
    return Grouped(static_cast<int64_t>(value), style);
  }
  return fmt::format("{:.4g}", value);
}

// A text in lines of at most `columns`, each after `indent` blanks.
std::string Paragraph(const std::string& text, size_t indent, size_t columns = kScreenColumns) {
  std::string out, line;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (!line.empty() && indent + DisplayWidth(line) + 1 + DisplayWidth(word) > columns) {
      out += std::string(indent, ' ') + std::exchange(line, "") + "\n";
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + std::string(indent, ' ') + line + "\n";
}

// A search that could have been proven, and was not.
bool Open(const std::optional<StudyCertificate>& proof) {
  return proof && proof->status == CertificateStatus::kBounded;
}

// "unproven, gap 3.2 %", "heuristic"; "" where nothing is left to prove.
std::string ProofText(const std::optional<StudyCertificate>& proof) {
  if (!proof || proof->status == CertificateStatus::kOptimal) return "";
  const std::string text = Open(proof) ? "unproven" : "heuristic";
  // A proof without a gap is open in a later metric of the objective, by an unknown amount.
  const bool known = proof->gap > 0 && (Open(proof) || proof->gap < 1);
  return known ? text + ", gap " + GapText(proof->gap) : text;
}

// What the table's marks mean, and which columns are heuristic: no proof was tried.
std::string ProofLines(const StudyDrawing& drawing) {
  std::optional<StudyCertificate> worst;
  StudyCertificate quick{CertificateStatus::kHeuristic, 0, {}};
  std::vector<std::string> heuristic;
  for (size_t s = 0; s < drawing.series.size(); ++s) {
    const auto unproven = [s](const StudyFigureRow& row) {
      return !row.y[s] || (row.proof[s] && row.proof[s]->status == CertificateStatus::kHeuristic);
    };
    if (std::all_of(drawing.rows.begin(), drawing.rows.end(), unproven)) {
      heuristic.push_back(drawing.series[s]);
    }
    for (const StudyFigureRow& row : drawing.rows) {
      if (row.proof[s] && row.proof[s]->status == CertificateStatus::kHeuristic) {
        quick.Worsen(*row.proof[s]);
      }
      if (!Open(row.proof[s])) continue;
      if (!worst) worst = row.proof[s];
      worst->Worsen(*row.proof[s]);
    }
  }
  std::string out;
  if (worst) out += Paragraph("~: " + ProofText(worst) + (worst->gap > 0 ? " at most" : ""), 0);
  if (heuristic.empty()) return out;
  std::string line =
      quick.gap < 1 ? ProofText(quick) + " at most" : ProofText(quick) + ", nothing is proven";
  if (heuristic.size() < drawing.series.size()) {
    line += fmt::format(": {}", fmt::join(heuristic, ", "));
  }
  return out + Paragraph(line, 0);
}

constexpr size_t kClaimColumns = 54;  // of the table of claims, for what a claim is about

// The series in [begin, end) as a table.
Table SeriesTable(const StudyDrawing& drawing, size_t begin, size_t end, const TextStyle& style) {
  std::vector<Column> columns = {{drawing.figure.x, Align::kLeft}};
  for (size_t s = begin; s < end; ++s) {
    const std::string& series = drawing.series[s];
    columns.push_back({series.empty() ? drawing.figure.y : series, Align::kRight});
  }
  Table table(columns);
  for (const StudyFigureRow& row : drawing.rows) {
    std::vector<Cell> cells = {{row.x_value ? Number(*row.x_value, style) : row.x, Tone::kAccent}};
    for (size_t s = begin; s < end; ++s) {
      std::string text = row.y[s] ? Number(*row.y[s], style) : "";
      if (row.on_front[s]) text += " *";
      if (row.y[s] && Open(row.proof[s])) text += " ~";
      cells.emplace_back(std::move(text));
    }
    table.AddRow(std::move(cells));
  }
  return table;
}

// As many series side by side as the screen holds, the others below.
std::string FigureTable(const StudyDrawing& drawing, const TextStyle& style) {
  std::string out = drawing.figure.y + " by " + drawing.figure.x;
  if (drawing.figure.pareto) out += " (*: no other point beats it in both)";
  out += "\n";
  for (size_t begin = 0; begin < drawing.series.size();) {
    size_t end = begin + 1;
    while (end < drawing.series.size() &&
           SeriesTable(drawing, begin, end + 1, style).Width() <= kScreenColumns) {
      ++end;
    }
    out += (begin > 0 ? "\n" : "") + SeriesTable(drawing, begin, end, style).Render(style);
    begin = end;
  }
  return out + ProofLines(drawing);
}

std::string Ours(const StudyClaimResult& result, const TextStyle& style) {
  if (!result.ours) return style.unicode ? "—" : "-";
  switch (result.claim.show) {
    case StudyClaim::Show::kValue:
      return Number(*result.ours, style);
    case StudyClaim::Show::kPercent:
      return *result.ours < 1 && *result.ours > 0.99999
                 ? "> 99.999 %"
                 : fmt::format("{:.5g} %", *result.ours * 100);
    case StudyClaim::Show::kChange:
      return fmt::format("{:+.1f} %", *result.ours * 100);
    case StudyClaim::Show::kRatio:
      return fmt::format("{:.{}g} {}", *result.ours, *result.ours < 100 ? 3 : 4,
                         style.unicode ? "×" : "x");
  }
  return "";
}

std::string ClaimsTable(const std::vector<StudyClaimResult>& claims, const TextStyle& style) {
  Table table({{"claim", Align::kLeft}, {"paper", Align::kRight}, {"ours", Align::kRight}});
  for (const StudyClaimResult& result : claims) {
    std::string ours = Ours(result, style);
    if (result.measured) ours += " (measured)";
    if (const std::string proof = ProofText(result.proof); result.ours && !proof.empty()) {
      ours += " (" + proof + ")";
    }
    std::string paper = result.claim.paper;
    std::istringstream lines(Paragraph(result.claim.what, 0, kClaimColumns));
    for (std::string line; std::getline(lines, line);) {
      table.AddRow({line, std::exchange(paper, ""), {std::exchange(ours, ""), Tone::kBold}});
    }
  }
  std::string out = table.Render(style);
  for (const StudyClaimResult& result : claims) {
    if (result.claim.note.empty()) continue;
    out += "\n" + Paragraph(result.claim.what + ": " + result.claim.note, 2);
  }
  return out;
}

// What is missing, and why; a few of the reasons.
std::string Missing(const StudyResult& result) {
  const StudyCounts& counts = result.counts;
  if (counts.answered == result.points.size() && counts.cut == 0) return "";
  std::string out = fmt::format("\n{} of {} points done", counts.answered, result.points.size());
  if (counts.cut > 0) {
    out += fmt::format(", {} of them without a proof before the time was up", counts.cut);
  }
  out += "\n";
  for (const StudyPoint& point : counts.first_unanswered) {
    std::string settings;
    for (const auto& [axis, label] : point.settings) {
      settings += (settings.empty() ? "" : ", ") + label;
    }
    out += Paragraph(settings + ": " + Name(point.status) +
                         (point.reasons.empty() ? "" : ": " + point.reasons.front()),
                     2);
  }
  const size_t more = counts.unanswered - counts.first_unanswered.size();
  return more > 0 ? out + fmt::format("  and {} more\n", more) : out;
}

}  // namespace

std::string ShowStudy(const Study& study, const TextStyle& style) {
  std::string out = Title({"study", study.name}, style) + "\n";
  for (const StudyGrid& grid : study.grids) {
    const auto points = static_cast<int64_t>(PointsOf(grid));
    out +=
        fmt::format("{} point{} of {}\n", Grouped(points, style), points == 1 ? "" : "s", grid.run);
    for (const StudyAxis& axis : grid.axes) {
      std::vector<std::string> labels;
      constexpr size_t kMost = 12;
      if (axis.size() > kMost) {
        labels = {axis.LabelAt(0), axis.LabelAt(1), style.unicode ? "…" : "...",
                  axis.LabelAt(axis.size() - 1)};
      } else {
        for (size_t i = 0; i < axis.size(); ++i) labels.push_back(axis.LabelAt(i));
      }
      out += "  " + axis.name + ": " + Wrap(labels, ", ", 4) + "\n";
    }
  }
  for (const StudyClaim& claim : study.claims) {
    out += Paragraph("claim: " + claim.what + ": " + claim.paper, 0);
  }
  return out;
}

std::string StudySummary(const StudyResult& result, const TextStyle& style) {
  std::string out = Title({"study", result.study}, style);
  if (result.interrupted) out += Paint(" (interrupted)", Tone::kWarn, style);
  out += "\n";
  if (result.drawing && result.drawing->left_out) {
    out += "\n" + Paragraph(fmt::format("{} by {}: more than {} cells, too many for a table. The "
                                        "points are in result.json.",
                                        result.drawing->figure.y, result.drawing->figure.x,
                                        Grouped(static_cast<int64_t>(kMostDrawn), style)),
                            0);
  } else if (result.drawing && !result.drawing->rows.empty()) {
    out += "\n" + FigureTable(*result.drawing, style);
  }
  if (!result.claims.empty()) out += "\n" + ClaimsTable(result.claims, style);
  return out + Missing(result);
}

}  // namespace inlay::report
