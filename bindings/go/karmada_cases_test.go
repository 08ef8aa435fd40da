// SPDX-License-Identifier: MIT

package librebalance

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// The level whose answers were recorded, with the gates of the case.
func compatOf(gates any) *Compat {
	compat := must(NewCompat("karmada-1.19"))
	known := map[string]Option{
		"CustomizedClusterResourceModeling": OptionGateResourceModels,
		"WorkloadAffinity":                  OptionGateWorkloadAffinity,
		"MultiplePodTemplatesScheduling":    OptionGateMultiplePodTemplates,
		"SchedulingOvercommitProtection":    OptionGateOvercommitProtection,
		"StatefulFailoverInjection":         OptionGateStatefulFailover,
		"GracefulEviction":                  OptionGateGracefulEviction,
	}
	members, _ := gates.(object)
	for gate, isOn := range members {
		if option, ok := known[gate]; ok {
			ensure(compat.Set(option, number(isTrue(isOn))))
		}
	}
	return compat
}

func number(isSet bool) int64 {
	if isSet {
		return 1
	}
	return 0
}

func ensure(err error) {
	if err != nil {
		panic(err)
	}
}

// ---- schedule ----

func (s *suite) schedule(c *recorded) any {
	fleet := must(NewFleet(items(c.Input, "clusters")...))
	defer fleet.Close()
	options := ScheduleOptions{Flags: ScheduleFlagSingleGroup,
		Compat: compatOf(c.Input["featureGates"])}
	defer options.Compat.Close()
	ensure(options.Compat.Set(OptionEmptyWorkloadPropagation,
		number(isTrue(c.Input["enableEmptyWorkloadPropagation"]))))
	bindings := must(fleet.Bindings(c.Input["binding"]))
	defer bindings.Close()
	for _, set := range []struct {
		name string
		into **Bindings
	}{{"bindings", &options.Known}, {"assigning", &options.Assigning}} {
		if list := items(c.Input, set.name); c.Input[set.name] != nil {
			*set.into = must(fleet.Bindings(list...))
			defer (*set.into).Close()
		}
	}
	if assumed := c.Input["assumed"]; assumed != nil {
		options.Ledger = ledgerOf(fleet, assumed)
		defer options.Ledger.Close()
	}
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	estimatorsOf(c.Input, snapshot, &options)
	phases := options
	if options.Ledger != nil {
		phases.Ledger = must(options.Ledger.Fork())
		defer phases.Ledger.Close()
	}
	ensure(s.session.ScheduleInto(s.result, snapshot, bindings, &options))
	decision := must(s.result.Decisions())[0]
	if byPhases := s.phases(snapshot, bindings, &phases); decision.String() != byPhases.String() {
		panic("the phases one by one differ from the whole: " + byPhases.String())
	}
	return decided(decision, c.Input)
}

// Runs the phases one after the other. Their answer must equal that of the whole.
func (s *suite) phases(snapshot *Snapshot, bindings *Bindings, options *ScheduleOptions) Decision {
	verdicts, scored, selected := must(NewResult()), must(NewResult()), must(NewResult())
	defer verdicts.Close()
	defer scored.Close()
	defer selected.Close()
	ensure(s.session.FilterInto(verdicts, snapshot, bindings, options))
	ensure(s.session.ScoreInto(scored, verdicts, snapshot, bindings, options))
	ensure(s.session.SelectInto(selected, scored, snapshot, bindings, options))
	ensure(s.session.AssignInto(s.result, selected, snapshot, bindings, options))
	return must(s.result.Decisions())[0]
}

func decided(decision Decision, input object) any {
	kinds := map[Outcome]string{OutcomeNoClusterFit: "FitError",
		OutcomeUnschedulable: "Unschedulable", OutcomeSchedulerError: "Error"}
	if decision.Outcome != OutcomeScheduled {
		return object{"error": object{"kind": kinds[decision.Outcome], "message": decision.Message}}
	}
	clusters := []object{}
	for _, target := range decision.Targets {
		entry := object{"name": target.Cluster, "replicas": target.Replicas}
		if target.WithComponents {
			components := []object{}
			for _, one := range items(input, "binding", "spec", "components") {
				components = append(components, object{"name": text(one, "name"),
					"replicas": integer(in(one, "replicas"), 0)})
			}
			entry["components"] = components
		}
		clusters = append(clusters, entry)
	}
	slices.SortFunc(clusters, func(a, b object) int { return strings.Compare(text(a, "name"), text(b, "name")) })
	return object{"clusters": clusters}
}

// Workloads that the case assumes to be in flight. The keys are in the order of the workloads.
func ledgerOf(fleet *Fleet, assumed any) *Ledger {
	ledger := must(fleet.NewLedger())
	names := must(fleet.Cells().Texts(ColumnClusterName, None, nil))
	for id, name := range names {
		workloads, ok := assumed.([]any)
		if !ok {
			workloads = items(assumed, name)
		}
		for i, workload := range workloads {
			components := componentsOf(fleet, items(workload, "components"))
			ensure(ledger.Charge(fmt.Sprintf("assumed/%06d", i), uint32(id), components, time.Time{}))
		}
	}
	return ledger
}

func requirementsOf(fleet *Fleet, needs any) uint32 {
	if needs == nil {
		return None
	}
	return must(fleet.Intern(ObjectRequirements, needs))
}

func componentsOf(fleet *Fleet, list []any) []Component {
	components := []Component{}
	for _, one := range list {
		components = append(components, Component{requirementsOf(fleet, in(one, "replicaRequirements")),
			int32(integer(in(one, "replicas"), 0))})
	}
	return components
}

func estimatorsOf(input object, snapshot *Snapshot, options *ScheduleOptions) {
	names := items(input, "estimators")
	if !slices.Contains(names, any("general")) {
		options.Flags |= ScheduleFlagNoSummary
	}
	if !slices.Contains(names, any("available")) {
		return
	}
	failed := input["availableError"] != nil
	options.Estimators = []Estimator{fitsOf(snapshot, input["available"], failed)}
}

func fitsOf(snapshot *Snapshot, available any, isFailed bool) Estimator {
	names := must(snapshot.Cells().Texts(ColumnClusterName, None, nil))
	fits := make([]int32, len(names))
	for id, name := range names {
		fits[id] = int32(integer(in(available, name), int64(FitsNoOpinion)))
		if isFailed {
			fits[id] = math.MinInt32
		}
	}
	return Estimator{Fits: fits, Clusters: len(fits)}
}

// ---- deschedule ----

func clustersOf(spec any) []object {
	clusters := []object{}
	for _, one := range items(spec, "clusters") {
		clusters = append(clusters, object{"name": text(one, "name"), "replicas": integer(in(one, "replicas"), 0)})
	}
	return clusters
}

func (s *suite) deschedule(c *recorded) any {
	fleet := must(NewFleet())
	defer fleet.Close()
	bindings := must(fleet.Bindings(c.Input["binding"]))
	defer bindings.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	compat := compatOf(nil)
	defer compat.Close()
	options := DescheduleOptions{Compat: compat}
	for _, answers := range items(c.Input, "unschedulable") {
		options.Estimators = append(options.Estimators, fitsOf(snapshot, answers, false))
	}
	now := time.Unix(0, 0)
	ensure(s.session.DescheduleInto(s.result, snapshot, bindings, now, &options))
	eligible := must(s.result.Steps())[0].Reason != int64(DescheduleReasonNotEligible)
	options.Flags = DescheduleFlagGivenBindings | DescheduleFlagExplain
	found, actions, err := s.session.Deschedule(snapshot, bindings, now, &options)
	ensure(err)
	outcome := object{"eligible": eligible, "updated": false, "clusters": clustersOf(in(c.Input, "binding", "spec"))}
	status, undesired := []object{}, 0
	for _, one := range found {
		ready := one.Ready
		if ready == Absent {
			ready = -1
		}
		status = append(status, object{"name": one.Cluster, "ready": ready, "spec": one.Replicas,
			"unschedulable": one.Unschedulable})
		undesired += int(number(one.Undesired))
	}
	outcome["status"], outcome["undesired"] = status, undesired
	for _, action := range actions {
		payload := plain(action.Payload)
		switch action.Kind {
		case ActionKindPatchSpec:
			outcome["updated"], outcome["clusters"] = true, clustersOf(payload)
		case ActionKindEvent:
			outcome["event"] = eventText(payload)
		}
	}
	return outcome
}

func eventText(event any) string {
	return text(event, "type") + " " + text(event, "reason") + " " + text(event, "message")
}

// ---- failover ----

func (s *suite) failover(c *recorded) any {
	binding := plain(c.Input["binding"]).(object)
	steps, memory := []any{}, object{}
	for _, step := range items(c.Input, "steps") {
		outcome := s.failoverStep(binding, step, c.Input["featureGates"], memory)
		memory, _ = outcome["unhealthySince"].(object)
		steps = append(steps, outcome)
	}
	return object{"steps": steps}
}

func (s *suite) failoverStep(binding object, step, gates any, memory object) object {
	spec := binding["spec"].(object)
	if clusters := in(step, "clusters"); clusters != nil {
		spec["clusters"] = clusters
	}
	binding["status"] = object{"aggregatedStatus": in(step, "aggregatedStatus")}
	fleet := must(NewFleet())
	defer fleet.Close()
	bindings := must(fleet.NewBindings())
	defer bindings.Close()
	ensure(fleet.Add(bindings, binding))
	for name, since := range memory {
		row := must(bindings.Cells().Add(TableUnhealthy, 0, 1))
		id := must(fleet.ClusterID(name))
		ensure(bindings.Cells().PutInt64s(ColumnUnhealthyCluster, None, row,
			[]int64{int64(id)}))
		ensure(bindings.Cells().PutTimes(ColumnUnhealthySince, None, row,
			[]time.Time{clock(since.(string))}))
	}
	ensure(bindings.Freeze())
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	compat := compatOf(gates)
	defer compat.Close()
	ensure(s.session.ApplicationFailoverInto(s.result, snapshot, bindings, clock(text(step, "now")),
		&FailoverOptions{Compat: compat}))
	return s.failoverOutcome(spec)
}

// failoverOutcome applies the patches of the pass to spec and returns the outcome.
func (s *suite) failoverOutcome(spec object) object {
	for _, action := range must(s.result.Actions()) {
		if action.Kind == ActionKindPatchSpec {
			spec["clusters"] = []any{}
			delete(spec, "gracefulEvictionTasks")
			for name, member := range plain(action.Payload).(object) {
				spec[name] = member
			}
		}
	}
	outcome, kept := object{"clusters": clustersOf(spec)}, object{}
	if tasks := items(spec, "gracefulEvictionTasks"); len(tasks) > 0 {
		outcome["gracefulEvictionTasks"] = tasks
	}
	times := must(s.result.Times(ColumnUnhealthyKeptSince))
	for i, cluster := range must(s.result.Int64s(ColumnUnhealthyKeptCluster)) {
		kept[s.result.Cluster(cluster)] = times[i].Format(time.RFC3339Nano)
	}
	if len(kept) > 0 {
		outcome["unhealthySince"] = kept
	}
	step := must(s.result.Steps())[0]
	if step.HasTimer {
		outcome["requeueAfterSeconds"] = int64(step.After / time.Second)
	}
	if step.State == StepStateRetry {
		outcome["error"] = object{"kind": "Error", "message": step.Message}
	}
	return outcome
}

// ---- rebalancer: an API server of a few lines ----

type server struct {
	rebalancer object // nil once deleted
	bindings   map[string]object
	updated    map[string]bool
	step       any
	version    int
}

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

func (v *server) touch(value object) {
	v.version++
	value["metadata"].(object)["resourceVersion"] = fmt.Sprint(v.version)
}

func (v *server) add(bindings []any) {
	for _, one := range bindings {
		binding := plain(one).(object)
		v.touch(binding)
		v.bindings[keyOf(text(binding, "metadata", "namespace"), text(binding, "metadata", "name"))] = binding
	}
}

func (v *server) edit() {
	if spec := in(v.step, "spec"); spec != nil && v.rebalancer != nil {
		metadata := v.rebalancer["metadata"].(object)
		v.rebalancer["spec"] = plain(spec)
		metadata["generation"] = json.Number(fmt.Sprint(integer(metadata["generation"], 0) + 1))
		v.touch(v.rebalancer)
	}
	v.add(items(v.step, "addBindings"))
	for _, key := range items(v.step, "removeBindings") {
		delete(v.bindings, key.(string))
	}
}

// act carries out an action, and returns how it ended and what was read.
func (v *server) act(action Action) (Observed, object) {
	key := keyOf(action.Namespace, action.Name)
	binding := v.bindings[key]
	fails := func(list string) bool { return slices.Contains(items(v.step, list), any(key)) }
	switch action.Kind {
	case ActionKindRead:
		if fails("failGet") {
			return ObservedTransient, nil
		} else if binding == nil {
			return ObservedNotFound, nil
		}
		return ObservedDone, binding
	case ActionKindPatchSpec:
		if fails("failUpdate") {
			return ObservedTransient, nil
		} else if binding == nil {
			return ObservedNotFound, nil
		} else if action.ResourceVersion != "" && action.ResourceVersion != text(binding, "metadata", "resourceVersion") {
			return ObservedConflict, nil
		}
		for name, member := range plain(action.Payload).(object) {
			binding["spec"].(object)[name] = member
		}
		v.touch(binding)
		v.updated[key] = true
		return ObservedDone, nil
	case ActionKindPatchStatus:
		if isTrue(in(v.step, "failStatus")) {
			return ObservedTransient, nil
		}
		if status := plain(action.Payload); fmt.Sprint(status) != fmt.Sprint(v.rebalancer["status"]) {
			v.rebalancer["status"] = status
			v.touch(v.rebalancer)
		}
		return ObservedDone, nil
	case ActionKindDelete:
		if action.ResourceVersion != text(v.rebalancer, "metadata", "resourceVersion") {
			return ObservedConflict, nil
		}
		v.rebalancer = nil
		return ObservedDone, nil
	}
	return ObservedDenied, nil
}

func (s *suite) reconcile(v *server) Step {
	observations := must(NewObservations())
	defer observations.Close()
	read := plain(v.rebalancer)
	for {
		step, actions, err := s.session.RebalancerStep(read, clock(text(v.step, "now")), observations)
		ensure(err)
		if step.State != StepStateWaiting {
			return step
		}
		if len(actions) == 0 {
			panic("the step waits for nothing")
		}
		for _, action := range actions {
			outcome, fields := v.act(action)
			one := Observation{Ordinal: action.Ordinal, Outcome: outcome}
			if outcome != ObservedDone {
				one.Message = "Internal error occurred: injected"
			} else if fields != nil {
				one.Object, one.Fields = ObjectBinding, fields
			}
			ensure(observations.Add(one))
		}
	}
}

func (v *server) outcome(step *Step) object {
	triggers, updated := object{}, []string{}
	for key, binding := range v.bindings {
		if at := in(binding, "spec", "rescheduleTriggeredAt"); at != nil {
			triggers[key] = at
		}
	}
	for key := range v.updated {
		updated = append(updated, key)
	}
	sort.Strings(updated)
	outcome := object{"exists": v.rebalancer != nil, "rescheduleTriggeredAt": triggers}
	if len(updated) > 0 {
		outcome["updatedBindings"] = updated
	}
	if v.rebalancer != nil {
		outcome["status"] = v.rebalancer["status"]
		if outcome["status"] == nil {
			outcome["status"] = object{}
		}
	}
	if step == nil {
		return outcome
	}
	if step.HasTimer {
		outcome["requeueAfterSeconds"] = int64(step.After / time.Second)
	}
	if step.State == StepStateRetry {
		reason := RebalancerReason(step.Reason)
		kinds := []string{"", "Retry", "StatusUpdateFailed", "NoFinishTime", "DeleteConflict", "DeleteFailed"}
		failure := object{"kind": kinds[reason]}
		if reason != RebalancerReasonDeleteConflict {
			failure["message"] = step.Message
		}
		outcome["error"] = failure
	}
	return outcome
}

func (s *suite) rebalancer(c *recorded) any {
	v := &server{rebalancer: plain(c.Input["rebalancer"]).(object), bindings: map[string]object{}}
	v.touch(v.rebalancer)
	v.add(items(c.Input, "bindings"))
	steps := []any{}
	for _, v.step = range items(c.Input, "steps") {
		v.updated = map[string]bool{}
		exists := v.rebalancer != nil
		v.edit()
		var last *Step
		if exists {
			step := s.reconcile(v)
			last = &step
		}
		steps = append(steps, plain(v.outcome(last)))
	}
	return object{"steps": steps}
}
