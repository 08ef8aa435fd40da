/* SPDX-License-Identifier: MIT */
/* rebalancectl: the verbs. */
#include "rebalancectl.h"

const struct verb verbs[] = {
    {"schedule", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE | OPTIONS_ALL |
         OPTIONS_RECORD | OPTIONS_MEMBER | OPTIONS_NAMESPACE,
     "where the replicas go",
     "Reads clusters and bindings, or workloads and the policies that select them, and says for each binding\n"
     "what the scheduler would do now.\n",
     schedule_run},
    {"explain", "BINDING FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_BINDING |
         OPTIONS_MEMBER | OPTIONS_NAMESPACE,
     "why the replicas of a binding go there",
     "Says for each cluster what every stage of the scheduler found: why it was chosen or not, how it scored, what\n"
     "limits it, and its replicas before and after. BINDING is the name of a binding or of its workload: NAME,\n"
     "NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME, kinds as kubectl takes them (deploy/web). A binding that\n"
     "is not due is explained as if it were.\n",
     explain_run},
    {"rebalance", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE |
         OPTIONS_MEMBER,
     "what a WorkloadRebalancer would move",
     "Carries out every WorkloadRebalancer of the files on the clusters and bindings of the files, schedules what\n"
     "it triggers, and says what moves.\n",
     rebalance_run},
    {"deschedule", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE |
         OPTIONS_RECORD | OPTIONS_DESCHEDULE | OPTIONS_MEMBER | OPTIONS_NAMESPACE,
     "which replicas that cannot be scheduled leave",
     "Runs the descheduler once over the bindings of the files: says for each cluster of a binding how many replicas\n"
     "are ready, how many cannot be scheduled, by whose word and since when, and how many stay. What estimators say\n"
     "comes from objects of kind UnschedulableReplicas, see rebalancectl(1).\n",
     deschedule_run},
    {"plan", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_PLAN |
         OPTIONS_MEMBER | OPTIONS_NAMESPACE | OPTIONS_HTML,
     "what would move, and what limits allow",
     "Plans all bindings of the files: says which replicas would move from which cluster to which if the bindings\n"
     "were scheduled again, how many of these moves limits allow, and what clusters hold before and after.\n",
     plan_run},
    {"sweep", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_COMPAT | OPTIONS_SWEEP | OPTIONS_NAMESPACE |
         OPTIONS_HTML | OPTIONS_ANSWER | OPTIONS_MEMBER,
     "what would follow if each cluster was lost",
     "Loses each cluster, zone, region or provider of the files once, and says how many bindings would have no\n"
     "place, how many replicas would be missing or move, and which cluster would be the fullest.\n",
     sweep_run},
    {"failover", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_WRITE |
         OPTIONS_RECORD | OPTIONS_FAILOVER | OPTIONS_NAMESPACE,
     "which workloads are evicted, which stay, until when",
     "Gives the taint manager, the failover of applications and the graceful eviction a turn each, for every binding\n"
     "of the files, and says what they do in which cluster and when they look again. Tolerations come from the "
     "applied\n"
     "placement of a binding, its annotation policy.karmada.io/applied-placement, not from a policy in the files.\n",
     failover_run},
    {"spread", "FILE...", 0,
     OPTIONS_INPUT | OPTIONS_OUTPUT | OPTIONS_ANSWER | OPTIONS_COMPAT | OPTIONS_SPREAD | OPTIONS_HTML |
         OPTIONS_NAMESPACE,
     "which subset each pod is in, and what it costs",
     "Gives the controller of each WorkloadSpread of the files a pass over the pods of its workload: says for each "
     "pod\n"
     "its subset, what it costs to delete it, why, and what is written to it, and for each subset how many pods are\n"
     "wanted, active and missing. --create, --scale and --rollout show what happens then, step by step.\n",
     spread_run},
    {"simulate", "SCENARIO", 1, OPTIONS_INPUT | OPTIONS_OUTPUT | OPTIONS_COMPAT | OPTIONS_SIMULATE | OPTIONS_HTML,
     "run a scenario on a virtual clock",
     "Runs a scenario (rebalance-scenario(5)) and prints what happened, when, and why.\n", simulate_run},
    {"replay", "[FILE...]", 0, OPTIONS_INPUT | OPTIONS_OUTPUT, "whether recorded calls still answer the same",
     "Makes the calls of records again (rebalance-record(5), schedule --record) and says where answers differ.\n",
     replay_run},
    {"validate", "[FILE...]", 0, OPTIONS_INPUT | OPTIONS_DETECTOR | OPTIONS_OUTPUT | OPTIONS_VALIDATE,
     "what is wrong with objects",
     "Examines objects of Karmada and OpenKruise member by member and by the rules of admission, and warns of what\n"
     "surprises.\n"
     "Each finding is a line FILE:LINE:COLUMN: error|warning: PATH: MESSAGE [CODE]; rebal_manifest_validate(3) tells\n"
     "of the codes.\n",
     validate_run},
    {"fmt", "[FILE...]", 0, OPTIONS_INPUT | OPTIONS_FMT, "files in canonical form",
     "Prints the files as one stream with members in the order of the API; values stay as they are written.\n",
     fmt_run},
    {"help", "[VERB]", 1, OPTIONS_HELP, "what the tool or a verb does, and its options",
     "Prints what --help prints, of the tool or of a verb.\n", help_run},
};
const size_t n_verbs = sizeof verbs / sizeof verbs[0];

static enum status answer(const struct options *options, struct output *out) {
  enum status status;
  if (options->wants_help) {
    help_write(options->verb, out);
    return STATUS_DONE;
  }
  if (options->wants_version) {
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
