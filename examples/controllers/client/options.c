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

/* A number, or a percentage. */
static bool read_amount(const char *text, struct amount *out) {
  const size_t len = strspn(text, "0123456789");
  char digits[8] = "";
  double number;
  out->is_percent = text[len] == '%';
  out->is_given = len > 0 && len < sizeof digits && text[len + (size_t)out->is_percent] == '\0';
  if (!out->is_given) {
    return false;
  }
  memcpy(digits, text, len);
  out->is_given = read_number(digits, 0, 1000000, &number);
  out->number = out->is_given ? (int64_t)number : 0;
  return out->is_given;
}

static bool take_text(struct texts *texts, const char *value) {
  if (texts->n == sizeof texts->list / sizeof texts->list[0] || value[0] == '\0') {
    return false;
  }
  texts->list[texts->n++] = value;
  return true;
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
    case FLAG_TEXTS:
      return take_text(flag->target, value);
    case FLAG_AMOUNT:
      return read_amount(value, flag->target);
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

/* ---- as one would give them -------------------------------------------------------------------------------------- */

static int32_t write_flag(const struct flag *flag, rebal_text *out) {
  const struct texts *texts = flag->target;
  const struct amount *amount = flag->target;
  int32_t code = REBAL_OK;
  switch (flag->kind) {
    case FLAG_SWITCH:
      return *(const bool *)flag->target ? append_format(out, "--%s ", flag->name) : REBAL_OK;
    case FLAG_TEXT:
    case FLAG_LEASE:
      return *(const char **)flag->target != NULL
                 ? append_format(out, "--%s %s ", flag->name, *(const char **)flag->target)
                 : REBAL_OK;
    case FLAG_NUMBER:
      return *(const int64_t *)flag->target >= 0
                 ? append_format(out, "--%s %lld ", flag->name, (long long)*(const int64_t *)flag->target)
                 : REBAL_OK;
    case FLAG_SECONDS:
      return append_format(out, "--%s %g ", flag->name, (double)*(const int64_t *)flag->target / 1e9);
    case FLAG_TEXTS:
      for (size_t i = 0; code == REBAL_OK && i < texts->n; i++) {
        code = append_format(out, "--%s %s ", flag->name, texts->list[i]);
      }
      return code;
    case FLAG_AMOUNT:
      return amount->is_given ? append_format(out, "--%s %lld%s ", flag->name, (long long)amount->number,
                                              amount->is_percent ? "%" : "")
                              : REBAL_OK;
  }
  return code;
}

int32_t options_write(const struct flag *flags, size_t n, rebal_text *out) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = write_flag(&flags[i], out);
  }
  return code;
}
