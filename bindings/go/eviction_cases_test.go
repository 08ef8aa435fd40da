// SPDX-License-Identifier: MIT

package librebalance

import "time"

// ---- estimate-general ----

func (s *suite) estimate(c *recorded) any {
	fleet := must(NewFleet(items(c.Input, "clusters")...))
	defer fleet.Close()
	options := EstimateOptions{Compat: compatOf(c.Input["featureGates"])}
	defer options.Compat.Close()
	components := componentsOf(fleet, items(c.Input, "components"))
	requirements := requirementsOf(fleet, c.Input["replicaRequirements"])
	if assumed := c.Input["assumed"]; assumed != nil {
		options.Ledger = ledgerOf(fleet, assumed)
		defer options.Ledger.Close()
	}
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	member, estimates := "sets", []Estimate(nil)
	if c.Input["components"] != nil {
		estimates = must(s.session.EstimateSets(snapshot, components, &options))
	} else {
		member, estimates = "replicas", must(s.session.Estimate(snapshot, requirements, &options))
	}
	by := map[string]int64{}
	for _, one := range estimates {
		by[one.Cluster] = one.Replicas
	}
	clusters := []object{}
	for _, one := range items(c.Input, "clusters") {
		if name := text(one, "metadata", "name"); len(by) > 0 {
			clusters = append(clusters, object{"name": name, member: by[name]})
		}
	}
	return object{"clusters": clusters}
}

// ---- eviction-graceful ----

func (s *suite) gracefulEviction(c *recorded) any {
	fleet := must(NewFleet())
	defer fleet.Close()
	bindings := must(fleet.Bindings(c.Input["binding"]))
	defer bindings.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	timeout := time.Duration(integer(c.Input["gracefulEvictionTimeoutSeconds"], 0)) * time.Second
	ensure(s.session.GracefulEvictionInto(s.result, snapshot, bindings, clock(text(c.Input, "now")),
		&FailoverOptions{Flags: FailoverFlagTimeoutGiven, GracefulEvictionTimeout: timeout}))
	tasks := items(c.Input, "binding", "spec", "gracefulEvictionTasks")
	for _, action := range must(s.result.Actions()) {
		if action.Kind == ActionKindPatchSpec {
			tasks = items(plain(action.Payload), "gracefulEvictionTasks")
			break
		}
	}
	outcome := object{"gracefulEvictionTasks": append([]any{}, tasks...)}
	if step := must(s.result.Steps())[0]; step.HasTimer {
		outcome["requeueAfterSeconds"] = int64(step.After / time.Second)
	}
	return outcome
}

// ---- eviction-taint ----

func (s *suite) taintEviction(c *recorded) any {
	fleet := must(NewFleet(c.Input["cluster"]))
	defer fleet.Close()
	bindings := must(fleet.Bindings(c.Input["binding"]))
	defer bindings.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	options := FailoverOptions{Compat: compatOf(c.Input["featureGates"])}
	defer options.Compat.Close()
	if isTrue(c.Input["enableNoExecuteTaintEviction"]) {
		options.Flags |= FailoverFlagEvictByTaint
	}
	if text(c.Input, "noExecuteTaintEvictionPurgeMode") == "Directly" {
		options.Flags |= FailoverFlagPurgeDirectly
	}
	name, now, outcome := text(c.Input, "cluster", "metadata", "name"), clock(text(c.Input, "now")), object{}
	ensure(s.session.TaintVerdictInto(s.result, snapshot, name, bindings, now, &options))
	writeVerdict(must(s.result.Steps())[0], outcome)
	ensure(s.session.TaintEvictionInto(s.result, snapshot, name, bindings, now, &options))
	spec, step := in(c.Input, "binding", "spec"), must(s.result.Steps())[0]
	for _, action := range must(s.result.Actions()) {
		switch action.Kind {
		case ActionKindPatchSpec:
			spec = plain(action.Payload)
		case ActionKindWake:
			outcome["queue"] = []object{{"op": "after", "seconds": int64(step.After / time.Second)}}
		}
	}
	outcome["clusters"] = clustersOf(spec)
	if tasks := items(spec, "gracefulEvictionTasks"); len(tasks) > 0 {
		outcome["gracefulEvictionTasks"] = tasks
	}
	if step.State == StepStateRetry {
		outcome["error"] = object{"kind": "Error", "message": step.Message}
	}
	return outcome
}

func writeVerdict(step Step, outcome object) {
	seconds := int64(step.After / time.Second)
	switch TaintVerdict(step.Reason) {
	case TaintVerdictError:
		outcome["needError"] = true
		return
	case TaintVerdictForever:
		seconds = -1
	case TaintVerdictEvict:
		seconds = 0
	}
	outcome["needEviction"] = TaintVerdict(step.Reason) == TaintVerdictEvict
	outcome["tolerationSeconds"] = seconds
}

// The text of an error of a JSON parser is not part of the reference's contract.
func blurTaint(outcome any, c *recorded) any {
	if members, ok := in(outcome, "error").(object); ok && c.has("broken-applied-placement") {
		delete(members, "message")
	}
	return outcome
}
