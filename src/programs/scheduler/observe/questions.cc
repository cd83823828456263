#include "programs/scheduler/observe/questions.h"

namespace gs::scheduler {

bool Questions::Put(Question question) {
  {
    const runtime::MutexLock lock(mutex_);
    if (is_closed_ || waiting_.size() >= most_) return false;
    waiting_.push_back(std::move(question));
  }
  wake_();
  return true;
}

void Questions::AnswerAll(const cycle::Cycle& cycle) {
  std::vector<Question> taken;
  {
    const runtime::MutexLock lock(mutex_);
    taken.swap(waiting_);
  }
  for (const Question& question : taken) question(cycle);
}

void Questions::Close() {
  std::vector<Question> dropped;
  const runtime::MutexLock lock(mutex_);
  is_closed_ = true;
  dropped.swap(waiting_);
}

}  // namespace gs::scheduler
