// SPDX-License-Identifier: MIT

package librebalance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// object is a map of JSON; numbers are json.Number.
type object = map[string]any

// recorded is one case of tests/vectors.
type recorded struct {
	ID      string   `json:"id"`
	Tags    []string `json:"tags"`
	Now     string   `json:"now"`
	Input   object   `json:"input"`
	Accept  []any    `json:"accept"`
	Expect  any      `json:"expect"`
	Ordered any      `json:"ordered"`
	Stable  any      `json:"stable"`
	Error   object   `json:"error"`
}

func (r *recorded) has(tag string) bool {
	for _, one := range r.Tags {
		if one == tag {
			return true
		}
	}
	return false
}

func decode(text []byte, into any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		panic(err)
	}
}

// plain returns a value as it is after a trip through JSON.
func plain(value any) (out any) {
	decode(must(json.Marshal(value)), &out)
	return out
}

// in walks a path of member names; nil when one is missing.
func in(value any, path ...string) any {
	for _, name := range path {
		members, _ := value.(object)
		value = members[name]
	}
	return value
}

func text(value any, path ...string) string {
	found, _ := in(value, path...).(string)
	return found
}

func items(value any, path ...string) []any {
	found, _ := in(value, path...).([]any)
	return found
}

func integer(value any, absent int64) int64 {
	if number, ok := value.(json.Number); ok {
		return must(number.Int64())
	}
	return absent
}

func isTrue(value any) bool {
	found, _ := value.(bool)
	return found
}

func clock(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	return must(time.Parse(time.RFC3339Nano, text))
}

// kindOfCase answers cases of one file. inOrder reports whether lists have the recorded order, not the library's own.
// blur removes from an outcome what the description leaves open.
type kindOfCase struct {
	run     func(s *suite, c *recorded) any
	blur    func(outcome any, c *recorded) any
	inOrder func(c *recorded) bool
}

// suite is what all cases share, as in a program.
type suite struct {
	session *Session
	result  *Result
}

// outcomes are those that pass.
func (c *recorded) outcomes(inOrder bool) (accepted []any) {
	isOpen := !inOrder && len(c.Accept) > 0
	switch {
	case c.Ordered != nil:
		return []any{c.Ordered}
	case c.Expect != nil && !isOpen && !c.has("map-dependent"):
		return []any{c.Expect}
	}
	accepted = append(accepted, c.Accept...)
	if c.Stable != nil {
		accepted = append(accepted, c.Stable)
	}
	if c.Error["message"] != nil {
		accepted = append(accepted, object{"error": c.Error})
	}
	for _, message := range items(c.Error, "messages") {
		accepted = append(accepted, object{"error": object{"kind": c.Error["kind"], "message": message}})
	}
	if len(accepted) == 0 {
		accepted = append(accepted, object{"error": c.Error})
	}
	return accepted
}

var kindsOfCases = map[string]kindOfCase{
	"schedule":          {run: (*suite).schedule, blur: blurSchedule},
	"rebalancer":        {run: (*suite).rebalancer},
	"deschedule":        {run: (*suite).deschedule},
	"failover":          {run: (*suite).failover},
	"eviction-taint":    {run: (*suite).taintEviction, blur: blurTaint},
	"eviction-graceful": {run: (*suite).gracefulEviction},
	"estimate-general":  {run: (*suite).estimate},
	"inject":            {run: (*suite).inject, blur: blurKruise, inOrder: spreadsAreInOrder},
	"status":            {run: (*suite).status, blur: blurKruise, inOrder: func(*recorded) bool { return false }},
	"policy":            {run: (*suite).policy, blur: blurError},
}

// How many cases pass by file; a smaller number would mean that cases are not read.
var numbersOfCases = map[string]int{
	"schedule": 2500, "rebalancer": 300, "deschedule": 500, "failover": 300, "eviction-taint": 300,
	"eviction-graceful": 300, "estimate-general": 800, "inject": 800, "status": 800, "policy": 550,
}

func TestRecordedCases(t *testing.T) {
	folder := os.Getenv("REBAL_VECTORS")
	if folder == "" {
		t.Skip("REBAL_VECTORS is not the directory of the recorded cases, unpacked")
	}
	for name, kind := range kindsOfCases {
		t.Run(name, func(t *testing.T) { runFile(t, filepath.Join(folder, name+".jsonl"), name, kind) })
	}
}

func runFile(t *testing.T, path, name string, kind kindOfCase) {
	file := must(os.Open(path))
	defer file.Close()
	s := &suite{must(NewSession(nil)), must(NewResult())}
	defer s.session.Close()
	defer s.result.Close()
	lines, passed, failed := bufio.NewScanner(file), 0, 0
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		c := &recorded{}
		decode(lines.Bytes(), c)
		if got := s.judge(c, kind); got == "" {
			passed++
		} else if failed++; failed < 6 {
			t.Errorf("%s: %s", c.ID, got)
		}
	}
	check(t, lines.Err())
	t.Logf("%s: %d passed, %d failed", name, passed, failed)
	if failed > 0 || passed != numbersOfCases[name] {
		t.Errorf("%d passed of %d, %d failed", passed, numbersOfCases[name], failed)
	}
}

// judge runs a case and returns what is wrong with the outcome, "" if nothing is.
func (s *suite) judge(c *recorded, kind kindOfCase) (wrong string) {
	defer func() {
		if failure := recover(); failure != nil {
			wrong = fmt.Sprint("failed: ", failure)
		}
	}()
	blur := kind.blur
	if blur == nil {
		blur = func(outcome any, _ *recorded) any { return outcome }
	}
	outcome := plain(kind.run(s, c))
	ours := blur(plain(outcome), c)
	accepted := c.outcomes(kind.inOrder == nil || kind.inOrder(c))
	for _, one := range accepted {
		if reflect.DeepEqual(ours, blur(plain(one), c)) {
			return ""
		}
	}
	return fmt.Sprintf("expected %s, got %s", must(json.Marshal(accepted)), must(json.Marshal(outcome)))
}

func blurError(outcome any, _ *recorded) any {
	if members, ok := outcome.(object); ok && members["error"] != nil {
		members["error"] = true
	}
	return outcome
}

// More than eight texts are possible; none is recorded.
func blurSchedule(outcome any, c *recorded) any {
	if members, ok := in(outcome, "error").(object); ok && c.has("fit-message-open") {
		delete(members, "message")
	}
	return outcome
}

// Drops members that mean the same as none, at any depth but below "patch".
func dropNothings(value any) {
	if list, ok := value.([]any); ok {
		for _, item := range list {
			dropNothings(item)
		}
	}
	members, _ := value.(object)
	for key, member := range members {
		if key == "patch" && member != nil {
			continue
		}
		dropNothings(member)
		inner, isMap := member.(object)
		isNothing := member == nil || (key == "message" && member == "") || (isMap && len(inner) == 0 &&
			strings.Contains(" status resources strategy updateStrategy scaleStrategy scheduleStrategy creatingPods "+
				"deletingPods ", " "+key+" "))
		if isNothing {
			delete(members, key)
		}
	}
}

func blurKruise(outcome any, c *recorded) any {
	dropNothings(outcome)
	return blurError(outcome, c)
}
