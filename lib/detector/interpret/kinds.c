/* SPDX-License-Identifier: MIT */
/* Which kinds are interpreted, and by which rules (kinds.def). */
#include "detector/interpret/interpret.h"

#include <string.h>

json_t *rebali_none(struct rebali_interpreting *in, const json_t *object) {
  (void)object;
  rebali_interpreting_fail(in, REBAL_EUNSUPPORTED, "%s does not answer this operation", in->kind->kind);
  return NULL;
}

json_t *rebali_unspecified(struct rebali_interpreting *in, const json_t *object) {
  (void)object;
  rebali_interpreting_fail(in, REBAL_EUNSUPPORTED, "how Karmada performs this operation for %s %s is not known",
                           in->kind->api_version, in->kind->kind);
  return NULL;
}

static const struct rebali_interpreted kinds[] = {
#define NATIVE(api_version, kind, type, status_type, replicas_path, pod_path, replicas, revise, health, aggregate,     \
               status, dependencies, is_retained)                                                                      \
  {api_version,           kind,        REBALI_TYPE_##type,       replicas_path,   pod_path,           is_retained,     \
   rebali_##replicas,     rebali_none, rebali_##revise,          rebali_##health, rebali_##aggregate, rebali_##status, \
   rebali_##dependencies, NULL,        REBALI_TYPE_##status_type},
#define LUA(api_version, kind, replicas_path, pod_path, replicas, components, revise, health, words, aggregate, \
            dependencies, is_retained)                                                                          \
  {api_version,                                                                                                 \
   kind,                                                                                                        \
   REBALI_TYPE_NONE,                                                                                            \
   replicas_path,                                                                                               \
   pod_path,                                                                                                    \
   is_retained,                                                                                                 \
   rebali_##replicas,                                                                                           \
   rebali_##components,                                                                                         \
   rebali_##revise,                                                                                             \
   rebali_##health,                                                                                             \
   rebali_##aggregate,                                                                                          \
   rebali_unspecified,                                                                                          \
   rebali_##dependencies,                                                                                       \
   words,                                                                                                       \
   REBALI_TYPE_NONE},
#include "detector/interpret/kinds.def"
#undef NATIVE
#undef LUA
};

const struct rebali_interpreted *rebali_interpreted_of(const json_t *object) {
  const char *api_version = rebali_member_text(object, "apiVersion"), *kind = rebali_member_text(object, "kind");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].kind, kind) == 0 && strcmp(kinds[i].api_version, api_version) == 0) {
      return &kinds[i];
    }
  }
  return NULL;
}
