// Amounts of what pods ask for and nodes offer, as whole numbers in fixed units. Text with suffixes
// is turned into them at the edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include "core/model/rare.h"

namespace gs::model {

// By resource name, in whole units, as a map would be. As large as a pointer, since hardly any pod
// asks for more than the usual.
class OtherAmounts {
 public:
  using Map = std::map<std::string, std::int64_t, std::less<>>;
  using value_type = Map::value_type;
  using const_iterator = Map::const_iterator;
  using iterator = const_iterator;

  OtherAmounts() = default;
  OtherAmounts(std::initializer_list<value_type> amounts) : amounts_(Map(amounts)) {}

  [[nodiscard]] std::int64_t& operator[](const std::string& name) { return (*amounts_)[name]; }
  // Unless there is one by that name.
  void emplace(std::string_view name, std::int64_t amount) { amounts_->emplace(name, amount); }
  void erase(const std::string& name) { amounts_->erase(name); }
  [[nodiscard]] const_iterator find(std::string_view name) const { return all().find(name); }
  // 0: none by that name.
  [[nodiscard]] std::int64_t Of(std::string_view name) const {
    const auto amount = find(name);
    return amount == end() ? 0 : amount->second;
  }

  [[nodiscard]] bool empty() const { return all().empty(); }
  [[nodiscard]] std::size_t size() const { return all().size(); }
  [[nodiscard]] const_iterator begin() const { return all().begin(); }
  [[nodiscard]] const_iterator end() const { return all().end(); }
  [[nodiscard]] const Map& all() const { return *amounts_; }

  friend bool operator==(const OtherAmounts&, const OtherAmounts&) = default;

 private:
  Rare<Map> amounts_;
};

struct Resources {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t gpus = 0;  // nvidia.com/gpu
  OtherAmounts others;

  friend bool operator==(const Resources&, const Resources&) = default;
};

// "cpu 500m, memory 1Gi, nvidia.com/gpu 2"; what is zero is left out, "nothing" if all is.
[[nodiscard]] std::string ToString(const Resources& resources);
std::ostream& operator<<(std::ostream& out, const Resources& resources);

}  // namespace gs::model
