package main

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// The first two filter nothing; no framework starts without them.
var wanted = map[string]bool{
	names.PrioritySort:       true,
	names.DefaultBinder:      true,
	names.InterPodAffinity:   true,
	names.NodeAffinity:       true,
	names.NodePorts:          true,
	names.NodeResourcesFit:   true,
	names.NodeUnschedulable:  true,
	names.NodeVolumeLimits:   true,
	names.PodTopologySpread:  true,
	names.TaintToleration:    true,
	names.VolumeBinding:      true,
	names.VolumeRestrictions: true,
	names.VolumeZone:         true,
}

// Plugins keep the lister that they are made with, so it stays and its content changes.
type currentSnapshot struct {
	*schedulercache.Snapshot
}

type scheduler struct {
	informers informers.SharedInformerFactory
	current   *currentSnapshot
	framework framework.Framework
}

func wantedProfile() (*config.KubeSchedulerProfile, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	profile := &defaults.Profiles[0]
	var kept []config.Plugin
	for _, plugin := range profile.Plugins.MultiPoint.Enabled {
		if wanted[plugin.Name] {
			kept = append(kept, plugin)
		}
	}
	profile.Plugins.MultiPoint.Enabled = kept
	return profile, nil
}

func newScheduler(ctx context.Context) (*scheduler, error) {
	metrics.Register()
	profile, err := wantedProfile()
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "nobody.invalid"})
	if err != nil {
		return nil, err
	}
	s := &scheduler{
		informers: informers.NewSharedInformerFactory(client, 0),
		current:   &currentSnapshot{schedulercache.NewEmptySnapshot()},
	}
	s.framework, err = runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		runtime.WithClientSet(client),
		runtime.WithInformerFactory(s.informers),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(s.informers.Storage().V1().CSINodes().Lister())),
		runtime.WithSnapshotSharedLister(s.current),
		runtime.WithParallelism(1))
	return s, err
}

func reason(status *fwk.Status) string {
	if status.IsSuccess() {
		return ""
	}
	return status.Plugin() + ": " + strings.Join(status.Reasons(), "; ")
}

func (s *scheduler) verdicts(ctx context.Context, pod *v1.Pod) (map[string]string, error) {
	nodes, err := s.current.List()
	if err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	restriction, status, restrictors := s.framework.RunPreFilterPlugins(ctx, state, pod)
	verdicts := map[string]string{}
	for _, node := range nodes {
		name := node.Node().Name
		switch {
		case !status.IsSuccess():
			verdicts[name] = reason(status)
		case !restriction.AllNodes() && !restriction.NodeNames.Has(name):
			verdicts[name] = strings.Join(sets.List(restrictors), ", ") + ": not among the nodes that are left"
		default:
			verdicts[name] = reason(s.framework.RunFilterPlugins(ctx, state, pod, node))
		}
	}
	return verdicts, nil
}
