# SPDX-License-Identifier: MIT
# Made by generate.py from include/rebalance/enums.def.
"""Enumerations of texts, stores and simulations, options and codes."""
import enum

from ..named import Named


class ValueKind(Named):
    """Types of values."""
    NONE = 0  #: nothing, or null
    MAP = 1
    LIST = 2
    TEXT = 3
    NUMBER = 4
    BOOLEAN = 5


class TextFormat(Named):
    """Notation of a written text."""
    JSON = 1  #: compact, one line
    JSON_PRETTY = 2  #: indented by two
    YAML = 3  #: block style
    JSON_PATCH = 4  #: actions only: RFC 6902


class RewriteFlag(enum.IntFlag):
    """Flags of rebal_rewrite_opts."""
    CANONICAL = 1  #: the canonical form: members in the order of the API


class Identity(Named):
    """Parts of an object's identity."""
    API_VERSION = 1  #: apiVersion
    KIND = 2  #: kind
    NAMESPACE = 3  #: metadata.namespace; empty for objects of a cluster
    NAME = 4  #: metadata.name


class Severity(Named):
    """Severity of a finding."""
    ERROR = 1  #: the object is refused
    WARNING = 2  #: the object is accepted, but does not do what it seems to


class Cause(Named):
    """Cause of a finding as the API server names it (field.ErrorType)."""
    NONE = 0  #: not a finding of admission
    REQUIRED = 1
    INVALID = 2
    UNSUPPORTED = 3
    FORBIDDEN = 4
    INTERNAL = 5


class Patch(Named):
    """Notation of a patch."""
    STRATEGIC = 1  #: strategic merge patch, of a Pod
    MERGE = 2  #: JSON merge patch, RFC 7396
    JSON = 3  #: JSON patch, RFC 6902


class Call(Named):
    """Calls that can be recorded."""
    NONE = 0
    DECIDE = 1
    FILTER = 2
    SCHEDULE = 3
    SCHEDULER_STEP = 4
    ESTIMATE = 5
    ESTIMATE_SETS = 6
    DESCHEDULE_STEP = 7
    TAINT_EVICTION_STEP = 8
    GRACEFUL_EVICTION_STEP = 9
    APPLICATION_FAILOVER_STEP = 10


class DetectorGate(Named):
    """Feature gates of Karmada that change the answers of this header."""
    POLICY_PREEMPTION = 0  #: default: off
    PRIORITY_SCHEDULING = 1  #: default: on
    MULTIPLE_POD_TEMPLATES = 2  #: default: off
    WORKLOAD_AFFINITY = 3  #: default: off
    RESOURCE_QUOTA_ESTIMATE = 4  #: default: off
    PROPAGATE_DEPS = 5  #: default: on


class Interpret(Named):
    """The operations of Karmada's resource interpreter; the text is the reference's name."""
    REPLICAS = 0  #: replicas and what one of them needs
    COMPONENTS = 1  #: the same for each of several pod templates
    REVISE = 2  #: the object with another number of replicas
    RETAIN = 3  #: only listed: members that a member cluster's object keeps
    AGGREGATE = 4  #: the object with the status of all clusters
    STATUS = 5  #: what is collected of the status in a cluster
    HEALTH = 6  #: is it healthy?
    DEPENDENCIES = 7  #: objects that its pods need


class DetectorOutcome(Named):
    """Outcome of a pass over a template, or of an event of a policy."""
    API = 1  #: not considered: its API is skipped
    NAMESPACE = 2  #: not considered: its namespace is skipped
    CLAIMED_BY = 3  #: another template takes care of it
    CREATED = 4  #: the binding was created
    UPDATED = 5  #: the binding was written
    UNCHANGED = 6  #: the binding is as it should be
    LAZY = 7  #: the binding waits for a change of the template by its user
    CLEANED = 8  #: the claim of a policy that is gone was removed
    DELETING = 9  #: the policy that claims it is being deleted
    UNMATCHED = 10  #: the policy that claims it does not select it
    WAITING = 11  #: no policy selects it; it is in the waiting list
    WAITING_OVERRIDES = 12  #: an override that the policy depends on is missing
    ERROR = 13  #: see the message
    DONE = 14  #: carried out; of rebal_detector_look(): it gets a binding


class Precision(Named):
    """How precisely a selector of a policy matches a template."""
    NONE = 0  #: it does not select it
    ALL = 1  #: kind and namespace
    LABELS = 2  #: labels too
    NAME = 3  #: the name


class DetectorFlag(enum.IntFlag):
    """Flags of rebal_detector_opts."""
    ADMISSION = 1  #: policies are read as admission would have stored them: with ids and defaults


class DetectorPass(enum.IntFlag):
    """Flags of a pass."""
    BY_KARMADA = 1  #: the template was queued for another reason than a change by its user


class DetectorList(Named):
    """Lists of a detector."""
    QUEUE = 0  #: templates to be examined again, in order, some twice
    POLICIES = 1  #: policies to be reconciled, in order
    WAITING = 2  #: templates that no policy selects
    LEFT = 3  #: templates whose bindings rebal_detector_derive() leaves as they are


class DetectorNote(enum.IntFlag):
    """Flags of rebal_detector_row."""
    NO_REPLICAS = 1  #: rebal_detector_look(): the policy divides replicas, of which none are known


class DeletionRule(Named):
    """Why a pod is deleted before another one of its workload."""
    NONE = 0  #: no rule distinguishes them, or there is only one
    NUMBERED = 1  #: of a StatefulSet: its number is higher
    WITHOUT_NODE = 2  #: it has no node
    PENDING = 3  #: its phase comes first: Pending, Unknown, Running
    NOT_READY = 4  #: it is not ready
    CHEAPER = 5  #: its deletion cost is lower
    READY_LATER = 6  #: it has been ready for a shorter time
    RESTARTED = 7  #: it has restarted more often
    YOUNGER = 8  #: it is younger
    NOT_FIT = 9  #: of a CloneSet: it is not available for minReadySeconds, or its state is not Normal
    CROWDED = 10  #: its node, or its domain, has more such pods
    LOWER_UID = 11  #: the times are about equally long ago, and its uid is smaller
    OLD_REVISION = 12  #: of a CloneSet: it is the last pod of the old revision
    NOT_WANTED = 13  #: of a StatefulSet: it is the last one whose number is not wanted
    SURPLUS_INDEX = 14  #: of an indexed Job: it has no index, one beyond completions, or that of another pod


class DeletionAction(Named):
    """Action of the controller of a workload on a pod in one pass."""
    KEEP = 0  #: it stays in this pass
    DELETE = 1  #: it is deleted
    PREPARE = 2  #: a lifecycle hook holds it: its state becomes PreparingDelete
    RESTORE = 3  #: its state becomes PreparingNormal again
    CREATE = 4  #: no pod yet: one is created


class MemberReplica(Named):
    """State of one replica of a plan in a member."""
    LEAVES = 1  #: its pod goes
    LEAVES_UNKNOWN = 2  #: it leaves; which pod goes is not known
    IN_SUBSET = 3  #: it arrives, and its pod gets a subset
    NO_SUBSET = 4  #: it arrives, and no subset has capacity for its pod
    NO_SPREAD = 5  #: it arrives, and no WorkloadSpread applies to its pod
    REFUSED = 6  #: its pod is refused when it is created
    WAITS = 7  #: its pod is created after an earlier refused pod is admitted
    RUNS = 8  #: its pod exists already: the member runs more than it should
    UNKNOWN = 9  #: it arrives; the template of its pod is unknown


class SimulationFlag(enum.IntFlag):
    """Bits of rebal_simulation_opts.flags."""
    LEDGER = 1  #: the scheduler has a ledger, unless compat of the scenario sets otherwise


class LogKind(Named):
    """Kind of a row of the log."""
    STEP = 1  #: a step begins
    CHANGE = 2  #: an object changed
    EVENT = 3  #: an event was recorded
    NOTE = 4  #: a controller changed nothing, or will retry
    HELD = 5  #: an expectation held
    FAILED = 6  #: an expectation failed


class LogFormat(Named):
    """Format of the written log: REBAL_TEXT_FORMAT_JSON, REBAL_TEXT_FORMAT_JSON_PRETTY, REBAL_TEXT_FORMAT_YAML, or this
    one."""
    TABLE = 16  #: lines for people


class Option(Named):
    """Options for feature gates and known behaviour of the reference; options.def lists them (rebalance-compat(7))."""
    GATE_RESOURCE_MODELS = 1  #: gate CustomizedClusterResourceModeling: use resource models (6.3.1)
    GATE_WORKLOAD_AFFINITY = 2  #: gate WorkloadAffinity: workload affinity filters (3.7, 3.8)
    GATE_MULTIPLE_POD_TEMPLATES = 3  #: gate MultiplePodTemplatesScheduling: component sets (1.5)
    GATE_OVERCOMMIT_PROTECTION = 4  #: gate SchedulingOvercommitProtection: a ledger counts (6.6)
    GATE_STATEFUL_FAILOVER = 5  #: gate StatefulFailoverInjection: preserve label state on eviction (10.6)
    GATE_GRACEFUL_EVICTION = 6  #: gate GracefulEviction: applications may be purged gracefully (10.5)
    GATE_RESOURCE_QUOTA = 7  #: gate ResourceQuotaEstimate: ResourceQuotas limit estimates by nodes (6.5.4)
    STRICT_NIL_EMPTY = 16  #: an empty list in a placement differs from an absent one (2.3)
    INT32_WRAP = 17  #: numbers of replicas wrap at 32 bits (2.3, 6.3, 6.4, 7.6, 7.8, 12.1)
    EMPTY_WORKLOAD_PROPAGATION = 18  #: append selected clusters without replicas (7.9)
    CLUSTER_LOCALITY = 19  #: score clusters already in use higher (4)
    ESTIMATOR_ALL_OR_NOTHING = 20  #: one failed answer of an estimator drops all its answers (6.1)
    STATIC_WEIGHT_CAPACITY = 21  #: static weights give no cluster more than is available there (7.5)
    PARTIAL_PLACEMENT = 22  #: place what fits and report what is missing, instead of nothing (5.4, 7.6, 7.8)
    EMPTY_IS_HEALTHY = 23  #: an eviction is done when the scheduler chose no cluster at all (10.4)
    #: an eviction ends when its replacement is ready; a reschedule waits for nothing (2.5, 10.1, 10.4)
    STRICT_EVICTION = 24
    SPREAD_SIMULATION = 32  #: Adaptive: a subset without a node that has capacity is skipped (ws 3.9)
    SPREAD_LONG_WAIT = 33  #: rescheduleCriticalSeconds has no upper limit, holds grow with it (ws 6, 8.2)
    SPREAD_MIN_REPLICAS = 34  #: minReplicas of a subset are filled first and cost most (ws 3.6, 5)
    SPREAD_EVEN_SCALE_IN = 35  #: deletion costs take from each subset in turn (ws 5)
    SPREAD_REPLICA_SET_ORDER = 36  #: a standalone ReplicaSet shrinks from the last subset (ws 12 Q1)
    SPREAD_ALL_VERSIONS = 37  #: limits count the pods of all versions together (ws 4.3, 11)
    SPREAD_CAPPED_ROOM = 38  #: a deletion adds capacity up to the limit only (ws 12 Q4)
    SPREAD_BY_SPEC = 39  #: admission goes by the subsets of spec, not those of the status (ws 12 Q7)
    SPREAD_CLONE_SET_VERSIONS = 40  #: pods of a CloneSet have versions (ws 2.5)
    SPREAD_COST_ANY_KIND = 41  #: workloads of any kind get deletion costs (ws 5)


class Level(Named):
    """Levels of compatibility; levels.def lists them."""
    #: every option at its default: the reference's results wherever it is deterministic, does not crash, spin or wrap
    #: a machine integer, and true sums where it wraps
    DEFAULT = 1
    #: exactly the reference's results wherever it is deterministic and does not crash or spin, including sums that
    #: wrap and endless rescheduling of placements with empty lists, with its feature gates at their defaults
    KARMADA_1_19 = 2
    #: the defaults, and every repair that can neither lose nor move a replica by itself: one silent cluster does not
    #: hide the answers of an estimator for the others, a workload without a chosen cluster is not healthy, nothing is
    #: evicted before its replacement is ready, and subsets of a WorkloadSpread are filled by its spec, no further
    #: than to their limits, and emptied in reverse whatever the kind of the workload's controller
    REPAIRED = 3


class Finding(Named):
    """Codes of findings (findings.def)."""
    WRONG_TYPE = 1  #: a value of another type than the API's
    OUT_OF_RANGE = 2  #: a number that the field cannot hold, or that is refused
    MISSING_MEMBER = 3  #: a required member is missing or empty
    UNKNOWN_VALUE = 4  #: a text that is none of the values of the field
    TOO_LONG = 5  #: a text longer than the field may be
    BAD_NAME = 6  #: a name that no object can have
    BAD_LABEL = 7  #: a key or value that no label or taint can have
    DUPLICATE_OBJECT = 8  #: the same kind, namespace and name a second time
    AFFINITY_TWICE = 9  #: clusterAffinity together with clusterAffinities (1.4)
    DUPLICATE_AFFINITY_NAME = 10  #: two affinity groups of one name (1.4)
    OVERFLOW_STRATEGY = 11  #: overflowAffinities without Aggregated or dynamic weights (1.4)
    OVERFLOW_FROM_NOTHING = 12  #: overflowAffinities of a group whose own affinity is empty (1.4)
    FIELD_SELECTOR = 13  #: a field selector with another key or operator than admission takes (1.4)
    GROUPS_ORDER = 14  #: maxGroups below minGroups (1.4)
    DUPLICATE_SPREAD_FIELD = 15  #: two spread constraints by one field (1.4)
    CLUSTER_CONSTRAINT = 16  #: constraints by field, none of them by cluster (1.4)
    SPREAD_TWICE = 17  #: spreadByField together with spreadByLabel (1.4)
    DUPLICATE_TAINT = 18  #: two taints of one key and effect
    RESOURCE_MODELS = 19  #: resource models that leave gaps, overlap or name other resources (6.3.1)
    BAD_ENDPOINT = 20  #: an address that no cluster can have
    PREEMPTION_NAME = 21  #: preemption Always by a selector without a name
    SUSPENSION_TWICE = 22  #: dispatching is suspended everywhere and for single clusters
    GRACE_PERIOD = 23  #: a grace period below 1, or of a purge mode that has none
    SPREAD_TARGET = 24  #: a targetRef that is missing, incomplete, not allowed or changed (ws 8.2)
    SPREAD_SUBSET = 25  #: no subsets, or one with no name of its own (ws 8.2, 13.7)
    NODE_TERM = 26  #: a node selector term that is refused (ws 8.3)
    SPREAD_TOLERATION = 27  #: a toleration that is refused (ws 8.4)
    MAX_REPLICAS = 28  #: a maxReplicas that is refused, by itself or beside the others (ws 8.2)
    SPREAD_STRATEGY = 29  #: a scheduleStrategy that is refused (ws 8.2, 13.7)
    TARGET_FILTER = 30  #: a targetFilter whose selector cannot be read (ws 8.2)
    SPREAD_CONFLICT = 31  #: two WorkloadSpreads of one workload (ws 8.2)
    IMMUTABLE_FIELD = 32  #: a field that an update changes and may not (ws 8.2, 13.7)
    PATCH_UNMERGEABLE = 33  #: a patch that cannot be merged into the pods of the workload (ws 8.2)
    UNITED_REPLICAS = 34  #: replicas of a UnitedDeployment's subsets that are refused (ws 13.7)
    METADATA_UPDATE = 35  #: an update without the version it is of, or of an older generation (ws 8.2)
    PATCH_REFUSED = 36  #: a patch that makes pods of the workload which admission refuses (ws 8.2)
    UNKNOWN_MEMBER = 64  #: the API has no such member; it is dropped or refused
    UNKNOWN_VERSION = 65  #: a version of the kind of which nothing is known here, or in which no object is selected
    SPREAD_IGNORED = 66  #: static weights ignore the limits of spread constraints (12.2 row 1)
    EMPTY_WEIGHTS = 67  #: an empty weightPreference: equal weights, within constraints (12.2 row 2)
    SPREAD_UNLIMITED = 68  #: constraints by zone or provider never limit the groups (12.2 row 3)
    SPREAD_UNSUPPORTED = 69  #: only constraints by cluster and region select (5.3)
    MAX_GROUPS_UNSET = 70  #: without maxGroups a constraint selects nothing (12.1)
    #: a selector that is invalid, under NotIn too, or that no object can match (12.2 row 27, 14.2)
    MATCHES_NOTHING = 71
    TOLERATES_ALL = 72  #: an empty toleration takes every taint without a value (12.2 row 20)
    TOLERATES_NOTHING = 73  #: an operator or effect with which a toleration takes no taint (3.3)
    DUPLICATE_WEIGHT = 74  #: a cluster named in two static weights has the larger one (7.5)
    WEIGHTS_UNUSED = 75  #: weights that the strategy does not read (7.2)
    EMPTY_AFFINITIES = 76  #: an empty list of affinity groups (2.6)
    NEVER_EQUAL = 77  #: an empty list spelled out in a placement reschedules for ever (2.3)
    DUPLICATE_TARGET = 78  #: a cluster twice in the result (12.1)
    NO_PLACEMENT = 79  #: a binding without placement is never scheduled (2.2)
    NOT_MANAGED = 80  #: a binding without permanent-id label is not handled (2.1)
    APPLIED_UNREADABLE = 81  #: an unreadable applied placement counts as unchanged (12.2 row 23)
    FAILOVER_NEEDS_DEPS = 82  #: application failover needs propagateDeps here (12.2 row 19)
    SAME_BINDING = 83  #: two workloads of a rebalancer lead to one binding (9.2)
    TTL_NEGATIVE = 84  #: a rebalancer with a negative time to live goes at once (9.2)
    ZONE_UNREAD = 85  #: spec.zone has no effect; spec.zones has (1.2)
    FIELD_UNMATCHED = 86  #: a region or provider that no field selector can name (3.1)
    QUANTITY_FRACTION = 87  #: a binary suffix with a fraction, which the reference reads ill (1.1)
    FILTER_WITHOUT_SELECTOR = 88  #: pods are admitted to no subset and counted all the same (ws 12)
    PERCENT_SIGN = 89  #: a maxReplicas that is taken and cannot be read later (ws 12)
    SIMULATION_UNUSED = 90  #: disableSimulationSchedule, which is of spread-simulation (ws 12)
    PATCH_UNCHECKED = 91  #: a patch no pod can take, unseen without the workload (ws 8.2)
    EMPTY_PATH = 92  #: an empty path to replicas, which counts as 0 (ws 12)
    ROUNDED_UP = 93  #: percentages that add up to more than 100% after rounding up (ws 10)
    PATCH_UNREADABLE = 94  #: a patch that makes pods which the API server cannot read (ws 3.7)
    SHRINKS_FROM_FRONT = 95  #: a standalone ReplicaSet, which empties its first subset first (ws 12 Q1)
    NODES_UNREAD = 96  #: Adaptive, whose rescheduling examines no nodes and needs a number of seconds (ws 6)
    PATCH_DROPPED = 97  #: a member of a patch that Pods do not have (ws 9)
    UNKNOWN_KIND = 98  #: a kind that its group does not have
    NO_UID = 99  #: a binding without the uid of its workload, by which ties between clusters are broken (7.7)
    NOT_RUN = 100  #: a customization of the interpreter, which this library does not run (15.1)
    LABELS_UNREAD = 101  #: a labelSelector beside a name, which alone selects (14.2)
    NOT_PROPAGATED = 102  #: a selector of an API that is not propagated (14.1)


class Code(Named):
    """Error codes; see codes.def."""
    OK = 0
    EINVAL = -1
    ENOMEM = -2
    EABI = -3
    ESTATE = -4
    ELIMIT = -5
    EUNSUPPORTED = -6
    EPARSE = -7
    ENOTFOUND = -8
    EEXIST = -9
    ERANGE = -10
    EMISMATCH = -11
    EAGAIN = -12
