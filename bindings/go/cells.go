// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape librebalance_go_read_i64
// #cgo nocallback librebalance_go_read_i64
// #cgo noescape rebal_cells_add
// #cgo nocallback rebal_cells_add
// #cgo noescape rebal_cells_add_children
// #cgo nocallback rebal_cells_add_children
// #cgo noescape rebal_cells_bound
// #cgo nocallback rebal_cells_bound
// #cgo noescape rebal_cells_count
// #cgo nocallback rebal_cells_count
// #cgo noescape rebal_cells_get_text
// #cgo nocallback rebal_cells_get_text
// #cgo noescape rebal_cells_next
// #cgo nocallback rebal_cells_next
// #cgo noescape rebal_cells_put_i64
// #cgo nocallback rebal_cells_put_i64
// #cgo noescape rebal_cells_put_text
// #cgo nocallback rebal_cells_put_text
// #cgo noescape rebal_cells_put_time
// #cgo nocallback rebal_cells_put_time
// #cgo noescape rebal_cells_remove
// #cgo nocallback rebal_cells_remove
//
// static inline void librebalance_go_read_i64(const rebal_cells *cells, uint32_t column, uint32_t parent,
//                                             const uint32_t *ids, int64_t *values, size_t n) {
//   size_t i;
//
//   for (i = 0; i < n; i++) {
//     values[i] = rebal_cells_get_i64(cells, column, parent, ids == NULL ? (uint32_t)i : ids[i]);
//   }
// }
import "C"

import (
	"math"
	"time"
	"unsafe"
)

// Cells sets and reads rows of the tables of a fleet, a snapshot or a set of bindings, a column at a time. Where a
// method takes ids, nil means the ids 0, 1, 2 and so on. parent is the cluster of nodes, pods, workloads and replica
// sets, else None; Add, Count and Rows also take a binding as the parent of its child rows. It borrows its owner, and
// fails with ESTATE when that is closed.
type Cells struct {
	owner    *handle
	isFrozen bool
	of       func() *C.rebal_cells
}

// take takes the owner. One that is frozen is only read, also by what would change it: the library refuses that in its
// own words.
func (c *Cells) take(changes bool) error {
	if changes && !c.isFrozen {
		return c.owner.change()
	}
	return c.owner.read()
}

func idsOf(ids []uint32) *C.uint32_t { return (*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(ids))) }

func sameLength(ids []uint32, n int) error {
	if ids != nil && len(ids) != n {
		return invalid(EINVAL, "%d values for %d ids", n, len(ids))
	}
	return nil
}

// PutInt64s sets cells of one column of integers, ids or handles.
func (c *Cells) PutInt64s(column Column, parent uint32, ids []uint32, values []int64) error {
	return c.put(ids, len(values), func(failure *C.rebal_error) C.int32_t {
		return C.rebal_cells_put_i64(c.of(), C.uint32_t(column), C.uint32_t(parent), idsOf(ids),
			(*C.int64_t)(unsafe.Pointer(unsafe.SliceData(values))), C.size_t(len(values)), failure)
	})
}

// PutTexts sets cells of one column of texts.
func (c *Cells) PutTexts(column Column, parent uint32, ids []uint32, values []string) error {
	bytes, offsets := []byte{}, make([]uint32, len(values)+1)
	for i, value := range values {
		bytes = append(bytes, value...)
		if len(bytes) > math.MaxInt32 {
			return invalid(ELIMIT, "more than 2^31 - 1 bytes of text in one call")
		}
		offsets[i+1] = uint32(len(bytes))
	}
	return c.put(ids, len(values), func(failure *C.rebal_error) C.int32_t {
		return C.rebal_cells_put_text(c.of(), C.uint32_t(column), C.uint32_t(parent), idsOf(ids), bytesOf(bytes),
			idsOf(offsets), C.size_t(len(values)), failure)
	})
}

// PutTimes sets cells of one column of times; the zero time.Time clears a cell.
func (c *Cells) PutTimes(column Column, parent uint32, ids []uint32, values []time.Time) error {
	times := make([]C.rebal_time, len(values))
	for i, value := range values {
		times[i] = moment(value)
	}
	return c.put(ids, len(values), func(failure *C.rebal_error) C.int32_t {
		return C.rebal_cells_put_time(c.of(), C.uint32_t(column), C.uint32_t(parent), idsOf(ids),
			unsafe.SliceData(times), C.size_t(len(values)), failure)
	})
}

func (c *Cells) put(ids []uint32, n int, put func(*C.rebal_error) C.int32_t) error {
	if err := sameLength(ids, n); err != nil {
		return err
	}
	if err := c.take(true); err != nil {
		return err
	}
	defer c.owner.done()
	failure := newFailure()
	return failed(put(&failure), &failure)
}

// Add adds n rows and returns their ids.
func (c *Cells) Add(table Table, parent uint32, n int) ([]uint32, error) {
	if n < 0 || n > math.MaxInt32 {
		return nil, invalid(ERANGE, "%d rows", n)
	}
	ids := make([]uint32, n)
	return ids, c.put(nil, n, func(failure *C.rebal_error) C.int32_t {
		return C.rebal_cells_add(c.of(), C.uint32_t(table), C.uint32_t(parent), idsOf(ids), C.size_t(n), failure)
	})
}

// AddChildren adds a row to a child table of bindings below each of parents, and returns the ids.
func (c *Cells) AddChildren(table Table, parents []uint32) ([]uint32, error) {
	ids := make([]uint32, len(parents))
	return ids, c.put(nil, len(ids), func(failure *C.rebal_error) C.int32_t {
		return C.rebal_cells_add_children(c.of(), C.uint32_t(table), idsOf(parents), idsOf(ids), C.size_t(len(ids)),
			failure)
	})
}

// Remove removes rows; those of bindings cannot be.
func (c *Cells) Remove(table Table, parent uint32, ids ...uint32) error {
	return c.put(ids, len(ids), func(failure *C.rebal_error) C.int32_t {
		return C.rebal_cells_remove(c.of(), C.uint32_t(table), C.uint32_t(parent), idsOf(ids), C.size_t(len(ids)), failure)
	})
}

// Count is the number of rows of a table, or of those below a parent.
func (c *Cells) Count(table Table, parent uint32) (int, error) {
	if err := c.take(false); err != nil {
		return 0, err
	}
	defer c.owner.done()
	return int(C.rebal_cells_count(c.of(), C.uint32_t(table), C.uint32_t(parent))), nil
}

// Rows are the ids of the rows of a table, or of those below a parent.
func (c *Cells) Rows(table Table, parent uint32) ([]uint32, error) {
	if err := c.take(false); err != nil {
		return nil, err
	}
	defer c.owner.done()
	ids := []uint32{}
	id := C.rebal_cells_next(c.of(), C.uint32_t(table), C.uint32_t(parent), C.REBAL_NONE)
	for ; id != C.REBAL_NONE; id = C.rebal_cells_next(c.of(), C.uint32_t(table), C.uint32_t(parent), id) {
		ids = append(ids, uint32(id))
	}
	return ids, nil
}

// bound is what all ids of a column's table are below.
func (c *Cells) bound(column Column, parent uint32) int {
	return int(C.rebal_cells_bound(c.of(), C.uint32_t(column)/256, C.uint32_t(parent)))
}

// Int64s reads cells of one column of integers; ids nil: of every id of the table. Absent: no such row, or nothing set.
func (c *Cells) Int64s(column Column, parent uint32, ids []uint32) ([]int64, error) {
	if err := c.take(false); err != nil {
		return nil, err
	}
	defer c.owner.done()
	n := len(ids)
	if ids == nil {
		n = c.bound(column, parent)
	}
	values := make([]int64, n)
	C.librebalance_go_read_i64(c.of(), C.uint32_t(column), C.uint32_t(parent), idsOf(ids),
		(*C.int64_t)(unsafe.Pointer(unsafe.SliceData(values))), C.size_t(n))
	return values, nil
}

// Texts reads cells of one column of texts; ids nil: of every id of the table.
func (c *Cells) Texts(column Column, parent uint32, ids []uint32) ([]string, error) {
	if err := c.take(false); err != nil {
		return nil, err
	}
	defer c.owner.done()
	n := len(ids)
	if ids == nil {
		n = c.bound(column, parent)
	}
	values := make([]string, n)
	for i := range values {
		id := C.uint32_t(i)
		if ids != nil {
			id = C.uint32_t(ids[i])
		}
		values[i] = C.GoString(C.rebal_cells_get_text(c.of(), C.uint32_t(column), C.uint32_t(parent), id, nil))
	}
	return values, nil
}
