/* SPDX-License-Identifier: MIT */
/* Reads a record into lists. */
#include "workloadspread/spread.h"

static int32_t integer_at(const rebal_record *record, uint32_t node, uint32_t field) {
  return (int32_t)rebal_record_i64(record, rebali_record_get(record, node, field));
}

static void read_conditions(struct rebali_entry_status *entry, const rebal_record *record) {
  uint32_t node = REBAL_NONE;
  int n = 0;

  while ((node = rebali_record_next(record, entry->node, REBAL_SUBSET_STATUS_CONDITIONS, node)) != REBAL_NONE) {
    const int is_false =
        rebali_text_equal(rebali_record_field_text(record, node, REBAL_CONDITION_STATUS), REBALI_TEXT("False"));

    if (rebali_text_equal(rebali_record_field_text(record, node, REBAL_CONDITION_TYPE), REBALI_TEXT("Schedulable"))) {
      entry->is_false |= is_false;
      entry->first_is_false = n == 0 ? is_false : entry->first_is_false;
      n++;
    }
  }
}

/* State of reading a list. */
struct reading {
  struct rebali_spread_status *status;
  const rebal_record *record;
  uint32_t number;
};

static int32_t read_flights(const struct reading *reading, uint32_t entry, uint32_t node, uint32_t field,
                            uint32_t is_deletion) {
  const rebal_record *record = reading->record;
  uint32_t moment = REBAL_NONE;
  int32_t code = REBAL_OK;

  while (code == REBAL_OK && (moment = rebali_record_next(record, node, field, moment)) != REBAL_NONE) {
    rebal_time since;

    rebal_record_time(record, rebali_record_get(record, moment, REBAL_MOMENT_TIME), &since);
    code = rebali_flight_add(reading->status, reading->number, entry, is_deletion,
                             rebali_record_field_text(record, moment, REBAL_MOMENT_KEY), &since);
  }
  return code;
}

static int32_t read_entry(const struct reading *reading, const struct rebali_spread_spec *spec, uint32_t place,
                          uint32_t node) {
  const rebal_record *record = reading->record;
  struct rebali_status_list *list = rebali_status_list(reading->status, reading->number);
  struct rebali_entry_status *entry = &list->entries[place];
  int32_t code;

  entry->name = rebali_record_field_text(record, node, REBAL_SUBSET_STATUS_NAME);
  entry->subset = rebali_spread_spec_find(spec, entry->name, place);
  entry->node = node;
  entry->replicas = integer_at(record, node, REBAL_SUBSET_STATUS_REPLICAS);
  read_conditions(entry, record);
  rebali_status_set_missing(list, place, integer_at(record, node, REBAL_SUBSET_STATUS_MISSING_REPLICAS));
  code = read_flights(reading, place, node, REBAL_SUBSET_STATUS_CREATING_PODS, REBALI_CREATING);
  return code == REBAL_OK ? read_flights(reading, place, node, REBAL_SUBSET_STATUS_DELETING_PODS, REBALI_DELETING)
                          : code;
}

/* Reads the subsets below a node that holds them in a field. */
static int32_t read_list(const struct reading *reading, const struct rebali_spread_spec *spec, uint32_t node,
                         uint32_t field) {
  struct rebali_status_list *list = rebali_status_list(reading->status, reading->number);
  uint32_t child = REBAL_NONE;
  uint32_t place = 0;
  int32_t code = rebali_status_add_entries(reading->status, list, rebali_record_count(reading->record, node, field));

  while (code == REBAL_OK && (child = rebali_record_next(reading->record, node, field, child)) != REBAL_NONE) {
    code = read_entry(reading, spec, place, child);
    place++;
  }
  return code;
}

/* A list of a version without subsets is rebuilt when a pod arrives. */
static int32_t read_version(struct reading *reading, const struct rebali_spread_spec *spec, uint32_t node) {
  struct rebali_status_list *list;
  int32_t code = rebali_status_add_list(
      reading->status, rebali_record_field_text(reading->record, node, REBAL_VERSION_STATUS_VERSION), &reading->number);

  if (code == REBAL_OK) {
    code = read_list(reading, spec, node, REBAL_VERSION_STATUS_SUBSETS);
  }
  if (code == REBAL_OK) {
    list = rebali_status_list(reading->status, reading->number);
    list->state = list->n == 0 ? REBALI_LIST_EMPTIED : REBALI_LIST_THERE;
  }
  return code;
}

int32_t rebali_status_load(struct rebali_spread_status *status, const struct rebali_spread_spec *spec,
                           const rebal_record *record, uint32_t node) {
  struct reading reading = {status, record, REBALI_OVERALL};
  uint32_t version = REBAL_NONE;
  int32_t code;

  rebali_status_clear(status);
  status->record = record;
  status->node = node;
  code = read_list(&reading, spec, node, REBAL_SPREAD_STATUS_SUBSETS);
  status->overall.state = status->overall.n == 0 ? REBALI_LIST_ABSENT : REBALI_LIST_THERE;
  while (code == REBAL_OK &&
         (version = rebali_record_next(record, node, REBAL_SPREAD_STATUS_VERSIONS, version)) != REBAL_NONE) {
    code = read_version(&reading, spec, version);
  }
  return code;
}
