// SPDX-License-Identifier: MIT

package main

// #cgo pkg-config: librebalance-simulation
// #cgo CFLAGS: -D_POSIX_C_SOURCE=200809L
// #include <rebalance/simulation.h>
// #include <stdlib.h>
// #include <time.h>
//
// struct world {
//   rebal_fleet *fleet;
//   rebal_bindings *bindings;
//   rebal_snapshot *snapshot;
//   rebal_ctx *ctx;
//   rebal_result *result;
// };
//
// static int world_load(struct world *world, const void *bytes, size_t len) {
//   return rebal_fleet_load(NULL, bytes, len, &world->fleet, &world->bindings, NULL, NULL) != REBAL_OK ||
//          rebal_fleet_freeze(world->fleet, &world->snapshot, NULL) != REBAL_OK ||
//          rebal_ctx_new(NULL, NULL, &world->ctx, NULL) != REBAL_OK ||
//          rebal_result_new(NULL, &world->result, NULL) != REBAL_OK;
// }
//
// /* Nanoseconds of one call in C, in which nothing is left out that a program in C does. -1: it failed. */
// static int64_t world_schedule(struct world *world) {
//   struct timespec begin, end;
//   int32_t code;
//
//   (void)clock_gettime(CLOCK_MONOTONIC, &begin);
//   code = rebal_schedule(world->ctx, world->snapshot, world->bindings, NULL, world->result, NULL);
//   (void)clock_gettime(CLOCK_MONOTONIC, &end);
//   return code != REBAL_OK ? -1 : (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
// }
import "C"

import (
	"errors"
	"time"
	"unsafe"
)

// plainWorld is a world for calls in C alone.
type plainWorld struct{ world *C.struct_world }

func loadPlain(saved []byte) (plainWorld, error) {
	w := plainWorld{(*C.struct_world)(C.calloc(1, C.sizeof_struct_world))}
	if C.world_load(w.world, unsafe.Pointer(&saved[0]), C.size_t(len(saved))) != 0 {
		return w, errors.New("the world cannot be loaded")
	}
	return w, nil
}

func (w plainWorld) schedule() time.Duration {
	took := C.world_schedule(w.world)
	if took < 0 {
		panic("rebal_schedule failed")
	}
	return time.Duration(took)
}
