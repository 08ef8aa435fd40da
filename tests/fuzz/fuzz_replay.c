/* SPDX-License-Identifier: MIT */
/* Any line as a record: it is refused, or the call is made and gives the same answer twice. */
#include <rebalance/manifest.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what) {
  (void)fprintf(stderr, "%s\n", what);
  abort();
}

static int32_t replay(const char *line, size_t len, int32_t *same, rebal_text *replayed) {
  const rebal_manifest_limits limits = {sizeof limits, 0, 65536, 20000, 0};
  rebal_text *differences = NULL;
  int32_t code = rebal_text_new(&differences, NULL);

  if (code == REBAL_OK) {
    code = rebal_manifest_replay_call(line, len, &limits, same, NULL, replayed, differences, NULL);
  }
  if (code == REBAL_OK && (*same == 1) != (rebal_text_bytes(differences, NULL)[0] == '\0')) {
    fail("a verdict without a difference, or a difference without a verdict");
  }
  rebal_text_free(differences);
  return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *line = size > 0 ? (const char *)data : "";
  int32_t same[2] = {-1, -1};
  rebal_text *replayed[2] = {NULL, NULL};
  int32_t codes[2];

  for (size_t i = 0; i < 2; i++) {
    if (rebal_text_new(&replayed[i], NULL) != REBAL_OK) {
      fail("no memory");
    }
    codes[i] = replay(line, size, &same[i], replayed[i]);
  }
  if (codes[0] != codes[1] || same[0] != same[1] ||
      strcmp(rebal_text_bytes(replayed[0], NULL), rebal_text_bytes(replayed[1], NULL)) != 0) {
    fail("another answer the second time");
  }
  rebal_text_free(replayed[0]);
  rebal_text_free(replayed[1]);
  return 0;
}
