/* SPDX-License-Identifier: MIT */
#include <rebalance/rebalance.h>

#include <stdio.h>

int main(void) {
  return puts(rebal_version()) < 0;
}
