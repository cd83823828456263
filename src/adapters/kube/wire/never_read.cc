#include "adapters/kube/wire/never_read.h"

namespace gs::kube {

const char* const kNeverRead =
    "meta.ObjectMeta generateName selfLink generation deletionGracePeriodSeconds finalizers "
    "managedFields\n"
    "meta.OwnerReference apiVersion name blockOwnerDeletion\n"
    "core.PodSpec ephemeralContainers restartPolicy terminationGracePeriodSeconds "
    "activeDeadlineSeconds dnsPolicy serviceAccountName serviceAccount "
    "automountServiceAccountToken securityContext imagePullSecrets hostname subdomain hostAliases "
    "priorityClassName dnsConfig readinessGates enableServiceLinks preemptionPolicy\n"
    "core.Container image command args workingDir envFrom resizePolicy volumeMounts volumeDevices "
    "livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath "
    "terminationMessagePolicy imagePullPolicy securityContext\n"
    "core.ResourceRequirements limits claims\n"
    "core.Toleration tolerationSeconds\n"
    "core.ConfigMapVolumeSource items defaultMode\n"
    "core.DownwardAPIVolumeSource items defaultMode\n"
    "core.EmptyDirVolumeSource medium sizeLimit\n"
    "core.EphemeralVolumeSource volumeClaimTemplate\n"
    "core.ProjectedVolumeSource sources defaultMode\n"
    "core.SecretVolumeSource items defaultMode\n"
    "core.PodStatus message hostIP hostIPs podIP podIPs startTime qosClass resourceClaimStatuses "
    "allocatedResources resources\n"
    "core.PodCondition lastProbeTime\n"
    "core.ContainerStatus ready restartCount image imageID containerID started volumeMounts user "
    "allocatedResourcesStatus\n"
    "core.ContainerStateRunning startedAt\n"
    "core.ContainerStateTerminated exitCode reason message startedAt finishedAt containerID\n"
    "core.ContainerStateWaiting message\n"
    "core.NodeSpec podCIDR podCIDRs providerID\n"
    "core.NodeStatus conditions addresses daemonEndpoints nodeInfo images volumesInUse "
    "volumesAttached runtimeHandlers features declaredFeatures\n";

}  // namespace gs::kube
