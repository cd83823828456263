// Pods, pages and frames as an API server writes them, and events as short words, for tests.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/kube/watch/object_meta.h"
#include "base/text.h"
#include "core/model/event.h"

namespace gs::kube {

// A pod in the namespace "team".
[[nodiscard]] inline std::string PodText(const std::string& name, const std::string& uid,
                                         const std::string& version) {
  return R"({"kind":"Pod","metadata":{"namespace":"team","name":")" + name + R"(","uid":")" + uid +
         R"(","resourceVersion":")" + version + R"("},"spec":{"containers":[]}})";
}

// A pod that its decoder refuses.
[[nodiscard]] inline std::string BrokenPodText(const std::string& name, const std::string& uid,
                                               const std::string& version) {
  return R"({"kind":"Pod","metadata":{"namespace":"team","name":")" + name + R"(","uid":")" + uid +
         R"(","resourceVersion":")" + version + R"("},"spec":{"nodeName":7,"containers":[]}})";
}

[[nodiscard]] inline std::string PageText(const std::vector<std::string>& items,
                                          const std::string& version,
                                          const std::string& continue_token = "") {
  return R"({"kind":"PodList","metadata":{"resourceVersion":")" + version + R"(","continue":")" +
         continue_token + R"("},"items":[)" +
         text::Join(items, ",", [](const std::string& item) { return item; }) + "]}";
}

// Without its line end.
[[nodiscard]] inline std::string FrameText(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

[[nodiscard]] inline std::string BookmarkText(const std::string& version) {
  return FrameText("BOOKMARK",
                   R"({"kind":"Pod","metadata":{"resourceVersion":")" + version + R"("}})");
}

[[nodiscard]] inline std::string ErrorText(int code, const std::string& reason) {
  return FrameText("ERROR", R"({"kind":"Status","code":)" + std::to_string(code) +
                                R"(,"reason":")" + reason + R"("})");
}

struct EventWord {
  std::string operator()(const model::PodSeen& event) const {
    const auto& pod = event.pod;
    return pod.ref.name.text() + "/" + pod.ref.uid.text() + "@" + pod.resource_version.text();
  }
  std::string operator()(const model::PodGone& event) const {
    return "-" + event.pod.name.text() + "/" + event.pod.uid.text();
  }
  std::string operator()(const model::ViewReached& event) const {
    return "=" + event.resource_version.text();
  }
  std::string operator()(const model::KindMissing&) const { return "missing"; }
  template <class Other>
  std::string operator()(const Other& event) const {
    return model::ToString(model::Event(event));
  }
};

// "a/uid@5" seen, "-a/uid" gone, "=7" view reached, "missing".
[[nodiscard]] inline std::string WordOf(const model::Event& event) {
  return std::visit(EventWord(), event);
}

[[nodiscard]] inline std::vector<std::string> WordsOf(const std::vector<model::Event>& events) {
  std::vector<std::string> words;
  words.reserve(events.size());
  for (const auto& event : events) words.push_back(WordOf(event));
  return words;
}

}  // namespace gs::kube
