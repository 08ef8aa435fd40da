/* SPDX-License-Identifier: MIT */
/* The version of the library and the names of its error codes. */
#include "record/record.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *rebal_version(void) {
  return VERSION_TEXT(REBAL_VERSION_MAJOR, REBAL_VERSION_MINOR, REBAL_VERSION_PATCH);
}

uint32_t rebal_abi_version(void) {
  return REBAL_ABI_VERSION;
}

const char *rebal_strerror(int32_t code) {
  const char *text = rebal_enum_name(REBAL_ENUM_CODE, code, NULL);

  return text != NULL ? text : "unknown error";
}
