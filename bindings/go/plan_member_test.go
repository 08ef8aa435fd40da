// SPDX-License-Identifier: MIT

package librebalance

import (
	"fmt"
	"testing"
)

const memberObjects = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, uid: d}
spec: {replicas: 6}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web
  namespace: default
  uid: w
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]
spec: {replicas: 6}
`

// memberPod has a deletion cost, and is in the second subset of the WorkloadSpread.
func memberPod(name, cost string) string {
	return fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata:
  name: %s
  namespace: default
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: w, controller: true}]
  annotations:
    controller.kubernetes.io/pod-deletion-cost: "%s"
    apps.kruise.io/matched-workloadspread: '{"name":"ws","subset":"far"}'
`, name, cost)
}

const memberSpread = `---
apiVersion: apps.kruise.io/v1beta1
kind: WorkloadSpread
metadata: {name: ws, namespace: default}
spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  subsets: [{name: near, maxReplicas: 1}, {name: far}]
`

const memberTemplate = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec: {replicas: 6, template: {spec: {containers: [{name: c}]}}}
`

func TestPlanInMember(t *testing.T) {
	w := planWorld(t)
	store := must(NewStore(divided("web", 6, TargetCluster{Name: "member1", Replicas: 6}), []byte(memberTemplate)))
	defer store.Close()
	text := memberObjects + memberSpread
	for i := range 6 {
		text += memberPod(fmt.Sprintf("p%d", i), fmt.Sprint(10*i))
	}
	member := must(NewStore([]byte(text)))
	defer member.Close()
	total := []Limit{{Scope: LimitScopeBinding, Subject: "default/web-deployment", Replicas: 2}}
	plan, _ := w.plan(t, &PlanOptions{Limits: total})
	gone := must(plan.InMember("member1", member, store, planNow, nil))
	if len(gone) != 2+2 || gone[0].State != MemberReplicaLeaves || member.Name(gone[0].Pod) != "p0" ||
		member.Name(gone[1].Pod) != "p1" || gone[0].Rule != DeletionRuleCheaper || gone[0].Subset != 1 ||
		member.Name(gone[0].Spread) != "ws" {
		t.Errorf("%+v", gone)
	}
	if gone[2].Binding != 1 || gone[2].State != MemberReplicaLeavesUnknown || gone[2].Pod != NoID || gone[2].Subset != -1 {
		t.Errorf("%+v", gone[2])
	}
	fresh := must(NewStore([]byte(memberSpread)))
	defer fresh.Close()
	come := must(plan.InMember("member2", fresh, store, planNow, nil))
	if len(come) < 1 || come[0].State != MemberReplicaInSubset || come[0].Subset != 0 || come[0].Pod != NoID {
		t.Errorf("%+v", come)
	}
	if none := must(plan.InMember("nowhere", fresh, store, planNow, nil)); none != nil {
		t.Errorf("%+v", none)
	}
	if _, err := plan.InMember("member1", nil, store, planNow, nil); err == nil {
		t.Error("a member is needed")
	}
}
