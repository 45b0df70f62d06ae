/* SPDX-License-Identifier: MIT */
/*
 * results.h: decides for each row of benchmark results whether it differs between two groups of
 * files. A row is one metric of one benchmark with one set of parameters. judge.h does the same for
 * the rows of profiles.
 *
 * A value varies at three levels: between the samples of a process, between the processes of a
 * file, and between files, since the machine, the layout of memory and other programs are not the
 * same again. Samples of one process that follow each other are alike. So a row is not judged by
 * the number of its samples.
 *
 * Within a file: from 16 samples on, the samples are divided into PS_RESULT_BATCHES batches of
 * successive ones, and their medians count (the method of batch means: G. S. Fishman, Grouping
 * Observations in Digital Simulation, Management Science 24 (1978)). Where a file has several
 * processes, the means of the processes count. The value of the row is the mean of these values
 * without the smallest and the largest eighth; its variance follows from their spread. A file
 * without samples has the mean and its standard error, or an interval or the quartiles of the
 * median.
 *
 * Between files: with several files in a group, by the spread of their values. Few files tell
 * little, so that the variance of a row is combined with that of the other rows of the same unit
 * (G. K. Smyth, Linear Models and Empirical Bayes Methods, Stat. Appl. Genet. Mol. Biol. 3 (2004)).
 * With one file a side, by the other rows: rows that became less are noise for the verdict that a
 * row became more, and the reverse, whatever the number of rows that changed in the same direction.
 * Fewer than PS_RESULT_PRIOR_ROWS rows tell little: then the spread between files is taken to be
 * PS_RESULT_BETWEEN, unless most rows vary more. The spread between files is the same for all rows,
 * or in proportion to the spread of the samples of a row, or between both. The choice that explains
 * the rows best is taken, since noisy rows among quiet ones vary more between files.
 *
 * Ratios are tested by Student's t (degrees of freedom: F. E. Satterthwaite 1946; B. L. Welch
 * 1947). Over all rows, the procedure of Y. Benjamini and Y. Hochberg (1995) with PS_RESULT_FDR:
 * about 1 in 100 comparisons without a change has a verdict on any row, and of all verdicts about 1
 * in 100 is wrong.
 */
#ifndef PS_COMPARE_RESULTS_H
#define PS_COMPARE_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include "compare/judge.h"

#define PS_RESULT_FDR        0.01
#define PS_RESULT_BATCHES    8
#define PS_RESULT_BETWEEN    0.005
#define PS_RESULT_PRIOR_ROWS 8

/* A row in one file. */
struct ps_result {
    double center;   /* NAN: unknown */
    double variance; /* of the center, by what varies within the file; NAN: unknown */
    double df;       /* degrees of freedom of the variance */
    double spread;   /* variance of a sample; NAN: unknown */
};

/* sizes: number of samples of each process, in the order of the samples; NULL: one process. */
struct ps_result ps_result_of_samples(const double *samples, size_t n, const double *sizes,
                                      size_t n_sizes);
/* n: number of samples of which the mean and the standard deviation are. */
struct ps_result ps_result_of_mean(double mean, double stddev, double n);
/* low, high: interval of the center with the confidence level; n: number of samples. */
struct ps_result ps_result_of_interval(double center, double low, double high, double level,
                                       double n);
/* q1, q3: quartiles of the samples. */
struct ps_result ps_result_of_quartiles(double median, double q1, double q3, double n);

/* A row of the comparison. */
struct ps_result_row {
    const struct ps_result *files; /* of each file, those of the base first */
    uint32_t family;               /* rows of the same family, such as a unit, vary alike */
    double resolution;             /* value of 1 in the last digit; 0: exact */
};

struct ps_result_verdict {
    double shift;   /* new - base, estimated from the centers */
    double error;   /* standard error of the shift; NAN: no spread is known */
    double df;      /* its degrees of freedom */
    double noise;   /* a shift above this is significant; NAN: unknown */
    double half;    /* half of the 95 % interval of the shift; NAN: unknown */
    double seen;    /* a true shift of this size is found in 9 of 10 cases; NAN: unknown */
    double p_value; /* NAN: unknown */
    enum ps_verdict verdict;
};

/* pairs: for each file of the base the index (from 0) of the file of the new group that was
 * recorded with it; NULL: the files are not pairs. verdicts: n_rows results. */
/* Shifts are logarithms of ratios; if a value is not above 0, they are differences, divided by the
 * largest value of the row. */
void ps_results_judge(const struct ps_result_row *rows, size_t n_rows, size_t n_base, size_t n_new,
                      const uint32_t *pairs, struct ps_result_verdict *verdicts);

#endif
