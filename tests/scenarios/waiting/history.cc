#include "tests/scenarios/waiting/history.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace gs::scenarios::waiting {
namespace {

struct Known {
  Action action;
  std::string_view name;
  int weight;
};

constexpr std::array kActions{
    Known{Action::kCreatePod, "create pod", 24},
    Known{Action::kCreateForeignPod, "create foreign pod", 4},
    Known{Action::kOpenGate, "open gate", 2},
    Known{Action::kStartPod, "start pod", 6},
    Known{Action::kEndPod, "end pod", 7},
    Known{Action::kDeletePod, "delete pod", 5},
    Known{Action::kForcePod, "delete pod by force", 3},
    Known{Action::kDeclareFailed, "declare pod failed", 2},
    Known{Action::kRelabelPod, "relabel pod", 3},
    Known{Action::kEditPod, "edit pod", 3},
    Known{Action::kResizePod, "resize pod", 3},
    Known{Action::kAddNode, "add node", 4},
    Known{Action::kCordonNode, "cordon node", 2},
    Known{Action::kTaintNode, "taint node", 2},
    Known{Action::kRelabelNode, "relabel node", 2},
    Known{Action::kResizeNode, "resize node", 2},
    Known{Action::kRemoveNode, "remove node", 2},
    Known{Action::kReport, "report", 5},
    Known{Action::kRemoveAgent, "remove agent", 1},
    Known{Action::kEndProcesses, "end processes", 2},
    Known{Action::kPutClaim, "put claim", 4},
    Known{Action::kRemoveClaim, "remove claim", 1},
    Known{Action::kLabelNamespace, "label namespace", 2},
    Known{Action::kPutVolumeClaim, "put volume claim", 2},
    Known{Action::kRemoveVolumeClaim, "remove volume claim", 1},
    Known{Action::kPutVolume, "put volume", 2},
    Known{Action::kChangeStorage, "change storage", 2},
    Known{Action::kBindVolume, "bind volume", 4},
    Known{Action::kListForOther, "list for other release", 2},
    Known{Action::kBindForOther, "bind for other release", 1},
    Known{Action::kResolveOther, "resolve other release", 1},
    Known{Action::kTrouble, "trouble", 3},
    Known{Action::kRelease, "release", 3},
    Known{Action::kTell, "tell", 12},
    Known{Action::kPass, "pass", 5},
    Known{Action::kSettle, "settle", 10},
    Known{Action::kRest, "rest", 10},
    Known{Action::kWait, "wait", 2},
    Known{Action::kRestart, "restart", 1},
};

// Without these nobody would ever wait, or wait for anything.
constexpr std::array kAlways{Action::kCreatePod, Action::kStartPod, Action::kTell,
                             Action::kPass,      Action::kSettle,   Action::kRest};

Action Pick(const Weights& weights, int roll) {
  for (const auto& [action, weight] : weights) {
    if (roll < weight) return action;
    roll -= weight;
  }
  return Action::kRest;
}

}  // namespace

std::string_view ToString(Action action) {
  for (const Known& each : kActions) {
    if (each.action == action) return each.name;
  }
  return "?";
}

Weights AllActions() {
  Weights weights;
  for (const Known& each : kActions) weights[each.action] = each.weight;
  return weights;
}

Weights Only(const std::vector<Action>& actions) {
  const Weights all = AllActions();
  Weights weights;
  for (const Action action : kAlways) weights[action] = all.at(action);
  for (const Action action : actions) weights[action] += 12;
  return weights;
}

History Roll(Dice& dice, const Weights& weights, std::size_t count) {
  int total = 0;
  for (const auto& [action, weight] : weights) total += weight;
  History history;
  while (history.size() < count) {
    const Action action = Pick(weights, dice.Roll(total));
    history.push_back({action, static_cast<std::uint32_t>(dice.Next())});
  }
  return history;
}

}  // namespace gs::scenarios::waiting
