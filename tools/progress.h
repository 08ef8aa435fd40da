/* SPDX-License-Identifier: MIT */
/*
 * tools/progress.h - what goes on, on standard error when that is a terminal; else these functions do nothing.
 */
#ifndef REBALANCECTL_PROGRESS_H
#define REBALANCECTL_PROGRESS_H

/* From now on a line says what goes on, until progress_stop(). */
void progress_start(void);
/* What goes on: cut where a line ends. */
__attribute__((format(printf, 1, 2))) void progress(const char *format, ...);
/* Takes the line away, until progress_show(): something else is written to the terminal, or read from it. */
void progress_hide(void);
void progress_show(void);
void progress_stop(void);

#endif
