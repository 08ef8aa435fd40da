/* SPDX-License-Identifier: MIT */
/* The command line: flags that all controllers have, and those of the program. */
#include "client.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FLAGS 32 /* of all controllers 8 at most */
#define HELP MAX_FLAGS

static bool is_lease_name(const char *value) {
  const char *slash = strchr(value, '/');
  return slash != NULL && slash != value && slash[1] != '\0' && strchr(slash + 1, '/') == NULL;
}

/* A number without sign from least on that ends where the text does. */
static bool read_number(const char *text, double least, double most, double *out) {
  char *end;
  errno = 0;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && errno == 0 && *out >= least && *out <= most;
}

static bool take(const struct flag *flag, const char *value) {
  double number;
  switch (flag->kind) {
    case FLAG_SWITCH:
      *(bool *)flag->target = true;
      return true;
    case FLAG_TEXT:
      *(const char **)flag->target = value;
      return true;
    case FLAG_LEASE:
      *(const char **)flag->target = value;
      return is_lease_name(value);
    case FLAG_NUMBER:
      if (!read_number(value, 0, 1000000, &number) || number != floor(number)) {
        return false;
      }
      *(int64_t *)flag->target = (int64_t)number;
      return true;
    case FLAG_SECONDS:
      if (!read_number(value, 0, 1000000, &number)) {
        return false;
      }
      *(int64_t *)flag->target = (int64_t)(number * 1000000000);
      return true;
  }
  return false;
}

static void print_help(FILE *out, const char *program, const struct flag *flags, size_t n) {
  (void)fprintf(out, "%s [OPTION]...\n", program);
  for (size_t i = 0; i < n; i++) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s%s", flags[i].name, flags[i].value[0] != '\0' ? " " : "", flags[i].value);
    (void)fprintf(out, "  --%-32s %s\n", name, flags[i].help);
  }
}

/* false: the program ends, with exit_status. */
static bool parse(struct client_options *options, const struct flag *flags, size_t n, int argc, char **argv) {
  struct option table[MAX_FLAGS + 2] = {{NULL, 0, NULL, 0}};
  options->exit_status = EXIT_FAILURE;
  for (size_t i = 0; i < n; i++) {
    const int has_value = flags[i].value[0] != '\0' ? required_argument : no_argument;
    table[i] = (struct option){flags[i].name, has_value, NULL, (int)i};
  }
  table[n] = (struct option){"help", no_argument, NULL, HELP};
  for (int found; (found = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (found < 0 || (size_t)found >= n) {
      print_help(found == HELP ? stdout : stderr, options->name, flags, n);
      options->exit_status = found == HELP ? EXIT_SUCCESS : EXIT_FAILURE;
      return false;
    }
    if (!take(&flags[found], optarg)) {
      (void)fprintf(stderr, "%s: --%s %s: expected %s\n", options->name, flags[found].name, optarg, flags[found].value);
      return false;
    }
  }
  if (optind < argc) {
    (void)fprintf(stderr, "%s: unexpected argument \"%s\"\n", options->name, argv[optind]);
  }
  return optind == argc;
}

bool options_read(struct client_options *options, const struct flag *own, size_t n, int argc, char **argv) {
  const struct flag common[] = {
      {"kubeconfig", "FILE", "how to reach the API server; default: the service account of the pod", FLAG_TEXT,
       &options->kubeconfig},
      {"lease", "NAMESPACE/NAME", "work only while holding this Lease", FLAG_LEASE, &options->lease},
      {"lease-duration", "SECONDS", "another copy takes the Lease when its holder is silent so long; default: 15",
       FLAG_SECONDS, &options->lease_duration_ns},
      {"serve", "ADDRESS:PORT", "serve /healthz, /readyz and /metrics there; default: nowhere", FLAG_TEXT,
       &options->serve}};
  const size_t n_common = sizeof common / sizeof common[0];
  struct flag flags[MAX_FLAGS];
  options->lease_duration_ns = INT64_C(15) * 1000000000;
  memcpy(flags, common, sizeof common);
  if (n > 0) {
    memcpy(flags + n_common, own, n * sizeof *own);
  }
  return parse(options, flags, n_common + n, argc, argv);
}
