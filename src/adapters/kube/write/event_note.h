// EventNote: something that happened to an object, before it is a Kubernetes Event.
#pragma once

#include <string>

#include "base/ids.h"
#include "core/model/command.h"

namespace gs::kube {

struct EventSubject {
  std::string kind;  // of the core group: "Pod", "Node"
  Namespace ns;      // empty for kinds without namespaces
  std::string name;
  std::string uid;

  friend bool operator==(const EventSubject&, const EventSubject&) = default;
};

struct EventNote {
  EventNote(EventSubject subject, model::EventType how, std::string why, std::string words)
      : about(std::move(subject)), type(how), reason(std::move(why)), message(std::move(words)) {}
  // What the scheduler's core says is about pods, and about nodes where a pod has no name.
  EventNote(const model::RecordEvent& event)  // NOLINT(google-explicit-constructor): the same thing
      : about(SubjectOf(event)), type(event.type), reason(event.reason), message(event.message) {}

  // Where the Event is kept: those about objects without a namespace are in the default one.
  [[nodiscard]] Namespace ns() const { return about.ns.empty() ? Namespace("default") : about.ns; }

  // As UID of a node kubelets write its name, and that is what kubectl looks for.
  [[nodiscard]] static EventSubject SubjectOf(const model::RecordEvent& event) {
    if (event.pod.name.empty()) return {"Node", {}, event.node.text(), event.node.text()};
    return {"Pod", event.pod.ns, event.pod.name.text(), event.pod.uid.text()};
  }

  EventSubject about;
  model::EventType type = model::EventType::kNormal;
  std::string reason;
  std::string message;
};

}  // namespace gs::kube
