// SPDX-License-Identifier: MIT

package librebalance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// kinded is what the structs of this package are, which do not hold apiVersion and kind.
type kinded interface{ apiVersionAndKind() (string, string) }

// Go packages whose types leave apiVersion and kind empty, and the end of their API groups.
var typePackages = []struct{ path, suffix string }{
	{"k8s.io/api/", ".k8s.io"},
	{"github.com/karmada-io/karmada/pkg/apis/", ".karmada.io"},
	{"github.com/karmada-io/api/", ".karmada.io"},
	{"github.com/openkruise/kruise-api/", ".kruise.io"},
	{"github.com/openkruise/kruise/apis/", ".kruise.io"},
}

// Groups of Kubernetes that are not the name of their Go package with the suffix.
var otherGroups = map[string]string{
	"apps": "apps", "autoscaling": "autoscaling", "batch": "batch", "extensions": "extensions", "policy": "policy",
	"rbac": "rbac.authorization.k8s.io", "flowcontrol": "flowcontrol.apiserver.k8s.io",
	"apiserverinternal": "internal.apiserver.k8s.io",
}

// identity finds apiVersion and kind of a value that does not hold them; "" when they are not known.
func identity(value any) (apiVersion, kind string) {
	if known, ok := value.(kinded); ok {
		return known.apiVersionAndKind()
	}
	goType := reflect.TypeOf(value)
	for goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	for _, known := range typePackages {
		rest, found := strings.CutPrefix(goType.PkgPath(), known.path)
		group, version, isGroup := strings.Cut(rest, "/")
		if !found || !isGroup {
			continue
		}
		other, isOther := otherGroups[group]
		switch {
		case group == "core":
			return version, goType.Name()
		case known.suffix == ".k8s.io" && isOther:
			return other + "/" + version, goType.Name()
		}
		return group + known.suffix + "/" + version, goType.Name()
	}
	return "", ""
}

// marshal gives one object as text, and whether that is certainly JSON.
func marshal(value any) (text []byte, isJSON bool, err error) {
	switch value := value.(type) {
	case nil:
		return nil, false, invalid(EINVAL, "an object is nil")
	case string:
		return []byte(value), looksLikeJSON([]byte(value)), notFileName([]byte(value))
	case []byte:
		return value, looksLikeJSON(value), notFileName(value)
	case json.RawMessage:
		return value, true, nil
	}
	text, err = json.Marshal(value)
	if err != nil {
		return nil, false, invalid(EINVAL, "an object cannot be written as JSON: %v", err)
	}
	if len(text) == 0 || text[0] != '{' {
		return nil, false, invalid(EINVAL, "%T is not an object: as JSON it is not a map", value)
	}
	return withIdentity(value, text), true, nil
}

var (
	fileName  = regexp.MustCompile(`^[^\s{\["#][^\r\n{]*$`)
	fileSign  = regexp.MustCompile(`[/\\]|\.(yaml|yml|json|jsonl)$`)
	yamlValue = regexp.MustCompile(`:(\s|$)`)
)

// notFileName refuses a text that is the name of a file instead of an object.
func notFileName(text []byte) error {
	const longest = 4096
	if text = bytes.TrimSpace(text); len(text) > longest || !fileName.Match(text) || !fileSign.Match(text) ||
		yamlValue.Match(text) {
		return nil
	}
	return invalid(EPARSE, "%q looks like the name of a file: give its contents", text)
}

func looksLikeJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{'
}

// withIdentity adds apiVersion and kind to the JSON of a value whose Go type determines them.
func withIdentity(value any, text []byte) []byte {
	var has struct{ APIVersion, Kind string }
	apiVersion, kind := identity(value)
	if kind == "" || json.Unmarshal(text, &has) != nil || has.Kind != "" {
		return text
	}
	head, _ := json.Marshal(map[string]string{"apiVersion": apiVersion, "kind": kind})
	if string(text) == "{}" {
		return head
	}
	return append(append(head[:len(head)-1], ','), text[1:]...)
}

// withoutKind adds to the error of a value of Go without apiVersion and kind how it gets them.
func withoutKind(err error, values []any) error {
	failure := (*Error)(nil)
	if !errors.As(err, &failure) || (failure.Field != "kind" && failure.Field != "apiVersion") {
		return err
	}
	for _, value := range flatten(values) {
		switch value.(type) {
		case string, []byte, json.RawMessage:
			continue
		}
		var has struct{ APIVersion, Kind string }
		if text, _, err := marshal(value); err != nil || json.Unmarshal(text, &has) != nil ||
			(has.APIVersion != "" && has.Kind != "") {
			continue
		}
		failure.Message += fmt.Sprintf("; set apiVersion and kind (TypeMeta) of %T: only types of this package, k8s.io/api, "+
			"Karmada and OpenKruise do without", value)
		break
	}
	return err
}

// flatten opens slices and arrays, but not of bytes.
func flatten(values []any) (all []any) {
	for _, value := range values {
		list := reflect.ValueOf(value)
		if _, isText := value.(json.RawMessage); isText || !list.IsValid() ||
			(list.Kind() != reflect.Slice && list.Kind() != reflect.Array) || list.Type().Elem().Kind() == reflect.Uint8 {
			all = append(all, value)
			continue
		}
		items := make([]any, list.Len())
		for i := range items {
			items[i] = list.Index(i).Interface()
		}
		all = append(all, flatten(items)...)
	}
	return all
}

// stream gives objects as one text: JSON lines, or YAML documents when one of them may be YAML.
func stream(values []any) ([]byte, error) {
	texts, allJSON := [][]byte{}, true
	for _, value := range flatten(values) {
		text, isJSON, err := marshal(value)
		if err != nil {
			return nil, err
		}
		texts, allJSON = append(texts, text), allJSON && isJSON
	}
	if allJSON {
		return bytes.Join(texts, []byte("\n")), nil
	}
	return bytes.Join(texts, []byte("\n---\n")), nil
}
