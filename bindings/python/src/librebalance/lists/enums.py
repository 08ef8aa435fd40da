# SPDX-License-Identifier: MIT
# Made by generate.py from include/rebalance/enums.def.
"""Enumerations of the core."""
import enum

from ..named import Named


class QuantityFormat(Named):
    """Notation of a quantity: the family of suffixes in its text."""
    NONE = 0  #: the all-zero default value
    DECIMAL_SI = 1  #: no suffix, or n u m k M G T P E
    BINARY_SI = 2  #: Ki Mi Gi Ti Pi Ei
    DECIMAL_EXPONENT = 3  #: e or E and an exponent


class Type(Named):
    """Types of fields and columns."""
    NONE = 0
    TEXT = 1
    INT32 = 2
    COUNT32 = 3  #: from 0 to 2^31 - 1
    INT64 = 4
    BOOLEAN = 5
    QUANTITY = 6
    TIME = 7
    OBJECT = 8
    CLUSTER = 9  #: columns only: a cluster id
    HANDLE = 10  #: columns only: handle of an interned record


class Cardinality(Named):
    """How often a field may appear."""
    ONE = 0
    LIST = 1
    MAP = 2


class ActionKind(Named):
    """What the caller does to carry an action out."""
    READ = 1  #: read the object; the observation brings the payload's fields
    LIST = 2  #: list objects of the kind
    PATCH_SPEC = 3  #: set the payload's fields in spec
    PATCH_STATUS = 4  #: set the payload's fields in status
    PATCH_METADATA = 5  #: set the payload's fields in metadata
    CREATE = 6  #: create the payload
    DELETE = 7  #: delete, with the preconditions given
    EVICT = 8  #: evict the pod
    EVENT = 9  #: record the payload (REBAL_OBJECT_EVENT) on the object; not observed
    WAKE = 10  #: start a new run at NOT_BEFORE; not observed
    SCALE = 11  #: set the payload's replicas through the subresource scale, once all actions before it succeeded


class Replaces(enum.IntFlag):
    """Bits of the column REBAL_ACTION_REPLACES. A record cannot distinguish an empty list from a missing one: if the
    bit is set, the payload has the whole list, and without entries in the payload the object has none. A whole map also
    removes the names that it lacks; in a merge patch they are null."""
    CLUSTERS = 1  #: spec.clusters
    GRACEFUL_EVICTION_TASKS = 2  #: spec.gracefulEvictionTasks
    OBSERVED_WORKLOADS = 4  #: status.observedWorkloads
    TAINTS = 8  #: spec.taints of a Cluster
    SUBSET_STATUSES = 16  #: status.subsetStatuses
    OVERALL_USED = 32  #: status.overallUsed of a FederatedResourceQuota
    SCHEDULING_SUSPENSION = 64  #: spec.suspension.scheduling
    PLAN_MARK = 128  #: the mark of rebal_plan_step()


class Observed(Named):
    """How an action ended."""
    DONE = 1  #: it was carried out
    NOT_FOUND = 2  #: the object does not exist
    CONFLICT = 3  #: a precondition failed, or the object to create exists
    DENIED = 4  #: refused; fields may bring a REBAL_OBJECT_CONDITION with the reason of the server's answer
    TRANSIENT = 5  #: no answer, or a failure that a retry may overcome


class StepState(Named):
    """Where a step stands for one object."""
    WAITING = 1  #: call again: with observations of the actions or, if none are observed, at the WAKE
    DONE = 2  #: finished; a WAKE may be among the actions
    RETRY = 3  #: the run failed, see MESSAGE: start a new one after a back-off
    SKIPPED = 4  #: nothing to do for this object


class Form(Named):
    """How a column holds enumerators."""
    NONE = 0  #: not an enumeration
    VALUE = 1  #: one of the enumerators
    BITS = 2  #: a sum of enumerators, each of which is a bit
    BIT_NUMBERS = 3  #: a sum of 1 << enumerator


class Capacity(Named):
    """Parts of a cluster's resource summary, and of the amounts of a node."""
    ALLOCATABLE = 0
    ALLOCATED = 1
    ALLOCATING = 2


class Annotation(Named):
    """State of an annotation that holds JSON (columns REBAL_BINDING_APPLIED_STATE, REBAL_SPREAD_POD_MATCHED_STATE)."""
    ABSENT = 0
    UNPARSABLE = 1
    PRESENT = 2


class CtxFlag(enum.IntFlag):
    """Bits of rebal_ctx_opts.flags."""
    NO_CACHE = 1  #: keep nothing between calls


class Fits(Named):
    """Values of rebal_estimator.fits that are not a number of replicas."""
    NO_OPINION = -1  #: the estimator has no opinion about the cluster
    #: The estimator failed for the cluster. Unless REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING is off, one such cell of a
    #: feasible cluster drops all its answers for the binding (rebalance-karmada(7) 6.1).
    FAILED = -2147483647 - 1


class EstimateFlag(enum.IntFlag):
    """Bits of rebal_estimate_opts.flags."""
    FINGERPRINT = 1  #: compute rebal_result_fingerprint() of the result
    #: Estimates from nodes only (rebalance-karmada(7) 6.5), not from summaries and models. Clusters without HAS_NODES
    #: have REPLICAS REBAL_FITS_NO_OPINION.
    NODES = 2


class PlaceFlag(enum.IntFlag):
    """Bits of rebal_place_opts.flags."""
    PREEMPTS = 1  #: a pod that does not fit preempts pods of lower priority
    GIVEN_ALONE = 2  #: ignore the pods of the snapshot; only the given ones use capacity


class UnschedulableFlag(enum.IntFlag):
    """Bits of rebal_unschedulable_opts.flags."""
    ANY_KIND = 1  #: pods of any workload, not of Deployments alone
    THRESHOLD_GIVEN = 2  #: threshold_ns counts even when it is 0


class Filter(Named):
    """Filter plugins, in the order in which their reasons count (rebalance-karmada(7) 3)."""
    API_ENABLEMENT = 0
    CLUSTER_AFFINITY = 1
    CLUSTER_EVICTION = 2
    SPREAD_CONSTRAINT = 3
    TAINT_TOLERATION = 4
    WORKLOAD_AFFINITY = 5
    WORKLOAD_ANTI_AFFINITY = 6
    EXTRA = 31  #: the caller's rebal_schedule_opts.extra_reject


class SpreadBy(Named):
    """Fields that a spread constraint groups by (column REBAL_GROUP_FIELD)."""
    CLUSTER = 1
    REGION = 2
    ZONE = 3
    PROVIDER = 4


class Stage(Named):
    """Stages of the pipeline (column REBAL_EXPLAIN_STAGE)."""
    FILTER = 1
    SCORE = 2
    SELECT = 3
    ASSIGN = 4


class Why(Named):
    """Verdict of a stage on a cluster (column REBAL_EXPLAIN_VERDICT)."""
    FEASIBLE = 1  #: filter: accepted by every plugin
    REJECTED = 2  #: filter: PLUGIN rejects it; one row for each plugin that does
    DELETING = 3  #: filter: the cluster is being deleted
    SCORED = 4  #: score: ranked by SCORE, ALLOCATABLE and AVAILABLE
    SELECTED = 5  #: select: chosen, or no constraint requires a choice
    BEYOND_MAX_GROUPS = 6  #: select: ranked after the clusters that maxGroups allows
    GROUP_LEFT_OUT = 7  #: select: its region was not chosen
    EXCHANGED = 8  #: select: replaced by a cluster with more capacity
    PLACED = 9  #: assign: it is part of the answer
    NOT_NEEDED = 10  #: assign: selected, but its share is 0
    REFUSED = 11  #: CLUSTER is REBAL_ABSENT: the stage failed, FOUND holds the error
    DROPPED = 12  #: assign: it was a target, and an earlier stage left it out


class Tie(Named):
    """The rule that decided between a cluster or region and an equal one (column REBAL_EXPLAIN_TIE)."""
    AVAILABLE = 1  #: select: equal scores, and PEER has more available replicas
    CLUSTERS = 2  #: select: regions of equal score, and PEER has more clusters
    NAME = 3  #: all else is equal, and the name of PEER is first
    NAME_DESCENDING = 4  #: assign: all else is equal, and the name of PEER is last: the workload's uid has an odd hash
    FEWER_REPLICAS = 5  #: assign: equal quotients for the last replica, and PEER had fewer replicas
    RANK = 6  #: assign: both offer as many replicas, and PEER ranks higher
    LIST_ORDER = 7  #: assign: both have as many replicas, and PEER is first in spec.clusters


class ScheduleFlag(enum.IntFlag):
    """Bits of rebal_schedule_opts.flags."""
    NO_SUMMARY = 1  #: use other estimators only, not the summaries
    FINGERPRINT = 2  #: compute rebal_result_fingerprint() of the result
    NODES = 4  #: also limit by known nodes (rebalance-karmada(7) 6.5)
    SINGLE_GROUP = 8  #: rebal_schedule() tries one affinity group only, as the phases do


class Outcome(Named):
    """Answer for one binding (column REBAL_DECISION_OUTCOME). NO_CLUSTER_FIT, UNSCHEDULABLE and SCHEDULER_ERROR are the
    reference's condition reasons. rebal_decide() returns SCHEDULED for a binding that is due."""
    SCHEDULED = 1
    UNCHANGED = 2  #: no reason to schedule (row 6 of rebalance-karmada(7) 2.3)
    SKIPPED = 3  #: being deleted, suspended, assigned to another scheduler, or not created by a policy
    NO_CLUSTER_FIT = 4  #: the filters reject every cluster
    UNSCHEDULABLE = 5  #: the remaining clusters lack capacity
    SCHEDULER_ERROR = 6  #: any other failure; MESSAGE has the reason
    PARTIAL = 7  #: some replicas do not fit (REBAL_OPTION_PARTIAL_PLACEMENT)
    QUOTA_EXCEEDED = 8  #: step only: a quota denied the write of the clusters


class Reason(Named):
    """Why a binding is scheduled or not (column REBAL_DECISION_REASON); rows of the table in rebalance-karmada(7)
    2.3."""
    NONE = 0
    DELETING = 1
    PLACEMENT = 2
    REPLICAS = 3
    RESCHEDULE = 4
    DUPLICATED = 5
    TERMINATING_CLUSTER = 6


class DivideFlag(enum.IntFlag):
    """Bits of rebal_divide_opts.flags."""
    KEEP_CURRENT = 1  #: no party gets less than it has now, within its upper bound and the seats


class Pool(Named):
    """Where the scheduler's queue keeps a binding (rebalance-karmada(7) 2.7, gate PriorityBasedScheduling)."""
    NONE = 0  #: not queued: only an event brings it back
    ACTIVE = 1  #: in the order of rebal_queue_compare()
    BACK_OFF = 2  #: until rebal_queue_flush()
    UNSCHEDULABLE = 3  #: until rebal_queue_flush(), or any event of the binding or of a cluster


class RebalancerReason(Named):
    """Why a run failed (column REBAL_STEP_REASON, state REBAL_STEP_STATE_RETRY)."""
    OK = 0
    RETRY = 1  #: some bindings could not be read or written
    STATUS_UPDATE_FAILED = 2  #: the status could not be written
    NO_FINISH_TIME = 3  #: a TTL is set but nothing has finished
    DELETE_CONFLICT = 4  #: the object changed since it was read
    DELETE_FAILED = 5  #: the object could not be deleted


class DescheduleFlag(enum.IntFlag):
    """Bits of rebal_deschedule_opts.flags."""
    GIVEN_BINDINGS = 1  #: take every binding, whatever its kind, placement or deletion
    EXPLAIN = 2  #: add a row of DESCHEDULED for every target of every binding taken
    ANY_KIND = 4  #: take any kind with replicas, ClusterResourceBindings too
    FROM_STATUS = 8  #: if there is no opinion, count replicas not ready for long
    THRESHOLD_GIVEN = 16  #: threshold_ns counts even when it is 0
    FROM_PODS = 32  #: if no estimator has an opinion, count pods of the snapshot


class DescheduleSource(Named):
    """Source of the number of unschedulable replicas (column REBAL_DESCHEDULED_SOURCE)."""
    NONE = 0  #: no source has an opinion
    ESTIMATOR = 1  #: the estimator of column ESTIMATOR
    STATUS = 2  #: the binding's status
    PODS = 3  #: pods of the snapshot, counted as by rebal_unschedulable()


class DescheduleCap(Named):
    """Which cap withholds replicas (column REBAL_DESCHEDULED_WITHHELD_BY)."""
    NONE = 0  #: none
    TOTAL = 1  #: max_total
    CLUSTER = 2  #: max_by_cluster
    NAMESPACE = 3  #: max_by_namespace
    WORKLOAD = 4  #: max_by_workload
    BUDGET = 5  #: a PodDisruptionBudget


class DescheduleReason(Named):
    """Why a binding is changed or not (column REBAL_STEP_REASON of rebal_deschedule_step())."""
    MOVED = 1  #: replicas are taken away
    NOT_ELIGIBLE = 2  #: column REBAL_STEP_DETAIL holds what excludes it (8.1)
    READY = 3  #: no cluster lacks ready replicas
    SCHEDULABLE = 4  #: some cluster lacks them, but none are known that can be taken away
    WITHHELD = 5  #: caps withhold all replicas that could be taken away


class DescheduleExclusion(Named):
    """First cause that excludes a binding (column REBAL_STEP_DETAIL of REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE)."""
    NONE = 0  #: not excluded
    DELETING = 1  #: it is being deleted
    OTHER_KIND = 2  #: not of a Deployment of apps/v1 in a namespace
    NO_REPLICAS = 3  #: ANY_KIND: it has no replicas
    NOT_APPLIED = 4  #: no placement was applied yet
    UNREADABLE = 5  #: the placement that was applied last cannot be read
    NOT_DYNAMIC = 6  #: that placement does not divide by what is available


class FailoverFlag(enum.IntFlag):
    """Bits of rebal_failover_opts.flags."""
    EVICT_BY_TAINT = 1  #: enable-no-execute-taint-eviction (default off, as in the reference)
    PURGE_DIRECTLY = 2  #: no-execute-taint-eviction-purge-mode Directly instead of Gracefully
    TIMEOUT_GIVEN = 4  #: graceful_eviction_timeout_ns counts even when it is 0


class TaintVerdict(Named):
    """What taints mean for one binding in one cluster (column REBAL_STEP_REASON of rebal_taint_verdict())."""
    FOREVER = 0  #: tolerated without end
    EVICT = 1  #: evict now
    AFTER = 2  #: tolerated for AFTER_NS more
    ERROR = 3  #: the applied placement is absent or unreadable


class Operation(Named):
    """Request for a pod (column REBAL_SPREAD_POD_OPERATION)."""
    CREATE = 0  #: it is about to be created
    DELETE = 1  #: it is about to be deleted
    EVICT = 2  #: it is about to be evicted; the same rules as for a deletion


class PodPhase(Named):
    """status.phase of a pod (column REBAL_SPREAD_POD_PHASE)."""
    OTHER = 0  #: none, or one that is not known
    PENDING = 1
    UNKNOWN = 2
    RUNNING = 3
    SUCCEEDED = 4
    FAILED = 5


class VersionLabel(Named):
    """Label that holds a pod's version (column REBAL_SPREAD_POD_VERSION_LABEL)."""
    NONE = 0
    TEMPLATE_HASH = 1  #: pod-template-hash; takes precedence even when empty
    REVISION_HASH = 2  #: controller-revision-hash, the part after its last "-"


class OwnerState(Named):
    """State of an owner or workload (columns REBAL_OWNER_STATE, REBAL_SPREAD_WORKLOAD_STATE)."""
    UNKNOWN = 0  #: not looked up yet
    EXISTS = 1
    MISSING = 2
    FAILED = 3  #: it exists or not, but cannot be read


class LatestState(Named):
    """State of a workload's latest version (column REBAL_SPREAD_WORKLOAD_LATEST_STATE)."""
    NOT_TRACKED = 0  #: versions of its pods are not distinguished
    KNOWN = 1  #: column LATEST, which may be empty
    MISSING = 2  #: no ReplicaSet has the template yet


class AdmitFlag(enum.IntFlag):
    """Bits of rebal_admit_opts.flags."""
    EXPLAIN = 1  #: a row of PASSED_OVER for each subset that was not chosen
    NO_ACTIONS = 2  #: no actions: a later call without it reports these changes too


class AdmitOutcome(Named):
    """Outcome for a pod (column REBAL_ADMITTED_OUTCOME)."""
    LEFT_ALONE = 0  #: no WorkloadSpread applies to it, or none any more
    CHOSEN = 1  #: column SUBSET: its rules are injected
    NO_SUBSET = 2  #: no subset has capacity: admitted unchanged
    FORMER_SUBSET = 3  #: SUBSET_NAME is no longer in spec: recorded, nothing is injected
    OWNER_MISSING = 4  #: refused: an owner of it is missing (column OWNER)
    REPLICAS_UNKNOWN = 5  #: refused: the workload's replicas are unknown (MESSAGE)
    OWNER_UNKNOWN = 6  #: the last row: look up column OWNER, call again from it on
    GOING = 7  #: a deletion or eviction of a spread's pod; RECORDED or not


class PassOver(Named):
    """Why a subset was passed over (column REBAL_PASSED_OVER_WHY)."""
    FULL = 1  #: no replicas are missing
    UNSCHEDULABLE = 2  #: its condition Schedulable is False
    NO_LIMIT = 3  #: its limit could not be read, or is negative
    ORDINAL = 4  #: StatefulSet: the ordinal is beyond its limit
    NO_NODE = 5  #: no node of it has capacity (option SPREAD_SIMULATION)
    OTHER_VERSIONS = 6  #: pods of other versions fill it (option SPREAD_ALL_VERSIONS)
    MINIMUM_FIRST = 7  #: another one lacks its minReplicas (option SPREAD_MIN_REPLICAS)


class SpreadFlag(enum.IntFlag):
    """Bits of rebal_spread_opts.flags."""
    NO_POD_ACTIONS = 1  #: no actions for changed pods: only rows of GROUPED


class GroupedBy(Named):
    """How a pod was assigned to its subset (column REBAL_GROUPED_BY)."""
    NOTHING = 0  #: it is in none
    ANNOTATION = 1  #: its annotation names it
    NODE = 2  #: adopted: its node suits it best
    FORMER_SUBSET = 3  #: its annotation names one that spec lacks: it is in none


class CostReason(Named):
    """Reason for a pod's deletion cost (column REBAL_GROUPED_WHY)."""
    NONE = 0  #: no cost is set: not active, a kind without costs, a limit that cannot be read
    KEPT = 1  #: within its subset's limit
    SURPLUS = 2  #: beyond it
    NO_SUBSET = 3  #: in no subset
    MINIMUM = 4  #: within its subset's minReplicas (option SPREAD_MIN_REPLICAS)


class Changes(enum.IntFlag):
    """Bits of the column REBAL_GROUPED_CHANGES."""
    COST = 1  #: the deletion cost
    SUBSET = 2  #: adopted: the annotation and the metadata of the subset's patch


class SpreadReason(Named):
    """Why a pass ended (column REBAL_STEP_REASON of rebal_spread_step())."""
    DONE = 0
    NO_TARGET = 1  #: SKIPPED: spec.targetRef is missing
    DELETING = 2  #: SKIPPED: it is being deleted
    NO_REPLICAS = 3  #: RETRY: replicas cannot be read along a path
    NO_LATEST = 4  #: RETRY: the latest version is unknown; only subsets are filled in
    POD_FAILED = 5  #: RETRY: a pod could not be written
    STATUS_FAILED = 6  #: RETRY: the status could not be written
    DELETE_FAILED = 7  #: RETRY: a stuck pod could not be deleted


class UnitedState(enum.IntFlag):
    """State of a subset's workload (rebal_united_opts.states, column REBAL_ALLOCATED_FLAGS)."""
    EXISTS = 1  #: it has a workload; else the other bits and all amounts are ignored
    UNSCHEDULABLE = 2  #: some of its pods are unschedulable or reserved
    MARKED = 4  #: its condition Schedulable is False (reservation)


class UnitedReason(Named):
    """Why an allocation of a UnitedDeployment failed (column REBAL_STEP_REASON, state REBAL_STEP_STATE_RETRY)."""
    ALLOCATED = 0  #: the allocation succeeded
    TOO_MANY = 1  #: the subsets' replicas exceed spec.replicas
    TOO_FEW = 2  #: the replicas of all subsets are less than spec.replicas
    UNSPECIFIED = 3  #: spec.replicas and some subset's replicas are missing or unreadable
    LIMITS_CROSS = 4  #: minReplicas of a subset is above its maxReplicas


class PlanMode(Named):
    """The wanted placement w of a plan (rebalance-plan(7) 2)."""
    FRESH = 0  #: the result of rebal_schedule() as if a reschedule had just been triggered
    STEADY = 1  #: the same without the trigger
    LEAST = 2  #: within bounds around the fresh placement, what moves least


class PlanFlag(enum.IntFlag):
    """Bits of rebal_plan_opts.flags."""
    TOLERANCE_GIVEN = 1  #: tolerance counts even when it is 0
    SURGE_GIVEN = 2  #: max_surge counts even when it is 0
    SURGE_PERCENT = 4  #: max_surge is in percent of R
    UNAVAILABLE_GIVEN = 8  #: max_unavailable counts even when it is 0
    UNAVAILABLE_PERCENT = 16  #: max_unavailable is in percent of R
    BUDGETS_OVER_CLUSTERS = 32  #: a budget without a cluster covers all clusters together, not each one


class LimitScope(Named):
    """Scope of a limit: the moves that it counts."""
    TOTAL = 1  #: all moves
    SOURCE = 2  #: moves out of a cluster
    TARGET = 3  #: moves into a cluster
    NAMESPACE = 4  #: moves of bindings of a namespace
    BINDING = 5  #: moves of a binding
    LABEL = 6  #: moves of bindings whose pods have a label (REBAL_BINDING_POD_LABELS)
    BUDGET = 7  #: in answers only: a PodDisruptionBudget of rebal_plan_opts.budgets


class Reconsider(Named):
    """Whether a binding should be moved now; the first that holds (rebalance-plan(7) 3)."""
    ONGOING = 1  #: eviction tasks exist, or fewer than R replicas are ready
    COOLING = 2  #: it was moved less than the cool-down ago
    DUE = 3  #: its drift is at least high, or at least low and it was due before
    CALM = 4  #: none of these


class ReconsiderFlag(enum.IntFlag):
    """Bits of rebal_reconsider_opts.flags."""
    APPLIED = 1  #: the caller carries the plan out for the bindings that are due


class WaveState(Named):
    """State of a binding of a plan (column REBAL_WAVE_STATE)."""
    DONE = 1  #: it is as planned, and ready
    MOVING = 2  #: a write is among the actions
    WAITING = 3  #: it can continue when a pending change completes
    BLOCKED = 4  #: no pending change lets it continue
    NOT_NOW = 5  #: Karmada would undo what is written
    GONE = 6  #: the binding no longer exists
    DELETING = 7  #: it is being deleted
    REPLACED = 8  #: another binding has its name: the uid differs


class WaveReason(Named):
    """Reason of the state (column REBAL_WAVE_REASON)."""
    NONE = 0  #: no reason besides the state
    READY = 1  #: replicas in the cluster are not ready
    FLOOR = 2  #: too few would stay ready; the cluster is the first that lacks some
    CAPACITY = 3  #: the cluster is full
    UNKNOWN = 4  #: it is not known how many are ready in the cluster
    PACED = 5  #: the next wave may be sent later
    WRITTEN = 6  #: it was written: read it again
    CONFLICT = 7  #: it changed before it was written: read it again
    REFUSED = 8  #: the write failed; MESSAGE has the reason
    REPLICAS = 9  #: spec.replicas are not those of the plan
    MALFORMED = 10  #: spec.clusters has a cluster twice, or replicas below 0
    COMPONENTS = 11  #: sets of components cannot be moved in part
    NO_CLUSTER = 12  #: a planned cluster is missing, or BACK leads to a lost one
    SETTLING = 13  #: scheduler and status have not caught up with the last write
    DUPLICATED = 14  #: replicas are not divided: Karmada restores them
    SUSPENDED = 15  #: another client suspended scheduling
    TASKS = 16  #: it has eviction tasks
    MARKED = 17  #: another plan is carried out
    NOT_OBSERVED = 18  #: the scheduler has not seen this generation yet
    SUM = 19  #: replicas assigned differ from spec.replicas
    TRIGGERED = 20  #: a reschedule is due
    PLANNED_SUM = 21  #: replicas planned differ from spec.replicas
    BUDGET = 22  #: PodDisruptionBudgets allow no replica to leave the cluster now


class PlanDialect(Named):
    """How the writes of a plan are made (rebal_plan_step_opts.dialect)."""
    PLAIN = 0  #: placements alone, nothing else writes them
    KARMADA = 1  #: beside Karmada's scheduler, which is suspended meanwhile


class PlanStepFlag(enum.IntFlag):
    """Bits of rebal_plan_step_opts.flags."""
    BACK = 1  #: carry the plan out backwards: from y to x
    OWN_NOT_COUNTED = 2  #: summaries do not count what members run of the bindings
    ANY_CAPACITY = 4  #: no cluster is ever full
    TAKE_OVER = 8  #: remove the marks of other plans: their processes are gone
    BUDGETS_OVER_CLUSTERS = 16  #: a budget without a cluster covers all clusters together, not each one


class Breach(Named):
    """Constraints that a move breaks (column REBAL_TRIED_BROKEN, bits 1 << value)."""
    FILTER = 0  #: a filter plugin rejects the target
    DELETING = 1  #: the target is being deleted, or does not exist
    CAPACITY = 2  #: the target has capacity for fewer replicas
    COPIES = 3  #: replicas are not divided: each cluster has all of them
    MIN_CLUSTERS = 4  #: replicas are in fewer clusters than minGroups
    MAX_CLUSTERS = 5  #: replicas are in more clusters than maxGroups
    MIN_REGIONS = 6  #: replicas are in fewer regions than minGroups
    MAX_REGIONS = 7  #: replicas are in more regions than maxGroups
    MIN_ZONES = 8  #: replicas are in fewer zones than minGroups
    MAX_ZONES = 9  #: replicas are in more zones than maxGroups
    MIN_PROVIDERS = 10  #: replicas are with fewer providers than minGroups
    MAX_PROVIDERS = 11  #: replicas are with more providers than maxGroups
    LIMIT = 12  #: limits or budgets grant fewer replicas


class Loss(Named):
    """Kinds of losses of a sweep (column REBAL_SWEPT_KIND)."""
    NOTHING = 1  #: what holds without any loss
    CLUSTER = 2  #: each cluster, by name
    SET = 3  #: each set of the caller's, in its order
    ZONE = 4  #: each zone, by name: the clusters that are in this zone only
    REGION = 5  #: each region, by name
    PROVIDER = 6  #: each provider, by name


class SweepFlag(enum.IntFlag):
    """Bits of rebal_sweep_opts.flags."""
    BINDINGS = 1  #: also fill REBAL_TABLE_AFFECTED


class SingleChange(Named):
    """Kinds of single changes (column REBAL_COUNTERFACTUAL_KIND), the cheapest first."""
    NOTHING = 1  #: nothing has to change
    TOLERATION = 2  #: the placement tolerates one more taint
    MIN_GROUPS = 3  #: minGroups of one spread constraint
    MAX_GROUPS = 4  #: maxGroups of one spread constraint
    WEIGHT = 5  #: the static weight of one cluster is larger
    LABEL = 6  #: a label of one cluster is added, changed or removed
    TAINT = 7  #: one cluster has one taint fewer
    CAPACITY = 8  #: one cluster has more of one resource that is allocatable
