/* SPDX-License-Identifier: MIT */
/* Uses all three libraries, and what they use. */
#include <rebalance/document.h>
#include <rebalance/simulation.h>

#include <stdio.h>

int main(void) {
  rebal_simulation *simulation = NULL;
  rebal_document *document = NULL;
  int is_done = rebal_simulation_new(NULL, &simulation, NULL) == REBAL_OK &&
                rebal_document_read("kind: [Cluster]", REBAL_TERMINATED, NULL, &document, NULL) == REBAL_OK &&
                rebal_document_value(document, "") != NULL && puts(rebal_version()) >= 0;
  rebal_document_free(document);
  rebal_simulation_free(simulation);
  return is_done ? 0 : 1;
}
