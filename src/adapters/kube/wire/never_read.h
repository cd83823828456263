// Fields that none of the decoders in kube/objects reads, and that are worth leaving out when a
// list is turned into JSON for them: most of a pod as a kubelet sees it.
#pragma once

namespace gs::kube {

// "TYPE NAME NAME ..." per line. Whoever lets a decoder read one of them takes it out here.
extern const char* const kNeverRead;

}  // namespace gs::kube
