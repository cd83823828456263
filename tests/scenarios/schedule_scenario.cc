#include "tests/scenarios/schedule_scenario.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/yaml/parse.h"
#include "base/quantity.h"
#include "base/text.h"
#include "core/model/names.h"
#include "tests/scenarios/cluster/cluster.h"
#include "tests/scenarios/manifests.h"
#include "tests/scenarios/told_changes.h"

namespace gs::scenarios {
namespace {

namespace bj = boost::json;
using json::ObjectReader;

// "a" is team/a.
ApiServer::PodKey KeyOf(const std::string& pod) {
  const auto slash = pod.find('/');
  if (slash == std::string::npos) return {Namespace(std::string(kNamespace)), PodName(pod)};
  return {Namespace(pod.substr(0, slash)), PodName(pod.substr(slash + 1))};
}

std::string TextOf(const bj::value& value) {
  return value.is_string() ? std::string(value.get_string().c_str()) : json::Describe(value);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Lives through one story.
class Narrator {
 public:
  Narrator(const ScheduleStory& story, const std::filesystem::path& root)
      : story_(story), root_(root) {}

  std::vector<std::string> Tell() { return TellUntil(story_.steps.size()); }
  // Only the first steps.
  std::vector<std::string> TellUntil(std::size_t steps) {
    Begin();
    for (std::size_t i = 0; i < steps; ++i) {
      path_ = "step " + std::to_string(i + 1);
      if (const auto done = Do(story_.steps[i]); !done) {
        differences_.push_back(path_ + ": " + ToString(done.error()));
        break;
      }
      Check(cluster_.Settle(), "the scheduler does not come to rest");
    }
    return std::move(differences_);
  }
  [[nodiscard]] Cluster& cluster() { return cluster_; }

 private:
  void Begin() {
    if (story_.starts == "unsynced") return;
    cluster_.Sync();
    if (story_.starts == "leader") cluster_.Lead();
    Check(cluster_.Settle(), "the scheduler does not come to rest");
    cluster_.ForgetSent();
  }

  void Check(bool is_so, const std::string& difference) {
    if (!is_so) differences_.push_back(path_ + ": " + difference);
  }

  Result<void> Do(const bj::value& step) {
    ObjectReader reader(step, path_);
    if (step.is_object() && step.get_object().size() == 1) {
      for (const auto& [verb, action] : actions_) {
        const bj::value* what = reader.Raw(verb);
        if (what != nullptr) return (this->*action)(*what, path_ + "." + std::string(verb));
      }
    } else {
      reader.Fail("", "a step has one word");
    }
    return reader.Finish();
  }

  // Calls `each` with every item of a list.
  template <class Each>
  Result<void> ForEach(const bj::value& list, const std::string& path, Each each) {
    if (!list.is_array()) return Error(ErrorKind::kInvalid, path + ": expected a list");
    std::size_t i = 0;
    for (const bj::value& item : list.get_array()) {
      auto done = each(item, path + "[" + std::to_string(i++) + "]");
      if (!done) return done;
    }
    return {};
  }
  template <class Read>
  Result<void> PutEach(const bj::value& list, const std::string& path, Read read) {
    return ForEach(list, path,
                   [&](const bj::value& item, const std::string& where) -> Result<void> {
                     auto object = read(item, where);
                     if (!object) return std::move(object).error();
                     cluster_.api().Put(*std::move(object));
                     return {};
                   });
  }
  // Changes the pods of a list of names.
  template <class Change>
  Result<void> ChangePods(const bj::value& list, const std::string& path, Change change) {
    return ForEach(list, path,
                   [&](const bj::value& item, const std::string& where) -> Result<void> {
                     const std::string name = TextOf(item);
                     const model::Pod* pod = cluster_.api().FindPod(KeyOf(name));
                     if (pod == nullptr)
                       return Error(ErrorKind::kInvalid, where + ": there is no such pod");
                     change(model::Pod(*pod));
                     return {};
                   });
  }

  Result<void> Nodes(const bj::value& list, const std::string& path) {
    return PutEach(list, path, ReadNode);
  }
  Result<void> Claims(const bj::value& list, const std::string& path) {
    return PutEach(list, path, ReadClaim);
  }
  Result<void> Pods(const bj::value& list, const std::string& path) {
    return PutEach(list, path, [this](const bj::value& item, const std::string& where) {
      return ReadPod(item, where, cluster_.now());
    });
  }
  Result<void> Storage(const bj::value& list, const std::string& path) {
    return PutEach(list, path, ReadStorage);
  }
  Result<void> BindVolumes(const bj::value& list, const std::string& path) {
    return ForEach(list, path, [this](const bj::value& item, const std::string&) -> Result<void> {
      cluster_.api().BindVolume(Namespace(std::string(kNamespace)), TextOf(item));
      return {};
    });
  }
  Result<void> Namespaces(const bj::value& list, const std::string& path) {
    return ForEach(list, path,
                   [&](const bj::value& item, const std::string& where) -> Result<void> {
                     auto read = ReadNamespace(item, where);
                     if (!read) return std::move(read).error();
                     cluster_.api().PutNamespace(read->ns, read->labels);
                     return {};
                   });
  }
  // Somebody gives a pod other labels.
  Result<void> Label(const bj::value& what, const std::string& path) {
    ObjectReader reader(what, path);
    const std::string name = reader.RequiredText("pod");
    const bj::value* labels = reader.Raw("labels");
    if (auto done = reader.Finish(); !done) return done;
    const model::Pod* found = cluster_.api().FindPod(KeyOf(name));
    if (found == nullptr || labels == nullptr || !labels->is_object()) {
      return Error(ErrorKind::kInvalid, path + ": no such pod, or no labels");
    }
    model::Pod pod = *found;
    for (const auto& [key, value] : labels->get_object()) pod.labels.Set(key, TextOf(value));
    cluster_.api().Put(std::move(pod));
    return {};
  }
  Result<void> Machines(const bj::value& list, const std::string& path) {
    return ForEach(list, path,
                   [&](const bj::value& item, const std::string& where) -> Result<void> {
                     auto reported = ReadMachine(item, where, root_);
                     if (!reported) return std::move(reported).error();
                     for (auto& device : reported->machine.devices) NameResidue(device);
                     cluster_.api().PutMachine(reported->node, reported->machine);
                     return {};
                   });
  }
  // Scenario files name pods; agents know their UIDs.
  void NameResidue(model::GpuDevice& device) {
    std::vector<PodUid> residue;
    for (const PodUid& uid : device.residue) {
      const auto gone = uid_of_gone_.find(uid.text());
      residue.push_back(gone == uid_of_gone_.end() ? uid : gone->second);
    }
    device.residue = std::move(residue);
  }

  Result<void> Run(const bj::value& list, const std::string& path) {
    return ChangePods(list, path, [this](model::Pod pod) {
      pod.phase = model::PodPhase::kRunning;
      pod.had_running_container = true;
      cluster_.api().Put(std::move(pod));
    });
  }
  Result<void> Finish(const bj::value& list, const std::string& path) {
    return ChangePods(list, path, [this](const model::Pod& pod) { End(pod); });
  }
  // The kubelet does not let the pod in.
  Result<void> Reject(const bj::value& list, const std::string& path) {
    return ChangePods(list, path, [this](model::Pod pod) {
      pod.phase = model::PodPhase::kFailed;
      pod.had_running_container = false;
      cluster_.api().Put(std::move(pod));
    });
  }
  // resize: {pod: a, cpu: "2"}
  Result<void> Resize(const bj::value& what, const std::string& path) {
    ObjectReader reader(what, path);
    const std::string name = reader.RequiredText("pod");
    const auto cpu = Quantity::Parse(reader.RequiredText("cpu"));
    if (auto done = reader.Finish(); !done) return done;
    const model::Pod* found = cluster_.api().FindPod(KeyOf(name));
    if (found == nullptr || !cpu) {
      return Error(ErrorKind::kInvalid, path + ": no such pod, or no such amount");
    }
    model::Pod pod = *found;
    pod.requests.cpu_milli = cpu->MilliValue();
    cluster_.api().Put(std::move(pod));
    return {};
  }
  // Somebody else than the kubelet declares the pod failed, and its containers run on.
  Result<void> DeclareFailed(const bj::value& list, const std::string& path) {
    return ChangePods(list, path, [this](model::Pod pod) {
      uid_of_gone_[pod.ref.name.text()] = pod.ref.uid;
      pod.phase = model::PodPhase::kFailed;
      cluster_.api().Put(std::move(pod));
    });
  }
  Result<void> Terminate(const bj::value& list, const std::string& path) {
    return ChangePods(list, path, [this](model::Pod pod) {
      pod.is_terminating = true;
      cluster_.api().Put(std::move(pod));
    });
  }
  // As kubectl delete does it: a bound pod is asked to go, ends, and is removed.
  Result<void> Delete(const bj::value& list, const std::string& path) {
    return ChangePods(list, path, [this](model::Pod pod) {
      const ApiServer::PodKey key(pod.ref.ns, pod.ref.name);
      if (pod.is_bound()) {
        pod.is_terminating = true;
        cluster_.api().Put(pod);
        End(pod);
      }
      cluster_.api().RemovePod(key);
    });
  }
  Result<void> ForceDelete(const bj::value& list, const std::string& path) {
    return ChangePods(list, path, [this](const model::Pod& pod) {
      uid_of_gone_[pod.ref.name.text()] = pod.ref.uid;
      cluster_.api().RemovePod({pod.ref.ns, pod.ref.name});
    });
  }
  void End(model::Pod pod) {
    pod.phase = model::PodPhase::kSucceeded;
    pod.had_running_container = false;
    cluster_.api().Put(std::move(pod));
  }
  // Somebody edits the annotations of a pod.
  Result<void> Annotate(const bj::value& what, const std::string& path) {
    ObjectReader reader(what, path);
    const std::string name = reader.RequiredText("pod");
    const bj::value* annotations = reader.Raw("annotations");
    if (auto done = reader.Finish(); !done) return done;
    const model::Pod* found = cluster_.api().FindPod(KeyOf(name));
    if (found == nullptr || annotations == nullptr || !annotations->is_object()) {
      return Error(ErrorKind::kInvalid, path + ": no such pod, or no annotations");
    }
    model::Pod pod = *found;
    for (const auto& [key, value] : annotations->get_object()) {
      pod.annotations.Set(key, TextOf(value));
    }
    cluster_.api().Put(std::move(pod));
    return {};
  }

  Result<void> Remove(const bj::value& what, const std::string& path) {
    ObjectReader reader(what, path);
    for (const auto& name : reader.Texts("nodes")) cluster_.api().RemoveNode(NodeName(name));
    for (const auto& name : reader.Texts("machines")) cluster_.api().RemoveMachine(NodeName(name));
    for (const auto& name : reader.Texts("leases")) cluster_.api().RemoveLease(LeaseName(name));
    if (reader.Bool("fence", false)) cluster_.api().fence().Delete();
    for (const auto& name : reader.Texts("namespaces")) {
      cluster_.api().RemoveNamespace(Namespace(name));
    }
    for (const auto& name : reader.Texts("claims")) {
      cluster_.api().RemoveClaim(Namespace(std::string(kNamespace)), ClaimName(name));
    }
    const auto remove = [&](std::string_view field, model::Kind kind, const Namespace& ns) {
      for (const auto& name : reader.Texts(field)) cluster_.api().RemoveStorage(kind, ns, name);
    };
    remove("volumeClaims", model::Kind::kVolumeClaim, Namespace(std::string(kNamespace)));
    remove("volumes", model::Kind::kVolume, {});
    remove("storageClasses", model::Kind::kStorageClass, {});
    remove("volumeAttachments", model::Kind::kVolumeAttachment, {});
    return reader.Finish();
  }

  template <class Each>
  Result<void> ForEachFate(const bj::value& what, const std::string& path, Each each) {
    ObjectReader reader(what, path);
    for (const auto& field : what.is_object() ? what.get_object() : bj::object()) {
      const Fate fate = reader.Word(field.key(), ParseFate, FateNames(), Fate::kFine);
      each(std::string(field.key()), fate);
    }
    return reader.Finish();
  }
  Result<void> Answer(const bj::value& what, const std::string& path) {
    return ForEachFate(what, path, [this](const std::string& command, Fate fate) {
      cluster_.Meet(command, fate);
    });
  }
  Result<void> AnswerAll(const bj::value& what, const std::string& path) {
    cluster_.ForgetFates();
    return ForEachFate(what, path, [this](const std::string& command, Fate fate) {
      cluster_.MeetAlways(command, fate);
    });
  }
  Result<void> Release(const bj::value& /*what*/, const std::string& /*path*/) {
    cluster_.Release();
    return {};
  }
  Result<void> Wait(const bj::value& what, const std::string& path) {
    const auto duration = ParseDuration(TextOf(what));
    if (!duration) return Error(duration.error()).Within(path);
    Check(cluster_.Wait(*duration), "the scheduler does not come to rest");
    return {};
  }
  // start: {syncs: true, leads: true, process: same, unresolved: [a]}
  Result<void> Start(const bj::value& what, const std::string& path) {
    ObjectReader reader(what, path);
    const std::string process = reader.Text("process", "new");
    std::vector<model::PodRef> unresolved;
    for (const auto& name : reader.Texts("unresolved")) unresolved.push_back(RefOf(name));
    const bool leads = reader.Bool("leads", true);
    const bool syncs = reader.Bool("syncs", true);
    if (auto done = reader.Finish(); !done) return done;
    if (process == "new") cluster_.StartScheduler();
    if (syncs) cluster_.Sync();
    if (!unresolved.empty()) cluster_.api().fence().LeaveUnresolved(std::move(unresolved));
    if (leads) cluster_.Lead();
    return {};
  }
  // Another release lists a pod in the fence, takes it off, or is not heard of any more.
  Result<void> Other(const bj::value& what, const std::string& path) {
    ObjectReader reader(what, path);
    const std::string pod = reader.Text("pod");
    const std::string gpus = reader.Text("lists");
    const bool counts = reader.Bool("counts", false);
    const std::string ends = reader.Text("ends");
    const bool is_silent = reader.Bool("silent", false);
    if (auto done = reader.Finish(); !done) return done;
    Fence& fence = cluster_.api().fence();
    if (is_silent) fence.SetSilent(true);
    if (!gpus.empty()) return ListForOther(pod, gpus, counts);
    if (ends == "bound") return BindForOther(pod);
    if (ends == "unbound") fence.TakeOffOther(RefOf(pod).uid, {});
    return {};
  }
  Result<void> ListForOther(const std::string& name, const std::string& gpus, bool counts) {
    auto parsed = model::ParseNodeGpus(gpus);
    if (!parsed) return std::move(parsed).error();
    const model::Pod* pod = cluster_.api().FindPod(KeyOf(name));
    if (pod == nullptr) return Error(ErrorKind::kInvalid, "there is no pod " + name);
    const model::InFlightPod entry{.pod = pod->ref,
                                   .noted = pod->resource_version,
                                   .gpus = *std::move(parsed),
                                   .is_enforced = !counts};
    Check(cluster_.api().fence().ListForOther(entry, pod->scheduler),
          "the fence does not take " + name);
    others_.insert_or_assign(pod->ref.uid, entry);
    return {};
  }
  // Its Binding arrives, however late; if it succeeds, its release sees that and takes it off.
  Result<void> BindForOther(const std::string& name) {
    const auto other = others_.find(RefOf(name).uid);
    if (other == others_.end()) return Error(ErrorKind::kInvalid, name + " is listed by nobody");
    const model::InFlightPod& entry = other->second;
    (void)cluster_.api().Execute(model::BindPod{entry.pod, entry.noted, {}, AllocationOf(entry)},
                                 "other", cluster_.now());
    const model::Pod* pod = cluster_.api().FindPod(KeyOf(name));
    if (pod != nullptr && pod->is_bound()) {
      cluster_.api().fence().TakeOffOther(entry.pod.uid, pod->resource_version);
    }
    return {};
  }
  [[nodiscard]] model::PodRef RefOf(const std::string& name) const {
    const model::Pod* pod = cluster_.api().FindPod(KeyOf(name));
    return pod == nullptr ? model::PodRef() : pod->ref;
  }

  // --- what is to be seen ------------------------------------------------------------------------

  Result<void> Expect(const bj::value& what, const std::string& path) {
    ObjectReader reader(what, path);
    ForEachField(reader, "pods", [this](const std::string& pod, const bj::value& place) {
      ExpectPlace(pod, place);
    });
    ForEachField(reader, "waits",
                 [this](const std::string& pod, const bj::value& why) { ExpectWaits(pod, why); });
    ForEachField(reader, "claims", [this](const std::string& claim, const bj::value& status) {
      ExpectClaim(claim, status);
    });
    if (reader.Raw("leases") != nullptr) ExpectLeases(reader);
    ForEachField(reader, "selected", [this](const std::string& claim, const bj::value& node) {
      const auto* found = cluster_.api().FindVolumeClaim(Namespace(std::string(kNamespace)), claim);
      const std::string actual = found == nullptr ? "" : found->selected_node.text();
      Check(actual == TextOf(node),
            "a volume for " + claim + " should be made for " + TextOf(node) + ", is for " + actual);
    });
    ForEachField(reader, "sent", [this](const std::string& command, const bj::value& times) {
      ExpectSent(command, times);
    });
    for (const bj::value& event : reader.Array("events")) ExpectEvent(event);
    cluster_.ForgetSent();
    return reader.Finish();
  }
  template <class Each>
  void ForEachField(ObjectReader& reader, std::string_view field, Each each) {
    const bj::value* value = reader.Raw(field);
    if (value == nullptr) return;
    if (!value->is_object()) return reader.Fail(field, "expected a map");
    for (const auto& entry : value->get_object()) each(std::string(entry.key()), entry.value());
  }

  [[nodiscard]] std::string PlaceOf(const std::string& name) const {
    const model::Pod* pod = cluster_.api().FindPod(KeyOf(name));
    if (pod == nullptr) return "gone";
    if (!pod->is_bound()) return "waiting";
    const std::string* gpus = model::FindAnnotation(*pod, model::names::kAllocated);
    return gpus == nullptr ? pod->node.text() : *gpus;
  }
  void ExpectPlace(const std::string& pod, const bj::value& place) {
    const std::string actual = PlaceOf(pod);
    Check(actual == TextOf(place),
          pod + " should be at " + TextOf(place) + ", is " + actual + ConditionOf(pod));
  }
  [[nodiscard]] std::string ConditionOf(const std::string& name) const {
    const model::Pod* pod = cluster_.api().FindPod(KeyOf(name));
    return pod == nullptr || pod->scheduled.message.empty()
               ? ""
               : " (" + pod->scheduled.message.text() + ")";
  }
  void ExpectWaits(const std::string& name, const bj::value& why) {
    Check(PlaceOf(name) == "waiting", name + " should wait, is " + PlaceOf(name));
    const std::string condition = ConditionOf(name);
    if (TextOf(why) == "silently") return Check(condition.empty(), name + " says" + condition);
    Check(Contains(condition, TextOf(why)),
          name + " should wait for \"" + TextOf(why) + "\", says" + condition);
  }
  void ExpectClaim(const std::string& name, const bj::value& status) {
    const auto& claims = cluster_.api().claims();
    const auto claim = claims.find({Namespace(std::string(kNamespace)), ClaimName(name)});
    const bool is_told = claim != claims.end() && claim->second.status;
    const std::string actual = is_told ? ToString(*claim->second.status) : "nothing";
    Check(Contains(actual, TextOf(status)),
          "claim " + name + " should say \"" + TextOf(status) + "\", says " + actual);
  }
  // Exactly these, with their holders.
  void ExpectLeases(ObjectReader& reader) {
    std::map<std::string, std::string> expected;
    ForEachField(reader, "leases", [&](const std::string& lease, const bj::value& holders) {
      expected[lease] = TextOf(holders);
    });
    std::map<std::string, std::string> actual;
    for (const auto& [name, lease] : cluster_.api().leases()) {
      actual[name.text()] = text::Join(lease.holders, " ", [](const model::LeaseHolder& holder) {
        return holder.pod.name.text();
      });
    }
    const auto print = [](const auto& leases) {
      return text::Join(leases, ", ",
                        [](const auto& entry) { return entry.first + ": " + entry.second; });
    };
    Check(actual == expected,
          "the Leases should be {" + print(expected) + "}, are {" + print(actual) + "}");
  }
  // Since the last look.
  void ExpectSent(const std::string& command, const bj::value& times) {
    const auto& sent = cluster_.sent();
    const auto count = std::count_if(sent.begin(), sent.end(), [&](const model::Command& each) {
      return command == "anything" || NameOf(each) == command;
    });
    std::string what;
    for (const auto& each : sent) what += "\n    " + ToString(each);
    Check(std::to_string(count) == TextOf(times), command + " should have been sent " +
                                                      TextOf(times) + " times, was " +
                                                      std::to_string(count) + " of" + what);
  }
  void ExpectEvent(const bj::value& value) {
    ObjectReader reader(value, path_);
    const std::string pod = reader.Text("pod");
    const std::string node = reader.Text("node");
    const std::string reason = reader.RequiredText("reason");
    const std::string says = reader.Text("says");
    const auto done = reader.Finish();
    Check(done.ok() && pod.empty() != node.empty(), "an event has pod or node, reason and says");
    std::string seen;
    for (const auto& command : cluster_.sent()) {
      const auto* event = std::get_if<model::RecordEvent>(&command);
      if (event == nullptr) continue;
      const bool is_about =
          event->pod.name.text() == pod && (node.empty() || event->node.text() == node);
      if (is_about && event->reason == reason && Contains(event->message, says)) {
        return;
      }
      seen += "\n    " + ToString(command);
    }
    Check(false,
          "there should be an event " + reason + " about " + pod + node + "; there were:" + seen);
  }

  using Action = Result<void> (Narrator::*)(const bj::value&, const std::string&);
  inline static const std::map<std::string, Action> actions_{
      {"nodes", &Narrator::Nodes},
      {"machines", &Narrator::Machines},
      {"claims", &Narrator::Claims},
      {"pods", &Narrator::Pods},
      {"run", &Narrator::Run},
      {"finish", &Narrator::Finish},
      {"reject", &Narrator::Reject},
      {"declareFailed", &Narrator::DeclareFailed},
      {"resize", &Narrator::Resize},
      {"terminate", &Narrator::Terminate},
      {"delete", &Narrator::Delete},
      {"forceDelete", &Narrator::ForceDelete},
      {"annotate", &Narrator::Annotate},
      {"label", &Narrator::Label},
      {"namespaces", &Narrator::Namespaces},
      {"remove", &Narrator::Remove},
      {"answer", &Narrator::Answer},
      {"answerAll", &Narrator::AnswerAll},
      {"release", &Narrator::Release},
      {"wait", &Narrator::Wait},
      {"start", &Narrator::Start},
      {"other", &Narrator::Other},
      {"expect", &Narrator::Expect},
      {"storage", &Narrator::Storage},
      {"bindVolumes", &Narrator::BindVolumes},
  };

  const ScheduleStory& story_;
  const std::filesystem::path& root_;
  Cluster cluster_;
  std::string path_ = "beginning";
  std::map<std::string, PodUid> uid_of_gone_;
  std::map<PodUid, model::InFlightPod> others_;  // as other releases listed them
  std::vector<std::string> differences_;
};

Result<ScheduleStory> ReadStory(const bj::value& value, const std::string& path,
                                const bj::array& first) {
  ObjectReader reader(value, path);
  ScheduleStory story;
  story.name = reader.RequiredText("name");
  (void)reader.RequiredText("why");
  story.starts = reader.Text("starts", "leader");
  story.steps = first;
  for (const bj::value& step : reader.Array("steps")) story.steps.push_back(step);
  if (story.steps.size() == first.size())
    reader.Fail("steps", "a story without steps says nothing");
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return story;
}

Result<std::vector<ScheduleStory>> ReadStories(const bj::value& value) {
  ObjectReader reader(value, "");
  const bj::array& first = reader.Array("first");
  const bj::array& list = reader.Array("stories");
  if (list.empty()) reader.Fail("stories", "a scenario without stories tests nothing");
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  std::vector<ScheduleStory> stories;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto story = ReadStory(list[i], "stories[" + std::to_string(i) + "]", first);
    if (!story) return std::move(story).error();
    stories.push_back(*std::move(story));
  }
  return stories;
}

}  // namespace

Result<std::vector<ScheduleStory>> LoadScheduleScenario(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const auto value = yaml::ParseYaml(text.str());
  if (!value) return Error(value.error()).Within(file.string());
  auto stories = ReadStories(*value).Within(file.string());
  if (!stories) return stories;
  for (ScheduleStory& story : *stories) story.file = file.stem().string();
  return stories;
}

std::vector<std::string> WhatDiffers(const ScheduleStory& story,
                                     const std::filesystem::path& root) {
  return Narrator(story, root).Tell();
}

namespace {

bool LooksAtWaiting(const bj::value& step) {
  const bj::value* expect = step.is_object() ? step.get_object().if_contains("expect") : nullptr;
  return expect != nullptr && expect->is_object() && expect->get_object().contains("waits");
}

// Lives through the same story again and makes the change there.
bool Helps(const ToldChange& told, const ScheduleStory& story, std::size_t steps,
           const std::filesystem::path& root) {
  Narrator narrator(story, root);
  (void)narrator.TellUntil(steps);
  Cluster& cluster = narrator.cluster();
  Make(told, cluster);
  // Commits have to end, and who failed before tries again.
  const bool is_at_rest = cluster.Wait(std::chrono::seconds(15));
  const model::Pod* pod = cluster.api().FindPod(told.pod);
  if (!is_at_rest || pod == nullptr) return false;
  // It may still wait there for a volume that nobody makes in this story.
  const auto& seen = cluster.scheduler().cache().pods().at(pod->ref.uid);
  return pod->is_bound() || seen.assumed;
}

}  // namespace

TriedChanges TryToldChanges(const ScheduleStory& story, const std::filesystem::path& root) {
  TriedChanges tried;
  for (std::size_t steps = 1; steps <= story.steps.size(); ++steps) {
    if (!LooksAtWaiting(story.steps[steps - 1])) continue;
    Narrator narrator(story, root);
    (void)narrator.TellUntil(steps);
    for (const ToldChange& told : ToldChanges(narrator.cluster())) {
      ++tried.count;
      if (Helps(told, story, steps, root)) continue;
      tried.untrue.push_back("step " + std::to_string(steps) + ": " + ToString(told));
    }
  }
  return tried;
}

}  // namespace gs::scenarios
