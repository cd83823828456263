// Asks kube-scheduler's own filter plugins about clusters in JSON: one case per line on stdin, one answer per line on
// stdout. A case is a snapshot and the pod to place; the answer is {"nodes": {...}} with the plugin that refuses
// the pod on each node and why, or an empty text where it fits; or {"error": "..."}.
//
// The plugins run in kube-scheduler's framework with its default settings. The stores of the informers are filled
// directly, so no API server is needed and nothing waits.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/tools/cache"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

const longestCase = 64 << 20

// Objects as an API server would return them.
type snapshot struct {
	Nodes             []*v1.Node                      `json:"nodes"`
	Pods              []*v1.Pod                       `json:"pods"`
	Namespaces        []*v1.Namespace                 `json:"namespaces"`
	Claims            []*v1.PersistentVolumeClaim     `json:"persistentVolumeClaims"`
	Volumes           []*v1.PersistentVolume          `json:"persistentVolumes"`
	StorageClasses    []*storagev1.StorageClass       `json:"storageClasses"`
	CSINodes          []*storagev1.CSINode            `json:"csiNodes"`
	CSIDrivers        []*storagev1.CSIDriver          `json:"csiDrivers"`
	StorageCapacities []*storagev1.CSIStorageCapacity `json:"csiStorageCapacities"`
	Pod               *v1.Pod                         `json:"pod"`
}

func replace[T any](store cache.Store, objects []T) error {
	list := make([]any, len(objects))
	for i, object := range objects {
		list[i] = object
	}
	return store.Replace(list, "")
}

// kube-scheduler keeps pods that are bound and have not ended, and looks at nodes that are there.
func podsOnNodes(of *snapshot) []*v1.Pod {
	names := map[string]bool{}
	for _, node := range of.Nodes {
		names[node.Name] = true
	}
	var kept []*v1.Pod
	for _, pod := range of.Pods {
		ended := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
		if names[pod.Spec.NodeName] && !ended {
			kept = append(kept, pod)
		}
	}
	return kept
}

func (s *scheduler) load(of *snapshot) error {
	s.current.Snapshot = schedulercache.NewSnapshot(podsOnNodes(of), of.Nodes)
	core, storage := s.informers.Core().V1(), s.informers.Storage().V1()
	for _, err := range []error{
		replace(core.Pods().Informer().GetStore(), of.Pods),
		replace(core.Nodes().Informer().GetStore(), of.Nodes),
		replace(core.Namespaces().Informer().GetStore(), of.Namespaces),
		replace(core.PersistentVolumeClaims().Informer().GetStore(), of.Claims),
		replace(core.PersistentVolumes().Informer().GetStore(), of.Volumes),
		replace(storage.StorageClasses().Informer().GetStore(), of.StorageClasses),
		replace(storage.CSINodes().Informer().GetStore(), of.CSINodes),
		replace(storage.CSIDrivers().Informer().GetStore(), of.CSIDrivers),
		replace(storage.CSIStorageCapacities().Informer().GetStore(), of.StorageCapacities),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func verdictsOn(ctx context.Context, s *scheduler, line []byte) (map[string]string, error) {
	var of snapshot
	if err := json.Unmarshal(line, &of); err != nil {
		return nil, err
	}
	if of.Pod == nil {
		return nil, fmt.Errorf("the case has no pod")
	}
	if err := s.load(&of); err != nil {
		return nil, err
	}
	return s.verdicts(ctx, of.Pod)
}

func answer(ctx context.Context, s *scheduler, line []byte) map[string]any {
	verdicts, err := verdictsOn(ctx, s, line)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"nodes": verdicts}
}

func run() error {
	ctx := context.Background()
	s, err := newScheduler(ctx)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestCase)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		if err := json.NewEncoder(out).Encode(answer(ctx, s, lines.Bytes())); err != nil {
			return err
		}
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "filter-verdicts:", err)
		os.Exit(1)
	}
}
