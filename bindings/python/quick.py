# SPDX-License-Identifier: MIT
"""The tests that make check runs, in a few seconds, and make check-bindings of each package beside the wheel."""
TESTS = ("test_errors", "test_fleet", "test_misuse", "test_planning", "test_readme", "test_scheduling",
         "test_steps", "test_store", "test_vectors_evictions", "test_vectors_karmada", "test_vectors_kruise",
         "test_whatif")
