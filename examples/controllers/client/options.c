/* SPDX-License-Identifier: MIT */
/* The options that all controllers have. */
#include "client.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option table[] = {{"kubeconfig", required_argument, NULL, 'k'},
                                      {"lease", required_argument, NULL, 'l'},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

static bool apply(struct client_options *options, int found, const char *value) {
  const char *slash = strchr(value, '/');
  if (found == 'k') {
    options->kubeconfig = value;
    return true;
  }
  options->lease = value;
  if (slash == NULL || slash == value || slash[1] == '\0' || strchr(slash + 1, '/') != NULL) {
    (void)fprintf(stderr, "%s: --lease %s: expected NAMESPACE/NAME\n", options->name, value);
    return false;
  }
  return true;
}

bool options_read(struct client_options *options, int argc, char **argv) {
  for (int found; (found = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (found == 'k' || found == 'l') {
      if (!apply(options, found, optarg)) {
        options->exit_status = EXIT_FAILURE;
        return false;
      }
    } else {
      (void)fprintf(found == 'h' ? stdout : stderr,
                    "%s [--kubeconfig FILE] [--lease NAMESPACE/NAME]\n"
                    "  --kubeconfig FILE       how to reach the API server; default: the service account of the pod\n"
                    "  --lease NAMESPACE/NAME  run only while holding this Lease\n",
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
