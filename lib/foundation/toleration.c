/* SPDX-License-Identifier: MIT */
/* Taints and tolerations; rebalance-karmada(7) 3.3. */
#include "foundation/foundation.h"

static const struct {
  const char *text;
  enum rebali_effect effect;
} EFFECTS[] = {
    {"", REBALI_EFFECT_NONE},
    {"NoSchedule", REBALI_EFFECT_NO_SCHEDULE},
    {"PreferNoSchedule", REBALI_EFFECT_PREFER_NO_SCHEDULE},
    {"NoExecute", REBALI_EFFECT_NO_EXECUTE},
};

enum rebali_effect rebali_effect_parse(struct rebali_text text) {
  size_t i;

  for (i = 0; i < REBALI_COUNT(EFFECTS); i++) {
    if (rebali_text_equal(text, rebali_text(EFFECTS[i].text, strlen(EFFECTS[i].text)))) {
      return EFFECTS[i].effect;
    }
  }
  return REBALI_EFFECT_OTHER;
}

static int is_empty_or_equal(struct rebali_text wanted, struct rebali_text found) {
  return wanted.len == 0 || rebali_text_equal(wanted, found);
}

int rebali_tolerates(const struct rebali_toleration *toleration, const struct rebali_taint *taint) {
  if (!is_empty_or_equal(toleration->effect, taint->effect) || !is_empty_or_equal(toleration->key, taint->key)) {
    return 0;
  }
  if (is_empty_or_equal(toleration->operation, REBALI_TEXT("Equal"))) {
    return rebali_text_equal(toleration->value, taint->value);
  }
  return rebali_text_equal(toleration->operation, REBALI_TEXT("Exists"));
}
