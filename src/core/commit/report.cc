#include "core/commit/report.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace gs::commit {
namespace {

constexpr std::array kSteps{
    std::pair{Step::kQueued, std::string_view("queued")},
    std::pair{Step::kListing, std::string_view("listing")},
    std::pair{Step::kBinding, std::string_view("binding")},
    std::pair{Step::kTouching, std::string_view("touching")},
    std::pair{Step::kOver, std::string_view("over")},
};

}  // namespace

std::string_view ToString(Step step) { return text::NameOf(kSteps, step); }

}  // namespace gs::commit
