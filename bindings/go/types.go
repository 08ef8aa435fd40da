// SPDX-License-Identifier: MIT

package librebalance

import "time"

// Small structs of the kinds that decisions are about, as the API writes them: what most programs set. Any other
// value that encoding/json marshals to such an object goes in as well, with every member the API has.

// Metadata is metadata of an object.
type Metadata struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Generation        int64             `json:"generation,omitempty"`
	CreationTimestamp *time.Time        `json:"creationTimestamp,omitempty"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
}

// Cluster is a Cluster of cluster.karmada.io/v1alpha1.
type Cluster struct {
	Metadata Metadata      `json:"metadata"`
	Spec     ClusterSpec   `json:"spec"`
	Status   ClusterStatus `json:"status"`
}

// ClusterSpec is spec of a Cluster.
type ClusterSpec struct {
	Provider string   `json:"provider,omitempty"`
	Region   string   `json:"region,omitempty"`
	Zones    []string `json:"zones,omitempty"`
	Taints   []Taint  `json:"taints,omitempty"`
}

// Taint is an entry of spec.taints.
type Taint struct {
	Key       string     `json:"key"`
	Value     string     `json:"value,omitempty"`
	Effect    string     `json:"effect"`
	TimeAdded *time.Time `json:"timeAdded,omitempty"`
}

// ClusterStatus is status of a Cluster.
type ClusterStatus struct {
	APIEnablements  []APIEnablement  `json:"apiEnablements,omitempty"`
	ResourceSummary *ResourceSummary `json:"resourceSummary,omitempty"`
}

// APIEnablement is a group and version that a cluster serves.
type APIEnablement struct {
	GroupVersion string        `json:"groupVersion"`
	Resources    []APIResource `json:"resources,omitempty"`
}

// APIResource is a kind that a cluster serves.
type APIResource struct {
	Name string `json:"name,omitempty"`
	Kind string `json:"kind"`
}

// ResourceSummary is what a cluster has and what of it is taken, as quantities such as "500m" by resource.
type ResourceSummary struct {
	Allocatable map[string]string `json:"allocatable,omitempty"`
	Allocating  map[string]string `json:"allocating,omitempty"`
	Allocated   map[string]string `json:"allocated,omitempty"`
}

// ResourceBinding is a ResourceBinding of work.karmada.io/v1alpha2.
type ResourceBinding struct {
	Metadata Metadata      `json:"metadata"`
	Spec     BindingSpec   `json:"spec"`
	Status   BindingStatus `json:"status"`
}

// BindingSpec is spec of a ResourceBinding.
type BindingSpec struct {
	Resource              Reference       `json:"resource"`
	Replicas              int32           `json:"replicas,omitempty"`
	ReplicaRequirements   *Requirements   `json:"replicaRequirements,omitempty"`
	Clusters              []TargetCluster `json:"clusters,omitempty"`
	Placement             *Placement      `json:"placement,omitempty"`
	RescheduleTriggeredAt *time.Time      `json:"rescheduleTriggeredAt,omitempty"`
	SchedulerName         string          `json:"schedulerName,omitempty"`
}

// Reference names a workload.
type Reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace,omitempty"`
	UID        string `json:"uid,omitempty"`
}

// Requirements is what one replica needs, quantities by resource.
type Requirements struct {
	ResourceRequest map[string]string `json:"resourceRequest,omitempty"`
}

// TargetCluster is an entry of spec.clusters.
type TargetCluster struct {
	Name     string `json:"name"`
	Replicas int32  `json:"replicas,omitempty"`
}

// BindingStatus is status of a ResourceBinding.
type BindingStatus struct {
	LastScheduledTime *time.Time `json:"lastScheduledTime,omitempty"`
}

// Placement is a Placement of policy.karmada.io/v1alpha1.
type Placement struct {
	ClusterAffinity    *ClusterAffinity   `json:"clusterAffinity,omitempty"`
	ClusterTolerations []Toleration       `json:"clusterTolerations,omitempty"`
	SpreadConstraints  []SpreadConstraint `json:"spreadConstraints,omitempty"`
	ReplicaScheduling  *ReplicaScheduling `json:"replicaScheduling,omitempty"`
}

// ClusterAffinity is which clusters a placement takes.
type ClusterAffinity struct {
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
	ClusterNames  []string       `json:"clusterNames,omitempty"`
	Exclude       []string       `json:"exclude,omitempty"`
}

// LabelSelector selects by labels.
type LabelSelector struct {
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
}

// Toleration tolerates taints.
type Toleration struct {
	Key               string `json:"key,omitempty"`
	Operator          string `json:"operator,omitempty"`
	Value             string `json:"value,omitempty"`
	Effect            string `json:"effect,omitempty"`
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// SpreadConstraint is how clusters are grouped and how many groups are taken.
type SpreadConstraint struct {
	SpreadByField string `json:"spreadByField,omitempty"`
	SpreadByLabel string `json:"spreadByLabel,omitempty"`
	MinGroups     int    `json:"minGroups,omitempty"`
	MaxGroups     int    `json:"maxGroups,omitempty"`
}

// ReplicaScheduling is how replicas are divided.
type ReplicaScheduling struct {
	ReplicaSchedulingType     string              `json:"replicaSchedulingType,omitempty"`
	ReplicaDivisionPreference string              `json:"replicaDivisionPreference,omitempty"`
	WeightPreference          *ClusterPreferences `json:"weightPreference,omitempty"`
}

// ClusterPreferences is what replicas are weighted by.
type ClusterPreferences struct {
	StaticWeightList []StaticClusterWeight `json:"staticWeightList,omitempty"`
	DynamicWeight    string                `json:"dynamicWeight,omitempty"`
}

// StaticClusterWeight is the weight of some clusters.
type StaticClusterWeight struct {
	TargetCluster ClusterAffinity `json:"targetCluster"`
	Weight        int64           `json:"weight"`
}

// WorkloadRebalancer is a WorkloadRebalancer of apps.karmada.io/v1alpha1.
type WorkloadRebalancer struct {
	Metadata Metadata       `json:"metadata"`
	Spec     RebalancerSpec `json:"spec"`
	Status   map[string]any `json:"status,omitempty"`
}

// RebalancerSpec is spec of a WorkloadRebalancer.
type RebalancerSpec struct {
	Workloads               []Reference `json:"workloads"`
	TTLSecondsAfterFinished *int32      `json:"ttlSecondsAfterFinished,omitempty"`
}

// WorkloadSpread is a WorkloadSpread of apps.kruise.io/v1beta1.
type WorkloadSpread struct {
	Metadata Metadata           `json:"metadata"`
	Spec     WorkloadSpreadSpec `json:"spec"`
	Status   map[string]any     `json:"status,omitempty"`
}

// WorkloadSpreadSpec is spec of a WorkloadSpread.
type WorkloadSpreadSpec struct {
	TargetRef        Reference       `json:"targetRef"`
	Subsets          []SpreadSubset  `json:"subsets"`
	ScheduleStrategy *SpreadStrategy `json:"scheduleStrategy,omitempty"`
}

// SpreadSubset is a subset of a WorkloadSpread; MaxReplicas is a number or a percentage, nil: no limit.
type SpreadSubset struct {
	Name                 string       `json:"name"`
	RequiredNodeSelector any          `json:"requiredNodeSelector,omitempty"`
	Tolerations          []Toleration `json:"tolerations,omitempty"`
	MaxReplicas          any          `json:"maxReplicas,omitempty"`
	Patch                any          `json:"patch,omitempty"`
}

// SpreadStrategy is Fixed or Adaptive.
type SpreadStrategy struct {
	Type string `json:"type,omitempty"`
}

func (Cluster) apiVersionAndKind() (string, string) { return "cluster.karmada.io/v1alpha1", "Cluster" }

func (ResourceBinding) apiVersionAndKind() (string, string) {
	return "work.karmada.io/v1alpha2", "ResourceBinding"
}

func (WorkloadRebalancer) apiVersionAndKind() (string, string) {
	return "apps.karmada.io/v1alpha1", "WorkloadRebalancer"
}

func (WorkloadSpread) apiVersionAndKind() (string, string) {
	return "apps.kruise.io/v1beta1", "WorkloadSpread"
}
