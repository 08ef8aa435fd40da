/* SPDX-License-Identifier: MIT */
/* rebalancectl: the verbs. */
#include "rebalancectl.h"

const struct verb verbs[] = {
    {"schedule", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE | OPTIONS_ALL |
         OPTIONS_RECORD | OPTIONS_MEMBER | OPTIONS_NAMESPACE,
     "where the replicas are placed",
     "Reads clusters and bindings, or workloads and the policies that select them, and shows for each binding\n"
     "what the scheduler would do now.\n",
     schedule_run},
    {"explain", "BINDING FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_BINDING |
         OPTIONS_MEMBER | OPTIONS_NAMESPACE,
     "why the replicas of a binding are placed there",
     "Shows for each cluster the result of every stage of the scheduler: why it was selected or not, its score, what\n"
     "limits it, and its replicas before and after. BINDING is the name of a binding or of its workload: NAME,\n"
     "NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME, with kinds as in kubectl (deploy/web). A binding that\n"
     "is not due is explained as if it were.\n",
     explain_run},
    {"rebalance", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE |
         OPTIONS_MEMBER,
     "what a WorkloadRebalancer would move",
     "Runs every WorkloadRebalancer of the files on the clusters and bindings of the files, schedules the bindings\n"
     "it triggers, and shows what moves.\n",
     rebalance_run},
    {"deschedule", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE |
         OPTIONS_RECORD | OPTIONS_DESCHEDULE | OPTIONS_MEMBER | OPTIONS_NAMESPACE,
     "which unschedulable replicas are removed",
     "Runs the descheduler once over the bindings of the files: shows for each cluster of a binding how many replicas\n"
     "are ready, how many are unschedulable, from which source and since when, and how many stay. Estimates are read\n"
     "from objects of kind UnschedulableReplicas, see rebalancectl(1).\n",
     deschedule_run},
    {"plan", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_PLAN |
         OPTIONS_MEMBER | OPTIONS_NAMESPACE | OPTIONS_HTML,
     "what would move, and what the limits allow",
     "Plans all bindings of the files: shows which replicas would move from which cluster to which if the bindings\n"
     "were scheduled again, how many of these moves the limits allow, and the replicas of each cluster before and\n"
     "after.\n",
     plan_run},
    {"sweep", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_COMPAT | OPTIONS_SWEEP | OPTIONS_NAMESPACE |
         OPTIONS_HTML | OPTIONS_ANSWER | OPTIONS_MEMBER,
     "what would happen if each cluster was lost",
     "Loses each cluster, zone, region or provider of the files once, and shows how many bindings would not be\n"
     "placed, how many replicas would be missing or move, and which cluster would be the fullest.\n",
     sweep_run},
    {"failover", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE |
         OPTIONS_RECORD | OPTIONS_FAILOVER | OPTIONS_NAMESPACE,
     "which workloads are evicted, which stay, and until when",
     "Runs the taint manager, application failover and graceful eviction once each, for every binding of the files,\n"
     "and shows what they do in which cluster and when they check again. Tolerations are read from the applied\n"
     "placement of a binding, its annotation policy.karmada.io/applied-placement, not from a policy in the files.\n",
     failover_run},
    {"spread", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_SPREAD | OPTIONS_HTML |
         OPTIONS_NAMESPACE,
     "which subset each pod is in, and its deletion cost",
     "Runs the controller of each WorkloadSpread of the files once over the pods of its workload: shows for each pod\n"
     "its subset, its deletion cost, the reason, and its patch, and for each subset how many pods are wanted, active\n"
     "and missing. --create, --scale and --rollout show what happens next, step by step.\n",
     spread_run},
    {"simulate", "SCENARIO", 1, OPTIONS_INPUT | OPTIONS_OUTPUT | OPTIONS_COMPAT | OPTIONS_SIMULATE | OPTIONS_HTML,
     "run a scenario on a virtual clock",
     "Runs a scenario (rebalance-scenario(5)) and prints what happened, when, and why.\n", simulate_run},
    {"replay", "[FILE...]", 0, OPTIONS_INPUT | OPTIONS_OUTPUT, "whether recorded calls still have the same results",
     "Replays the calls of records (rebalance-record(5), schedule --record) and shows where results differ.\n",
     replay_run},
    {"validate", "[FILE...]", 0, OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_VALIDATE,
     "what is wrong with objects",
     "Checks objects of Karmada and OpenKruise against their schemas and the rules of admission, and warns of "
     "pitfalls.\n"
     "Each finding is a line FILE:LINE:COLUMN: error|warning: PATH: MESSAGE [CODE]; rebal_manifest_validate(3)\n"
     "lists the codes.\n",
     validate_run},
    {"fmt", "[FILE...]", 0, OPTIONS_INPUT | OPTIONS_FMT, "files in canonical form",
     "Prints the files as one stream with members in the order of the API; values keep their notation.\n", fmt_run},
    {"help", "[VERB]", 1, OPTIONS_HELP, "what the tool or a verb does, and its options",
     "Prints the help of the tool or of a verb, like --help.\n", help_run},
};
const size_t n_verbs = sizeof verbs / sizeof verbs[0];

static enum status answer(const struct options *options, struct output *out) {
  enum status status;
  if (options->is_help_requested) {
    help_write(options->verb, out);
    return STATUS_DONE;
  }
  if (options->is_version_requested) {
    put(out, "rebalancectl ");
    put(out, rebal_version());
    put(out, "\n");
    return STATUS_DONE;
  }
  progress_start();
  progress("%s", options->verb->name);
  status = options->verb->run(options, out);
  progress_stop();
  return status;
}

int main(int argc, char **argv) {
  struct options options;
  struct output out;
  enum status status = options_parse(&options, argc, argv);
  if (status == STATUS_DONE) {
    status = output_open(&out);
    if (status == STATUS_DONE) {
      status = answer(&options, &out);
      if (status == STATUS_DONE || status == STATUS_CANNOT) {
        status = output_finish(&out, status);
      }
      output_close(&out);
    }
  }
  options_dispose(&options);
  return (int)status;
}
