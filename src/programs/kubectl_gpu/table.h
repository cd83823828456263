// Table: rows of cells under a header, aligned as kubectl aligns them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gs::kubectl_gpu {

// A cell, and what is shown of it if that is not the same: colours have no width.
struct Cell {
  Cell(std::string plain);  // NOLINT(google-explicit-constructor): rows read as lists of words
  Cell(const char* plain) : Cell(std::string(plain)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::string plain, std::string shown) : text(std::move(plain)), painted(std::move(shown)) {}

  std::string text;
  std::string painted;
};

class Table {
 public:
  using Row = std::vector<Cell>;

  explicit Table(Row header) : rows_{std::move(header)} {}

  // Requires: as many cells as the header has.
  void Add(Row row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  // Every line ends with a line end.
  [[nodiscard]] std::string Print() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace gs::kubectl_gpu
