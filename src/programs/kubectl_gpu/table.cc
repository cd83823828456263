#include "programs/kubectl_gpu/table.h"

#include <algorithm>
#include <cstddef>

#include "programs/kubectl_gpu/paint.h"

namespace gs::kubectl_gpu {

Cell::Cell(std::string plain) : text(Printable(std::move(plain))), painted(text) {}

std::string Table::Print() const {
  constexpr std::size_t kGap = 3;
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].text.size());
    }
  }
  std::string text;
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i].painted;
      if (i + 1 < row.size()) text += std::string(widths[i] + kGap - row[i].text.size(), ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace gs::kubectl_gpu
