// Strong ids: a node name cannot be passed where a pod UID is expected. Values only, ordered,
// hashable, printable; copies of a text id share its text, or are so small that there is none.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/gpu_uuid.h"
#include "base/shared_text.h"
#include "base/uuid_text.h"
#include "base/version_text.h"

namespace gs {

// How an id is kept. Most share their text with their copies; UIDs and versions, of which there are
// as many as objects, are numbers nearly always.
template <class Tag>
struct TextOf {
  using Type = SharedText;
};
template <>
struct TextOf<struct PodUidTag> {
  using Type = UuidText;
};
template <>
struct TextOf<struct LeaseUidTag> {
  using Type = UuidText;
};
template <>
struct TextOf<struct ResourceVersionTag> {
  using Type = VersionText;
};

template <class Tag>
class TextId {
 public:
  using Text = typename TextOf<Tag>::Type;

  TextId() = default;
  explicit TextId(Text text) : text_(std::move(text)) {}

  [[nodiscard]] std::string text() const { return text_.text(); }
  // As long as there is a copy of it.
  [[nodiscard]] std::string_view view() const
    requires std::same_as<Text, SharedText>
  {
    return text_.view();
  }
  [[nodiscard]] const SharedText& shared() const
    requires std::same_as<Text, SharedText>
  {
    return text_;
  }
  [[nodiscard]] const Text& kept() const
    requires(!std::same_as<Text, SharedText>)
  {
    return text_;
  }
  [[nodiscard]] bool empty() const { return text_.empty(); }

  friend auto operator<=>(const TextId&, const TextId&) = default;
  friend std::ostream& operator<<(std::ostream& out, const TextId& id) { return out << id.text(); }

 private:
  Text text_;
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
    if constexpr (requires { id.view(); }) {
      return std::hash<std::string_view>()(id.view());
    } else {
      return id.kept().hash();
    }
  }
};

template <class Tag>
struct std::hash<gs::NumberId<Tag>> {
  std::size_t operator()(const gs::NumberId<Tag>& id) const {
    return std::hash<std::int32_t>()(id.number());
  }
};
