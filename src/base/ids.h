// Strong ids: a node name cannot be passed where a pod UID is expected. Values only, ordered,
// hashable, printable; copies of a text id share its text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "base/gpu_uuid.h"
#include "base/shared_text.h"

namespace gs {

// The first bytes of a text as one number that is ordered as they are; what is shorter comes first.
class TextHead {
 public:
  TextHead() = default;
  explicit TextHead(const std::string& text) {
    for (std::size_t i = 0; i < sizeof bytes_; ++i) {
      bytes_ = bytes_ << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
    }
  }

  TextHead(const TextHead&) = default;
  TextHead& operator=(const TextHead&) = default;
  // With its text it goes from one id to another, and what is left is as if it had never been.
  TextHead(TextHead&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  TextHead& operator=(TextHead&& other) noexcept {
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~TextHead() = default;

  friend auto operator<=>(const TextHead&, const TextHead&) = default;

 private:
  std::uint64_t bytes_ = 0;
};

struct NoHead {
  NoHead() = default;
  explicit NoHead(const std::string& /*text*/) {}

  friend auto operator<=>(const NoHead&, const NoHead&) = default;
};

// What an id carries beside its text, to be compared first: the order is that of the texts all the
// same. Maps of tens of thousands of pods look at the text of hardly any, since the first bytes of
// UIDs differ.
template <class Tag>
struct HeadOf {
  using Type = NoHead;
};
template <>
struct HeadOf<struct PodUidTag> {
  using Type = TextHead;
};

template <class Tag>
class TextId {
 public:
  TextId() = default;
  explicit TextId(SharedText text) : head_(text.text()), text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_.text(); }
  [[nodiscard]] const SharedText& shared() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }

  friend auto operator<=>(const TextId&, const TextId&) = default;
  friend std::ostream& operator<<(std::ostream& out, const TextId& id) { return out << id.text(); }

 private:
  [[no_unique_address]] typename HeadOf<Tag>::Type head_;
  SharedText text_;
};

template <class Tag>
class NumberId {
 public:
  NumberId() = default;
  explicit constexpr NumberId(std::int32_t number) : number_(number) {}

  [[nodiscard]] constexpr std::int32_t number() const { return number_; }

  friend constexpr auto operator<=>(const NumberId&, const NumberId&) = default;
  friend std::ostream& operator<<(std::ostream& out, const NumberId& id) {
    return out << id.number_;
  }

 private:
  std::int32_t number_ = 0;
};

using NodeName = TextId<struct NodeNameTag>;
using NodeUid = TextId<struct NodeUidTag>;
using Namespace = TextId<struct NamespaceTag>;
using PodName = TextId<struct PodNameTag>;
using PodUid = TextId<struct PodUidTag>;
using ClaimName = TextId<struct ClaimNameTag>;
using ControllerUid = TextId<struct ControllerUidTag>;
using LeaseName = TextId<struct LeaseNameTag>;
using LeaseUid = TextId<struct LeaseUidTag>;
using ResourceVersion = TextId<struct ResourceVersionTag>;
using AttemptId = TextId<struct AttemptIdTag>;
using SchedulerName = TextId<struct SchedulerNameTag>;
using IslandName = TextId<struct IslandNameTag>;

using GpuId = NumberId<struct GpuIdTag>;        // rank in PCI bus order on its node
using PodIndex = NumberId<struct PodIndexTag>;  // ordinal of a pod in its controller

}  // namespace gs

template <class Tag>
struct std::hash<gs::TextId<Tag>> {
  std::size_t operator()(const gs::TextId<Tag>& id) const {
    return std::hash<std::string>()(id.text());
  }
};

template <class Tag>
struct std::hash<gs::NumberId<Tag>> {
  std::size_t operator()(const gs::NumberId<Tag>& id) const {
    return std::hash<std::int32_t>()(id.number());
  }
};
