// SPDX-License-Identifier: MIT

package librebalance

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"
)

// A set of WorkloadSpreads is ordered by name.
func spreadsAreInOrder(c *recorded) bool {
	return slices.IsSortedFunc(items(c.Input, "workloadSpreads"), func(a, b any) int {
		return strings.Compare(text(a, "metadata", "name"), text(b, "metadata", "name"))
	})
}

func load(store *Store, objects ...any) {
	if len(objects) > 0 {
		ensure(store.Load(objects...))
	}
}

func storedObject(store *Store, id ID) (value object) {
	decode(must(store.JSON(id)), &value)
	return value
}

// ---- inject ----

func (s *suite) inject(c *recorded) any {
	store := must(NewStore())
	defer store.Close()
	load(store, items(c.Input, "objects")...)
	load(store, items(c.Input, "workloadSpreads")...)
	spreads := must(NewSpreads(store))
	defer spreads.Close()
	ensure(spreads.Update())
	now := clock(c.Now)
	admission, err := spreads.Admit(s.result, s.session, c.Input["pod"], now,
		&AdmitOptions{UID: text(c.Input, "uid")})
	if err != nil && !(errors.Is(err, EINVAL) && s.result.Count(TableAdmitted) == 1) {
		panic(err)
	}
	outcome := object{"skip": admission.Spread == ""}
	if admission.Pod == nil {
		outcome["error"] = true
	} else {
		outcome["pod"] = json.RawMessage(admission.Pod)
	}
	if admission.Spread != "" {
		outcome["workloadSpread"] = admission.Spread
	}
	if admission.Subset != "" {
		outcome["subset"] = admission.Subset
	}
	if actions := must(s.result.Actions()); len(actions) > 0 {
		ensure(store.CarryOut(s.result, 0, now, nil))
		id := store.Find("WorkloadSpread", actions[0].Namespace, actions[0].Name)
		outcome["statusWritten"] = object{"name": actions[0].Name, "status": storedObject(store, id)["status"]}
	}
	return outcome
}

// ---- status ----

// What is new or changed in a map, and "<removed>" for what is gone.
func memberChanges(before, after any) object {
	changes := object{}
	was, _ := before.(object)
	is, _ := after.(object)
	for key, value := range is {
		if !reflect.DeepEqual(value, was[key]) {
			changes[key] = value
		}
	}
	for key := range was {
		if _, ok := is[key]; !ok {
			changes[key] = "<removed>"
		}
	}
	return changes
}

// Adds what changed in the store to what the pass returned for its pods.
func addChanges(store *Store, pods []any, written object) {
	for _, pod := range pods {
		name := text(pod, "metadata", "name")
		effects, _ := written[name].(object)
		if effects == nil {
			effects = object{}
		}
		if id := store.Find("Pod", text(pod, "metadata", "namespace"), name); id != NoID {
			after := storedObject(store, id)
			for _, list := range []string{"annotations", "labels"} {
				if changes := memberChanges(in(pod, "metadata", list), in(after, "metadata", list)); len(changes) > 0 {
					effects[list] = changes
				}
			}
			was, is := items(pod, "metadata", "finalizers"), items(after, "metadata", "finalizers")
			if !reflect.DeepEqual(was, is) && len(was)+len(is) > 0 {
				effects["finalizers"] = append([]any{}, is...)
			}
		}
		if len(effects) > 0 {
			written[name] = effects
		}
	}
}

func podsOf(grouped []Grouped) object {
	written := object{}
	for _, one := range grouped {
		pod := object{"subset": one.Subset}
		if one.Subset == "" {
			pod["subset"] = "kruise.io/workloadspread-fake-subset-name"
		}
		if one.Version != "" {
			pod["version"] = one.Version
		}
		if one.Stuck {
			pod["deleted"] = true
		}
		written[one.Pod] = pod
	}
	return written
}

func (s *suite) status(c *recorded) any {
	store := must(NewStore())
	defer store.Close()
	load(store, items(c.Input, "objects")...)
	load(store, items(c.Input, "pods")...)
	load(store, c.Input["workloadSpread"])
	spreads := must(NewSpreads(store))
	defer spreads.Close()
	ensure(spreads.Update())
	id := store.Find("WorkloadSpread", text(c.Input, "workloadSpread", "metadata", "namespace"),
		text(c.Input, "workloadSpread", "metadata", "name"))
	now := clock(c.Now)
	ensure(spreads.StepInto(s.result, s.session, id, now, nil))
	written := podsOf(must(spreads.Grouped(s.result, id)))
	actions, events := must(s.result.Actions()), []string{}
	for i, action := range actions {
		if action.Kind == ActionKindEvent {
			events = append(events, eventText(plain(action.Payload)))
		}
		ensure(store.CarryOut(s.result, i, now, nil))
	}
	addChanges(store, items(c.Input, "pods"), written)
	outcome := object{"pods": written}
	if sort.Strings(events); len(events) > 0 {
		outcome["events"] = events
	}
	step := must(s.result.Steps())[0]
	switch {
	case step.State == StepStateRetry:
		outcome["error"] = step.Message
	case step.HasTimer:
		outcome["requeueAfterSeconds"] = step.After.Seconds()
		if step.After%time.Second == 0 {
			outcome["requeueAfterSeconds"] = int64(step.After / time.Second)
		}
	}
	if step.State == StepStateDone {
		outcome["status"] = must(spreads.Status(id))
	}
	return outcome
}

// ---- policy ----

var listsOfPolicies = []string{"waiting", "propagationPolicies", "clusterPropagationPolicies", "overridePolicies",
	"clusterOverridePolicies", "priorityClasses", "bindings"}

func kindOf(value any) string {
	group, _, isGroup := strings.Cut(text(value, "apiVersion"), "/")
	if !isGroup {
		group = ""
	}
	return text(value, "kind") + "." + group
}

func findObject(store *Store, value any) ID {
	return store.Find(kindOf(value), text(value, "metadata", "namespace"), text(value, "metadata", "name"))
}

// A recorded template without a namespace is cluster-scoped, whatever its kind.
func putObject(store *Store, value any) {
	if text(value, "metadata", "namespace") == "" {
		ensure(store.AddResource(kindOf(value), "objects", false))
	}
	ensure(store.Put(value))
}

// detectorOf creates the store of a case and the detector.
func detectorOf(input object) (*Store, *Detector) {
	store := must(NewStore())
	if input["template"] != nil {
		putObject(store, input["template"])
	}
	for _, list := range listsOfPolicies {
		for _, one := range items(input, list) {
			if findObject(store, one) == NoID {
				putObject(store, one)
			}
		}
	}
	options := DetectorOptions{SkippedAPIs: text(input, "skippedAPIs"),
		Gates: map[DetectorGate]bool{}}
	gates, _ := input["featureGates"].(object)
	for name, isOn := range gates {
		for gate := DetectorGatePolicyPreemption; gate <= DetectorGatePropagateDeps; gate++ {
			if gate.String() == name {
				options.Gates[gate] = isTrue(isOn)
			}
		}
	}
	if spaces := items(input, "skippedNamespaces"); input["skippedNamespaces"] != nil {
		options.SkippedNamespaces = []string{}
		for _, space := range spaces {
			options.SkippedNamespaces = append(options.SkippedNamespaces, space.(string))
		}
	}
	return store, must(NewDetector(store, &options))
}

func matchesOf(store *Store, detector *Detector, template ID) object {
	matches := object{}
	for _, kind := range []string{"PropagationPolicy", "ClusterPropagationPolicy"} {
		for id := range store.Objects(kind) {
			if precision := must(detector.Match(id, template)); precision != PrecisionNone {
				matches[keyOf(store.Namespace(id), store.Name(id))] = precision.String()
			}
		}
	}
	return matches
}

// The listed members of metadata that are set.
func metadataOf(value object, names ...string) object {
	part := object{}
	for _, name := range names {
		member := in(value, "metadata", name)
		if members, isMap := member.(object); member != nil && (!isMap || len(members) > 0) {
			part[name] = member
		}
	}
	return part
}

func writeObjects(store *Store, seen uint64, input, outcome object) {
	bindings := []object{}
	for id := store.NextChanged(&seen); id != NoID; id = store.NextChanged(&seen) {
		value := storedObject(store, id)
		switch kind := text(value, "kind"); {
		case kind != "ResourceBinding" && kind != "ClusterResourceBinding":
			outcome["template"] = metadataOf(value, "labels", "annotations")
		case isTrue(input["wantBinding"]):
			for _, hidden := range []string{"resourceVersion", "uid", "creationTimestamp", "generation"} {
				delete(value["metadata"].(object), hidden)
			}
			bindings = append(bindings, value)
		default:
			bindings = append(bindings, metadataOf(value, "name", "labels", "annotations"))
		}
	}
	if len(bindings) > 0 {
		outcome["bindings"] = bindings
	}
}

func (s *suite) policy(c *recorded) any {
	store, detector := detectorOf(c.Input)
	defer store.Close()
	defer detector.Close()
	seen, template := store.Changes(), findObject(store, c.Input["template"])
	if isTrue(c.Input["waiting"]) {
		ensure(detector.Wait(template))
	}
	matches := matchesOf(store, detector, template)
	flags := DetectorPass(0)
	if isTrue(c.Input["changedByKarmada"]) {
		flags = DetectorPassByKarmada
	}
	pass := must(detector.Template(template, flags, clock("2026-03-01T00:00:00Z")))
	if pass.Outcome == DetectorOutcomeAPI || pass.Outcome == DetectorOutcomeNamespace {
		return object{"considered": false, "reason": pass.Outcome.String()}
	}
	outcome := object{"considered": true, "outcome": pass.Outcome.String()}
	if pass.Message != "" {
		outcome["error"] = true
	}
	if pass.Policy != NoID {
		name := object{"kind": store.Kind(pass.Policy), "name": store.Name(pass.Policy)}
		if space := store.Namespace(pass.Policy); space != "" {
			name["namespace"] = space
		}
		outcome["policy"] = name
	}
	if detector.Waiting() > 0 {
		outcome["waiting"] = true
	}
	writeObjects(store, seen, c.Input, outcome)
	if !isTrue(c.Input["wantBinding"]) {
		outcome["matches"] = matches
	}
	return outcome
}
