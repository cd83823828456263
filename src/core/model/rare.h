// Rare: a part that few objects have. As large as a pointer, copied with its object, and read as if
// it were always there.
#pragma once

#include <memory>
#include <utility>

namespace gs::model {

template <class Part>
class Rare {  // NOLINT(cppcoreguidelines-special-member-functions): assigned by value
 public:
  Rare() = default;
  Rare(Part part)  // NOLINT(google-explicit-constructor): it is that part
      : part_(part == Part() ? nullptr : std::make_unique<Part>(std::move(part))) {}
  Rare(const Rare& other) : part_(other.part_ ? std::make_unique<Part>(*other.part_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    part_ = std::move(other.part_);
    return *this;
  }
  ~Rare() = default;

  [[nodiscard]] const Part& operator*() const {
    static const Part kNone;
    return part_ ? *part_ : kNone;
  }
  [[nodiscard]] const Part* operator->() const { return &**this; }
  // To change it.
  [[nodiscard]] Part& operator*() {
    if (!part_) part_ = std::make_unique<Part>();
    return *part_;
  }
  [[nodiscard]] Part* operator->() { return &**this; }

  friend bool operator==(const Rare& a, const Rare& b) { return *a == *b; }

 private:
  std::unique_ptr<Part> part_;
};

}  // namespace gs::model
