// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #include <stdlib.h>
// #cgo noescape rebal_simulation_free
// #cgo nocallback rebal_simulation_free
// #cgo noescape rebal_simulation_load
// #cgo nocallback rebal_simulation_load
// #cgo noescape rebal_simulation_log_read
// #cgo nocallback rebal_simulation_log_read
// #cgo noescape rebal_simulation_new
// #cgo nocallback rebal_simulation_new
// #cgo noescape rebal_simulation_step
// #cgo nocallback rebal_simulation_step
// #cgo noescape rebal_simulation_store
// #cgo nocallback rebal_simulation_store
// #cgo noescape rebal_simulation_summarize
// #cgo nocallback rebal_simulation_summarize
// #cgo noescape rebal_simulation_write
// #cgo nocallback rebal_simulation_write
// #cgo noescape rebal_store_find
// #cgo nocallback rebal_store_find
// #cgo noescape rebal_store_write
// #cgo nocallback rebal_store_write
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Simulation is one run of one scenario: a control plane on a virtual clock.
type Simulation struct {
	handle
	compat *Compat
}

// SimulationOptions: the zero value is the defaults.
type SimulationOptions struct {
	Flags       SimulationFlag
	MaxRounds   uint32 // of the controllers at one instant before ELIMIT; 0: 1000
	MaxInstants uint64 // 0: 1000000
	MaxLogRows  uint64 // 0: 1000000
	MaxPods     uint64 // 0: 100000
	Compat      *Compat
}

// Summary is the state of a run.
type Summary struct {
	Now      time.Time // the virtual clock
	Steps    int       // steps done
	Instants int       // moments at which the controllers ran
	Held     int       // expectations that held
	Failed   int       // expectations that failed
	LogRows  int
	Overused int // clusters whose pods requested more than they have, at any time
}

// LogEntry is a row of the log.
type LogEntry struct {
	Kind       LogKind
	Time       string // RFC 3339
	Step       string // "": the initial state
	Controller string
	Object     string // Kind namespace/name
	Change     string
	Reason     string
}

// NewSimulation makes a simulation; options nil: the defaults.
func NewSimulation(options *SimulationOptions) (*Simulation, error) {
	if options == nil {
		options = &SimulationOptions{}
	}
	simulation := &Simulation{compat: options.Compat}
	owner := (*owned)(nil)
	if options.Compat != nil {
		if err := options.Compat.read(); err != nil {
			return nil, err
		}
		defer options.Compat.done()
		owner = options.Compat.own.ref()
	}
	opts := C.rebal_simulation_opts{struct_size: C.sizeof_rebal_simulation_opts, flags: C.uint32_t(options.Flags),
		max_rounds: C.uint32_t(options.MaxRounds), max_instants: C.uint64_t(options.MaxInstants),
		max_log_rows: C.uint64_t(options.MaxLogRows), max_pods: C.uint64_t(options.MaxPods), compat: options.Compat.c()}
	var made *C.rebal_simulation
	failure := newFailure()
	free := func() {
		C.rebal_simulation_free(made)
		if owner != nil {
			owner.unref()
		}
	}
	if err := failed(C.rebal_simulation_new(&opts, &made, &failure), &failure); err != nil {
		free()
		return nil, err
	}
	return open(simulation, &simulation.handle, "simulation", unsafe.Pointer(made), free), nil
}

func (s *Simulation) c() *C.rebal_simulation { return (*C.rebal_simulation)(s.pointer) }

// Close frees the simulation.
func (s *Simulation) Close() error { return s.close() }

// Load reads a scenario and runs the controllers on its initial objects. ESTATE: one was loaded before.
func (s *Simulation) Load(scenario []byte) error {
	if err := s.change(); err != nil {
		return err
	}
	defer s.done()
	if err := notFileName(scenario); err != nil {
		return err
	}
	failure := newFailure()
	return failed(C.rebal_simulation_load(s.c(), bytesOf(scenario), C.size_t(len(scenario)), &failure), &failure)
}

// Step does the next step; more is false if none was left.
func (s *Simulation) Step() (more bool, err error) {
	if err := s.change(); err != nil {
		return false, err
	}
	defer s.done()
	var left C.int32_t
	failure := newFailure()
	err = failed(C.rebal_simulation_step(s.c(), &left, &failure), &failure)
	return left != 0, err
}

// Run loads a scenario and does every step, checking the context between them. An expectation that fails is not an
// error: the summary counts it.
func (s *Simulation) Run(ctx context.Context, scenario []byte) (Summary, error) {
	err := s.Load(scenario)
	for more := err == nil; more; {
		if err = ctx.Err(); err != nil {
			break
		}
		more, err = s.Step()
		more = more && err == nil
	}
	summary, failure := s.Summary()
	if err == nil {
		err = failure
	}
	return summary, err
}

// Summary is the state of the run.
func (s *Simulation) Summary() (Summary, error) {
	if err := s.read(); err != nil {
		return Summary{}, err
	}
	defer s.done()
	now := C.rebal_simulation_summary{struct_size: C.sizeof_rebal_simulation_summary}
	failure := newFailure()
	err := failed(C.rebal_simulation_summarize(s.c(), &now, &failure), &failure)
	return Summary{goTime(&now.now), int(now.steps), int(now.instants), int(now.held), int(now.failed),
		int(now.log_rows), int(now.overused)}, err
}

// Log is the rows of the log from a row on.
func (s *Simulation) Log(first int) ([]LogEntry, error) {
	summary, err := s.Summary()
	if err != nil {
		return nil, err
	}
	if first < 0 {
		return nil, invalid(ERANGE, "row %d of the log", first)
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	defer s.done()
	entries := []LogEntry{}
	row := (*C.rebal_simulation_entry)(C.calloc(1, C.sizeof_rebal_simulation_entry))
	if row == nil {
		return nil, invalid(ENOMEM, "no memory")
	}
	defer C.free(unsafe.Pointer(row))
	for i := first; i < summary.LogRows; i++ {
		failure := newFailure()
		row.struct_size = C.sizeof_rebal_simulation_entry
		if err := failed(C.rebal_simulation_log_read(s.c(), C.size_t(i), row, &failure), &failure); err != nil {
			return nil, err
		}
		entries = append(entries, LogEntry{LogKind(row.kind), C.GoString(row.time), C.GoString(row.step),
			C.GoString(row.controller), C.GoString(row.object), C.GoString(row.change), C.GoString(row.reason)})
	}
	return entries, nil
}

// Write gives the whole log: LogFormatTable, or TextFormatJSON and its like as a LogFormat.
func (s *Simulation) Write(format LogFormat) ([]byte, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	defer s.done()
	return written(func(text *C.rebal_text, failure *C.rebal_error) C.int32_t {
		return C.rebal_simulation_write(s.c(), C.uint32_t(format), text, failure)
	})
}

// JSON is an object of the run as it is now; ENOTFOUND: there is none.
func (s *Simulation) JSON(kind, namespace, name string) ([]byte, error) {
	if err := s.change(); err != nil {
		return nil, err
	}
	defer s.done()
	store := C.rebal_simulation_store(s.c())
	object := C.rebal_store_find(store, chars(kind), size(kind), chars(namespace), size(namespace), chars(name),
		size(name))
	return written(func(text *C.rebal_text, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_write(store, object, C.REBAL_TEXT_FORMAT_JSON, text, failure)
	})
}

// Simulate plays a scenario and returns its log for people.
func Simulate(ctx context.Context, scenario []byte,
	options *SimulationOptions) (log string, summary Summary, err error) {
	simulation, err := NewSimulation(options)
	if err != nil {
		return "", Summary{}, err
	}
	defer simulation.Close()
	summary, err = simulation.Run(ctx, scenario)
	text, failure := simulation.Write(LogFormatTable)
	if err == nil {
		err = failure
	}
	return string(text), summary, err
}
