/* SPDX-License-Identifier: MIT */
#include "manifest/store/requests.h"
#include "stores.h"

#define BINDING "work.karmada.io/v1alpha2", "ResourceBinding", "x", "b"
#define MANAGER "?fieldManager=my%20manager"
#define PATH "/apis/work.karmada.io/v1alpha2/namespaces/x/resourcebindings"

static const struct {
  int64_t kind;
  const char *api_version, *object_kind, *namespace_, *name;
  uint32_t payload;
  uint32_t format;
  const char *method, *path, *content_type;
} rows[] = {
    {REBAL_ACTION_KIND_READ, BINDING, 0, REBAL_TEXT_FORMAT_JSON, "GET", PATH "/b", ""},
    {REBAL_ACTION_KIND_LIST, BINDING, 0, REBAL_TEXT_FORMAT_JSON, "GET", PATH, ""},
    {REBAL_ACTION_KIND_PATCH_SPEC, BINDING, REBAL_OBJECT_BINDING_SPEC, REBAL_TEXT_FORMAT_JSON, "PATCH",
     PATH "/b" MANAGER, "application/merge-patch+json"},
    {REBAL_ACTION_KIND_PATCH_STATUS, BINDING, REBAL_OBJECT_BINDING_STATUS, REBAL_TEXT_FORMAT_JSON_PATCH, "PATCH",
     PATH "/b/status" MANAGER, "application/json-patch+json"},
    {REBAL_ACTION_KIND_PATCH_METADATA, BINDING, REBAL_OBJECT_PLACEMENT, REBAL_TEXT_FORMAT_JSON_PRETTY, "PATCH",
     PATH "/b" MANAGER, "application/merge-patch+json"},
    {REBAL_ACTION_KIND_PATCH_METADATA, "v1", "Pod", "x", "p", REBAL_OBJECT_POD_PATCH, REBAL_TEXT_FORMAT_JSON, "PATCH",
     "/api/v1/namespaces/x/pods/p" MANAGER, "application/strategic-merge-patch+json"},
    {REBAL_ACTION_KIND_PATCH_METADATA, "v1", "Pod", "x", "p", REBAL_OBJECT_POD_PATCH, REBAL_TEXT_FORMAT_JSON_PATCH,
     "PATCH", "/api/v1/namespaces/x/pods/p" MANAGER, "application/json-patch+json"},
    {REBAL_ACTION_KIND_CREATE, BINDING, REBAL_OBJECT_BINDING, REBAL_TEXT_FORMAT_JSON, "POST", PATH MANAGER,
     "application/json"},
    {REBAL_ACTION_KIND_CREATE, BINDING, REBAL_OBJECT_BINDING, REBAL_TEXT_FORMAT_YAML, "POST", PATH MANAGER,
     "application/yaml"},
    {REBAL_ACTION_KIND_DELETE, BINDING, 0, REBAL_TEXT_FORMAT_JSON, "DELETE", PATH "/b", "application/json"},
    {REBAL_ACTION_KIND_EVICT, "v1", "Pod", "x", "p", 0, REBAL_TEXT_FORMAT_JSON, "POST",
     "/api/v1/namespaces/x/pods/p/eviction" MANAGER, "application/json"},
    {REBAL_ACTION_KIND_EVENT, BINDING, REBAL_OBJECT_EVENT, REBAL_TEXT_FORMAT_JSON, "POST",
     "/api/v1/namespaces/x/events" MANAGER, "application/json"},
    {REBAL_ACTION_KIND_EVENT, "cluster.karmada.io/v1alpha1", "Cluster", "", "m", REBAL_OBJECT_EVENT,
     REBAL_TEXT_FORMAT_JSON, "POST", "/api/v1/namespaces/default/events" MANAGER, "application/json"},
    {REBAL_ACTION_KIND_WAKE, BINDING, 0, REBAL_TEXT_FORMAT_JSON, "", "", ""},
};

START_TEST(test_requests_of_actions) {
  const rebal_render_opts opts = {sizeof opts, rows[_i].format, "my manager", 10};
  struct rebali_action_row action = {.kind = rows[_i].kind, .uid = "", .resource_version = ""};
  struct rebali_buffer out = REBALI_BUFFER;
  rebal_request request = {.struct_size = sizeof request};
  action.api_version = rows[_i].api_version;
  action.object_kind = rows[_i].object_kind;
  action.namespace_ = rows[_i].namespace_;
  action.name = rows[_i].name;
  action.payload_object = rows[_i].payload;
  rebali_buffer_text(&out, "");
  ck_assert_int_eq(rebali_action_request(NULL, &action, &opts, &out, &request, NULL), REBAL_OK);
  ck_assert_str_eq(request.method, rows[_i].method);
  ck_assert_str_eq(out.bytes, rows[_i].path);
  ck_assert_str_eq(request.content_type, rows[_i].content_type);
  rebali_buffer_dispose(&out);
}
END_TEST

UNIT_CASE(request) {
  TCase *cases = tcase_create("request");
  tcase_add_loop_test(cases, test_requests_of_actions, 0, (int)COUNT(rows));
  return cases;
}
