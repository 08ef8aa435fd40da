/* SPDX-License-Identifier: MIT */
/*
 * tools/progress.h - progress on standard error if that is a terminal; else these functions do nothing.
 */
#ifndef REBALANCECTL_PROGRESS_H
#define REBALANCECTL_PROGRESS_H

/* Shows a progress line until progress_stop(). */
void progress_start(void);
/* Sets the text of the line, which is cut at the width of a line. */
__attribute__((format(printf, 1, 2))) void progress(const char *format, ...);
/* Removes the line until progress_show(), while the terminal is used for other input or output. */
void progress_hide(void);
void progress_show(void);
void progress_stop(void);

#endif
