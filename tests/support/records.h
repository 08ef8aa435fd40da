/* SPDX-License-Identifier: MIT */
/* tests/support/records.h - shared by the sources of fleet_builder.h. */
#ifndef TEST_RECORDS_H
#define TEST_RECORDS_H

#include "fleet_builder.h"
#include "words.h"

void test_put_text(rebal_builder *builder, uint32_t field, struct test_word word);
void test_put_texts(rebal_builder *builder, uint32_t field, const char *words, char separator);
void test_put_pairs(rebal_builder *builder, uint32_t field, const char *pairs);
void test_put_expressions(rebal_builder *builder, uint32_t field, struct test_word expressions);
void test_put_tolerations(rebal_builder *builder, uint32_t field, struct test_word tolerations);
rebal_quantity test_quantity(struct test_word word);
const rebal_record *test_finish(rebal_builder *builder);
/* Finishes the world's record and keeps it in the fleet. */
uint32_t test_intern(struct test_world *world);

#endif
