/* SPDX-License-Identifier: MIT */
/* rebalance/rebalance.h - includes all headers of librebalance. */
#ifndef REBAL_REBALANCE_H
#define REBAL_REBALANCE_H

#include "base.h"
#include "descheduler.h"
#include "estimator.h"
#include "failover.h"
#include "fleet.h"
#include "plan.h"
#include "rebalancer.h"
#include "record.h"
#include "scheduler.h"
#include "workloadspread.h"

#endif
