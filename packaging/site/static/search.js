// SPDX-License-Identifier: MIT
// Pages that are read as files may not fetch others: results are then listed without an excerpt of each.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
