/* SPDX-License-Identifier: MIT */
/* The options that all controllers have. */
#include "client.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const struct option table[] = {
    {"kubeconfig", required_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

bool options_read(struct client_options *options, int argc, char **argv) {
  for (int found; (found = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (found == 'k') {
      options->kubeconfig = optarg;
    } else {
      (void)fprintf(found == 'h' ? stdout : stderr,
                    "%s [--kubeconfig FILE]\n"
                    "  --kubeconfig FILE  the API server, and as whom; without it the account of the pod\n",
                    options->name);
      options->exit_status = found == 'h' ? EXIT_SUCCESS : EXIT_FAILURE;
      return false;
    }
  }
  options->exit_status = EXIT_FAILURE;
  if (optind < argc) {
    (void)fprintf(stderr, "%s: %s is no option\n", options->name, argv[optind]);
  }
  return optind == argc;
}
