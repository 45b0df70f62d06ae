/* SPDX-License-Identifier: MIT */
/* fact_words.c: how facts are said, in the groups of claim.h. words.c describes the slots of the
 * templates. */
#include "server/query/conclusion/claim.h"

const struct ps_fact_words ps_fact_words[PS_N_FACTS] = {
    /* of functions, stacks and threads */
    [PS_FACT_RECURSION] = {"recursion", 2,
                           .words = " It calls itself: {0} calls, {1} of them from "
                                    "outside."},
    [PS_FACT_DEPTH] = {"depth", 1, .words = " It calls itself, {0} deep on average."},
    [PS_FACT_RESUMED] = {"resumed", 1, .words = " It is resumed {0} times."},
    [PS_FACT_ONE_BY_ONE] = {"one_by_one", 2,
                            .words = " It is resumed {0} times, and the event loop waits {1 of} "
                                     "times: one wait after another. asyncio.gather starts them "
                                     "together."},
    [PS_FACT_BLOCKS_LOOP] = {"blocks_loop",
                             .words = " {fact code} runs in the event loop, which waits meanwhile: "
                                      "asyncio.to_thread lets other tasks run."},
    [PS_FACT_TOGETHER] = {"together", 1,
                          .words = " {0} threads are at {fact place} most of their time: at a "
                                   "lock, or in Python code with the GIL, one of them gets on at "
                                   "a time."},
    [PS_FACT_LOCKED] = {"locked", 1, .place = PS_SAID_VERDICT,
                        .words =
                            "{0} threads wait in {subjects} for a lock, {waits} of their {whole}. "
                            "It is held in {fact}."},
    [PS_FACT_CALLED_AT] = {"called_at", .words = " {fact code} calls it at {fact place}."},
    [PS_FACT_CALLED_BY] = {"called_by", .words = " {fact code} calls it."},
    [PS_FACT_LED_BY] = {"led_by", .words = " {fact code} leads to it."},
    [PS_FACT_NO_OWN_CODE] = {.code = "no_own_code", .n_values = 1},
    [PS_FACT_MOST_IMPORTS] = {.code = "most_imports", .n_values = 1},
    [PS_FACT_CALLS] = {"calls", 1, .words = "{0 nouns}"},
    [PS_FACT_CALLS_FROM] = {"calls_from", 1, .words = "{0 nouns of} from {fact}"},
    [PS_FACT_SOME_CALLS_FROM] = {"some_calls_from", 2,
                                 .words = "{0 of} of {1 nouns of} from {fact}"},
    [PS_FACT_CALLER] = {"caller", .words = "called from {fact}"},
    [PS_FACT_AMOUNT_AT] = {"amount_at", 2, .words = " {0 part} of {1 unit of}{, evidence}."},
    [PS_FACT_OF_IT] = {"of_it", 1, .place = PS_SAID_AFTER, .words = " Of it {fact} takes {0 % of}",
                       .next = ", {fact} {0 % of}", .end = "."},
    [PS_FACT_AT] = {"at", .words = "all at {fact place}"},
    [PS_FACT_MOSTLY_AT] = {"mostly_at", .words = "mostly at {fact place}"},
    [PS_FACT_DEFINED_AT] = {"defined_at", .words = "defined at {fact place}"},
    [PS_FACT_MUCH_AT] = {"much_at", 1, .words = "{0 unit of} at {fact place}"},
    [PS_FACT_AT_MAY_WAIT] = {"at_may_wait", .words = "all at {fact place}, which may wait"},
    [PS_FACT_ALL_CALLED_FROM] = {"all_called_from", .words = "all called from {fact place}"},
    [PS_FACT_MUCH_CALLED_FROM] = {"much_called_from", 1,
                                  .words = "{0 unit of} called from {fact place}"},
    [PS_FACT_WAITING_IN] = {"waiting_in", .words = "waiting in {codes}"},
    [PS_FACT_IDLE_THREADS] =
        {"idle_threads", 2, .place = PS_SAID_LAST,
         .words = " Shares are of the {0 general} {0 thread|threads} that worked; {1 general} "
                  "idle {1 thread is|threads are} left out."},
    [PS_FACT_MOST_ACTIVE] = {"most_active", 1, .place = PS_SAID_LAST,
                             .words = " The most active thread is {fact code}, with {0 unit of}."},
    [PS_FACT_SHORT] = {"short", 1, .place = PS_SAID_BEFORE,
                       .words = "Too short to tell the cause: {0 s of}. "},
    [PS_FACT_FEW_SAMPLES] = {"few_samples", 1, .place = PS_SAID_BEFORE,
                             .words =
                                 "Too short to tell the cause: {0 general} {0 sample|samples}. "},
    [PS_FACT_FEW_OBJECTS] = {"few_objects", 1, .place = PS_SAID_BEFORE,
                             .words =
                                 "Too few to tell the cause: {0 general} {0 object|objects}. "},
    [PS_FACT_NO_NAMES] = {"no_names", .place = PS_SAID_VERDICT,
                          .words = "The profile does not name most functions. Symbolize it with "
                                   "the debug symbols of the program, and add it again."},
    [PS_FACT_NO_FRAMES] = {"no_frames", 1, .place = PS_SAID_BEFORE,
                           .words = "{0 % of} of the {word} is without a frame. "},
    [PS_FACT_LATE] = {"late", 1, .place = PS_SAID_BEFORE,
                      .words = "{0 % of} of the samples are late. "},
    [PS_FACT_COLLECTS] = {"collects", 1, .place = PS_SAID_BEFORE,
                          .words = "{0 % of} of the total is spent in the garbage collector, and "
                                   "counts for the functions that it interrupts. "},
    [PS_FACT_ALL_FRAMELESS] = {"all_frameless", .place = PS_SAID_VERDICT,
                               .words = "No sample has a frame."},
    [PS_FACT_ALL_ZERO] = {"all_zero", .place = PS_SAID_VERDICT,
                          .words = "All stacks have the weight 0."},
    [PS_FACT_NO_SAMPLES] = {"no_samples", .place = PS_SAID_VERDICT,
                            .words = "No sample was recorded."},

    /* of all kinds */
    [PS_FACT_SHARES_OF] = {.code = "shares_of"},
    [PS_FACT_NO_SINGLE] = {"no_single", .place = PS_SAID_VERDICT,
                           .words = "No single {word} stands out."},
    [PS_FACT_NONE_MEASURED] = {"none_measured", .place = PS_SAID_VERDICT,
                               .words = "No {word} was measured."},

    /* of measurements */
    [PS_FACT_GROWTH] =
        {"growth", 5, .place = PS_SAID_VERDICT,
         .words = "{codes} grows {4 law}: {0 general} \u2192 {1 general} takes {2 times} as "
                  "long."},
    [PS_FACT_GROWS] = {"grows", 5,
                       .words = "grows {4 law}, {0 general} \u2192 {1 general} takes "
                                "{2 times} as long"},
    [PS_FACT_IT_TAKES] = {"it_takes", 2, .words = " {0 unit of}{1 (runs)}"},
    [PS_FACT_AGAINST] = {"against", 2, .words = " against {0 unit of}{1 (runs)}."},
    [PS_FACT_SLOWER] = {"slower", 2, .place = PS_SAID_VERDICT,
                        .words = "{codes} is {0 ratio}{1 error} times slower than {via code}."},
    [PS_FACT_NEEDS_MORE] = {"needs_more", 2, .place = PS_SAID_VERDICT,
                            .words =
                                "{codes} needs {0 ratio}{1 error} times as much as {via code}."},
    [PS_FACT_NO_DIFFERENCE] = {"no_difference", .place = PS_SAID_VERDICT,
                               .words = "No clear difference between {via code} and {codes}."},
    [PS_FACT_FASTEST] = {"fastest", 1, .words = "fastest{0 runs}"},
    [PS_FACT_SMALLEST] = {"smallest", 1, .words = "smallest{0 runs}"},
    [PS_FACT_AS_LONG] = {"as_long", 3,
                         .words = "{0 ratio}{1 error} times as long{1 unclear}{2 runs}"},
    [PS_FACT_AS_LARGE] = {"as_large", 3,
                          .words = "{0 ratio}{1 error} times as large{1 unclear}{2 runs}"},
    [PS_FACT_CPU_WAITS] = {"cpu_waits", 3, .place = PS_SAID_VERDICT,
                           .words =
                               "{codes} uses {0 s} of CPU in {1 s}: it waits {2 %} of the time."},
    [PS_FACT_CPU_COMPUTES] =
        {"cpu_computes", 2, .place = PS_SAID_VERDICT,
         .words = "{codes} uses {0 s} of CPU in {1 s}: it computes and does not wait."},
    [PS_FACT_CPU_PARALLEL] =
        {"cpu_parallel", 3, .place = PS_SAID_VERDICT,
         .words = "{codes} uses {0 s} of CPU in {1 s}: {2 tenths} CPUs on average."},
    [PS_FACT_NONE_LONGEST] = {"none_longest", .place = PS_SAID_VERDICT,
                              .words = "No single row is clearly the {word}."},
    [PS_FACT_LARGEST] = {"largest", 1, .words = " The largest are {fact code} with {0 unit of}"},
    [PS_FACT_SECOND] = {"second", 1,
                        .words = " and {fact code} with {0 unit of}, which do not differ by more "
                                 "than their spread."},
    [PS_FACT_SLOWEST_TEST] = {"slowest_test", 2, .place = PS_SAID_VERDICT,
                              .words = "{codes} takes {share} of the {1 unit of} of {0 nouns}."},
    [PS_FACT_SLOWEST_TESTS] = {"slowest_tests", 3, .place = PS_SAID_VERDICT,
                               .words = "The {2} slowest of {0 nouns} take {share} of "
                                        "{1 unit of}: {shares}."},
    [PS_FACT_TAKES_LONGEST] = {"takes_longest", 1, .place = PS_SAID_VERDICT,
                               .words = "{codes} takes longest: {0 unit}"},
    [PS_FACT_TAKES] = {"takes", 1, .place = PS_SAID_VERDICT, .words = "{codes} takes {0 unit}"},
    [PS_FACT_IS] = {"is", 1, .place = PS_SAID_VERDICT, .words = "{codes} is {0 unit}"},
    [PS_FACT_IS_LOWEST] = {"is_lowest", 1, .place = PS_SAID_VERDICT,
                           .words = "{codes} has the lowest value: {0 unit}"},
    [PS_FACT_SPREAD] = {"spread", 2, .words = "{0 runs}{1 deviation}."},
    [PS_FACT_ZERO_VALUES] = {"zero_values", .place = PS_SAID_VERDICT,
                             .words = "At least half of the measured values are 0: too short to be "
                                      "measured."},
    [PS_FACT_NO_VALUES] = {"no_values", .place = PS_SAID_VERDICT,
                           .words = "The file has no measured values, or every command failed."},
    [PS_FACT_TOO_SHORT] = {"too_short", .place = PS_SAID_VERDICT,
                           .words = "{command} is too short to be judged."},
    [PS_FACT_CPU_BOUND] = {"cpu_bound", .place = PS_SAID_VERDICT,
                           .words = "{command} is limited by the CPU."},
    [PS_FACT_WAITING] = {"waiting", .place = PS_SAID_VERDICT,
                         .words = "{command} waits most of the time."},
    [PS_FACT_MIXED] = {"mixed", .place = PS_SAID_VERDICT, .words = "{command} computes and waits."},
    [PS_FACT_PARALLEL] = {"parallel", .place = PS_SAID_VERDICT,
                          .words = "{command} computes on several CPUs."},
    [PS_FACT_SYSTEM_HEAVY] = {"system_heavy", .place = PS_SAID_VERDICT,
                              .words = "{command} spends its CPU time in the kernel."},
    [PS_FACT_MEMORY_HEAVY] = {"memory_heavy", .place = PS_SAID_VERDICT,
                              .words = "{command} reads memory pages from the disk."},
    [PS_FACT_CPU_TIMES] = {"cpu_times", 3, .words = " {0 s} user and {1 s} system time in {2 s}."},

    /* of memory curves */
    [PS_FACT_PEAK] = {"peak", 2, .place = PS_SAID_VERDICT,
                      .words = "Memory peaks at {0 bytes} after {1 s}."},
    [PS_FACT_PEAK_GROWS] = {"peak_grows", 2, .place = PS_SAID_VERDICT,
                            .words =
                                "Memory peaks at {0 bytes} after {1 s}, and grows all the time."},
    [PS_FACT_STAYS] = {"stays", 3,
                       .words = " It starts at {0 bytes} and still is {1 bytes} at the "
                                "end, after {2 s}."},
    [PS_FACT_ENDS] = {"ends", 3,
                      .words = " It starts at {0 bytes} and ends at {1 bytes} after {2 s}."},
    [PS_FACT_EXITS] = {"exits", 3,
                       .words = " It starts at {0 bytes} and is {1 bytes} before it "
                                "ends, after {2 s}."},
    [PS_FACT_STAYS_TO_EXIT] = {"stays_to_exit", 3,
                               .words = " It starts at {0 bytes} and still is {1 bytes} before it "
                                        "ends, after {2 s}."},
    [PS_FACT_HOLDS] = {"holds", 2,
                       .words = " {fact code} holds {0 bytes} of the peak, which it "
                                "added in {1} {1 call|calls}."},
    [PS_FACT_CALLS_TAKE] = {"calls_take", 2, .words = "{0} {0 call|calls}, {1 s}"},
    [PS_FACT_WITH_CHILDREN] = {"with_children", 2,
                               .words = " The curve does not contain its {0} child {0 "
                                        "process|processes}: with {0 it|them}, memory peaks at {1 "
                                        "bytes}."},
    [PS_FACT_CHILDREN] = {"children", 2,
                          .words = " Its {0} child {0 process peaks|processes together peak} at {1 "
                                   "bytes}; the file does not say whether the curve contains {0 "
                                   "it|them}, as with --include-children."},

    /* of lines */
    [PS_FACT_ADDS] = {"adds", 1, .place = PS_SAID_VERDICT, .words = "{codes} adds {0 bytes}."},
    [PS_FACT_LINE_GROWS] = {"line_grows", 2,
                            .words = " It is at {place} in {via code}, which grows the memory by "
                                     "{0 bytes of} in {1 of} {1 call|calls}."},
    [PS_FACT_LINES_GROW] = {"lines_grow", 2,
                            .words = " At {fact place}, in lines that ran several times, it grows "
                                     "the memory by {0 bytes of} in {1 of} {1 call|calls}."},
    [PS_FACT_MAY_KEEP] = {"may_keep",
                          .words = " A name that a loop assigns again holds one object at a time: "
                                   "{fact code} at {fact place} may keep the others."},
    [PS_FACT_MEMORY_PEAK] = {"memory_peak", 1, .words = " Memory peaks at {0 bytes of}."},
    [PS_FACT_FREED] = {"freed", 1, .place = PS_SAID_VERDICT,
                       .words = "What {codes} {0 adds|adds in each call} is freed again."},
    [PS_FACT_CALL_ADDS] = {"call_adds", 1,
                           .words = " A call adds up to {0 bytes of}, most of it with {fact code} "
                                    "at {fact place} in {codes}."},
    [PS_FACT_EXCEEDS] = {"exceeds", .place = PS_SAID_VERDICT,
                         .words = "The increments exceed the memory of the process, so no line is "
                                  "named."},
    [PS_FACT_PLACE] = {"place", .words = "{fact place}"},
    [PS_FACT_PLACE_IN] = {"place_in", .words = "{fact place} in {other}"},
    [PS_FACT_REPEATED_IN] = {"repeated_in", .words = "{fact place} in {other}, which ran several "
                                                     "times in a call"},

    [PS_FACT_SHARE_OF] = {"share_of", .place = PS_SAID_VERDICT,
                          .words = "{codes} {verb} {share} of {via code}."},
    [PS_FACT_CALLS_ITSELF] = {"calls_itself", .place = PS_SAID_VERDICT,
                              .words = "{codes} takes {share} of {via code}, which calls itself "
                                       "there."},
    [PS_FACT_TAKES_SAMPLES] = {"takes_samples", .place = PS_SAID_VERDICT,
                               .words = "{codes} {verb} {share} of the samples."},
    [PS_FACT_FUNCTION_SAMPLES] = {"function_samples", .place = PS_SAID_VERDICT,
                                  .words = "{subjects} {verb} {share} of the samples."},
    [PS_FACT_LARGEST_LINE] = {"largest_line", 1,
                              .words = " Its largest line is {fact place}, with {0 %}."},
    [PS_FACT_PASSED_ON] = {"passed_on", 1,
                           .words = " It is called back from {fact place}, which takes {0 %} "
                                    "more."},
    [PS_FACT_TIME_IN_HITS] = {"time_in_hits", 3,
                              .words = " {0 s} of {1 s of} in {2} {2 hit|hits}, {place}."},
    [PS_FACT_HITS] = {"hits", 1, .words = " {0} {0 hit|hits}, {place}."},
    [PS_FACT_CPU_PARTS] = {"cpu_parts", 3,
                           .words = " {0 %} in Python, {1 %} in native code, {2 %} "
                                    "not running, at {place}."},
    [PS_FACT_UNSAMPLED] = {"unsampled",
                           .words = " Samples fall on calls and on ends of loops: the time may "
                                    "also be of {fact code} at {fact place}, which has neither."},
    [PS_FACT_IMPORTS_TAKE] = {"imports_take", 1, .words = " Imports take {0 % of} of the samples."},
    [PS_FACT_CALLED_FROM] = {"called_from", 0, .place = PS_SAID_AFTER,
                             .words = " It is called from {fact place}",
                             .next = ", which is called from {fact place}", .end = "."},
    [PS_FACT_CALLED_BY_COUNTS] = {"called_by_counts", 0, .place = PS_SAID_AFTER,
                                  .words = " By counts and times, it is called from {fact place}",
                                  .next = ", which is called from {fact place}", .end = "."},
    [PS_FACT_LEAKS] = {"leaks", 2,
                       .words = " {fact place} leaks with a likelihood of {0 % of}{1 "
                                "rate}."},
    [PS_FACT_ALLOCATES] = {"allocates", 1,
                           .words = " {fact place} allocates {0 % of} of what is "
                                    "allocated."},

    /* of lists of names with one measure */
    [PS_FACT_LOST] = {"lost", .place = PS_SAID_VERDICT,
                      .words = "Calls were lost: the buffer of the profiler was full."},
    [PS_FACT_KEPT] = {"kept", 3,
                      .words = " What was kept shows no shares. The longest in it is {fact code} "
                               "with {0 unit of}{2 in nouns}, of which lost calls may have been a "
                               "part."},
    [PS_FACT_SHARE_BASE] = {"share_base", 3, .place = PS_SAID_VERDICT,
                            .words = "{codes} {verb} {share} {word}."},
    [PS_FACT_AMOUNT_BASE] = {"amount_base", 1, .place = PS_SAID_VERDICT,
                             .words = "{codes} {verb} {0 unit} {word}."},
    [PS_FACT_MOST_CPU] = {"most_cpu", 1, .place = PS_SAID_VERDICT,
                          .words = "{codes} uses the most CPU: {0 unit} {word}."},
    [PS_FACT_AMOUNT_OF] = {"amount_of", 3, .words = " {0 unit} of {1 unit of}{2 in nouns}."},
    [PS_FACT_COUNT] = {"count", 3, .words = "{2 nouns}"},
    [PS_FACT_COMPILES] = {"compiles", 3, .place = PS_SAID_VERDICT,
                          .words =
                              "JAX compiles {0} programs, which takes {share} of the recording."},
    [PS_FACT_COMPILED] = {"compiled", 3,
                          .words = " JAX compiled {0 of} {0 program|programs} while recording, "
                                   "which took {1 s of} of the span of {2 s of}. Record after a "
                                   "warm-up to leave that out."},
    [PS_FACT_NEW_SHAPES] = {"new_shapes",
                            .words = " Each new shape or type of an input, and each new function, "
                                     "is compiled. Inputs padded to equal shapes are compiled "
                                     "once; jax.log_compiles names what is compiled."},
    [PS_FACT_SLICES_SAMPLED] = {"slices_sampled",
                                .words = " A slice is a row of equal samples, not a call."},
    [PS_FACT_NO_DEVICE_WORK] = {"no_device_work", .place = PS_SAID_VERDICT,
                                .words = "No work of a GPU was recorded."},
    [PS_FACT_MOST_CALLS] = {"most_calls", 2,
                            .words = " Of the recorded calls, {fact code} takes the most time, {0 "
                                     "s} in {1} {1 call|calls}. A call may be a wait."},
    [PS_FACT_FEW_CALLS] = {"few_calls", 1,
                           .words = " The recorded calls take {0 %} of the trace: it does not "
                                    "tell what the program does."},
    [PS_FACT_NO_CALLS] = {"no_calls", .words = " The file has no calls of the program either."},
    [PS_FACT_IN_CALLS] =
        {"in_calls", 1, .place = PS_SAID_VERDICT,
         .words = "{codes} takes {share} of the time in {0} {0 call|calls}, with what it "
                  "calls."},
    [PS_FACT_BELOW] = {"below", 2,
                       .words = " Among the rows with less, {fact code} has {0 % of} "
                                "of the time in {1 of} {1 call|calls}."},
    [PS_FACT_NEEDED_OPERATORS] = {"needed_operators", 1,
                                  .words = " Matrix products, convolutions and attention, "
                                           "forward and backward, take {0 % of}{of each}."},
    [PS_FACT_SMALL_OPERATORS] = {"small_operators", .place = PS_SAID_VERDICT,
                                 .words = "Many small operators take the time."},
    [PS_FACT_SMALL_CALLS] = {"small_calls", 2,
                             .words = " The listed operators are called {0} times, {1 s} each on "
                                      "average, as in a Python loop over elements."},
    [PS_FACT_CONVERSIONS] = {"conversions", 1,
                             .words = " A tensor becomes a Python number {0 of} times."},
    [PS_FACT_OPERATOR] = {"operator", 1, .place = PS_SAID_AFTER,
                          .words = " The largest operators are {fact code} {0 % of}",
                          .next = ", {fact code} {0 % of}", .end = "."},

    /* of imports */
    [PS_FACT_IMPORT_TIME] = {"import_time", .place = PS_SAID_VERDICT,
                             .words = "{codes} takes {share} of the import time."},
    [PS_FACT_OWN_IMPORT_TIME] = {"own_import_time", .place = PS_SAID_VERDICT,
                                 .words = "{codes} takes {share} of the import time in its own "
                                          "code."},
    [PS_FACT_IMPORTER_UNKNOWN] = {"importer_unknown",
                                  .words = "imported by the program or in a function that it "
                                           "calls; the log does not say which"},
    [PS_FACT_IS_LAZY] = {"is_lazy", 1,
                         .words = "{0 imported|first imported} by {fact code}, in a "
                                  "function: it is lazy already"},
    [PS_FACT_USED_AT_START] = {"used_at_start", 1,
                               .words = "{0 imported|first imported} by {fact code}, used at "
                                        "start"},
    [PS_FACT_MAKE_LAZY] = {"make_lazy", 1,
                           .words = "{0 imported|first imported} by {fact code}, {make lazy}"},
    [PS_FACT_OWN_IMPORTED_BY] = {"own_imported_by",
                                 .words = "the time of its own code, imported by {fact code}"},
    [PS_FACT_SMALL_MODULES] = {"small_modules",
                               .words = "each takes less than 2 % in its own code"},
    [PS_FACT_BEFORE_PROGRAM] = {"before_program", .words = "imports before the program"},
    [PS_FACT_LARGEST_PART] = {"largest_part", 1, .place = PS_SAID_AFTER,
                              .words = " Its largest parts are {fact code} {0 % of}{with other}",
                              .next = ", {fact code} {0 % of}{with other}", .end = "."},
    [PS_FACT_LAZY_SAVES] = {"lazy_saves", 2,
                            .words = " Imported lazily, it would save up to {0 s of} of {1 s "
                                     "other}, unless start-up uses it."},
    [PS_FACT_PULLED_IN] = {"pulled_in",
                           .words = " {fact code} imports it, though {other} is what is imported."},
    [PS_FACT_BRINGS] = {"brings", .words = " It brings {fact code}."},
    [PS_FACT_IMPORTED_AGAIN] = {"imported_again", 1, .place = PS_SAID_VERDICT,
                                .words =
                                    "{0 % of} of the import time is for modules that an earlier "
                                    "process of the log imports too."},
    [PS_FACT_LARGEST_AGAIN] = {"largest_again",
                               .words = " The largest is {codes}, with what it imports. Import it "
                                        "only in the processes that need it."},
    [PS_FACT_IMPORTS_IT] = {"imports_it", 1,
                            .words = " {fact code} {0 imports it|imports it first}."},
    [PS_FACT_NEEDED_TOO] = {"needed_too", 1,
                            .words = " {fact code} takes {0 % of}, but is used at start."},
    [PS_FACT_LAZY_SAVES_NOTHING] = {"lazy_saves_nothing",
                                    .words = " It is used at start, so a lazy import saves "
                                             "nothing."},
    [PS_FACT_NEEDED_THERE] = {"needed_there",
                              .words = " If it is used there at import, a lazy import saves "
                                       "nothing, except one of {fact code}."},
    [PS_FACT_TOGETHER_SAVE] = {"together_save", 2,
                               .words = " {0 of} packages that save 2 % or more each would save up "
                                        "to {1 s of} together."},
    [PS_FACT_WORKS_WHILE] = {"works_while", .words = " It works while {fact code} imports it."},
    [PS_FACT_FRAMEWORK] = {"framework",
                           .words = " Classes or functions for {fact code} may be part of that "
                                    "work, and are needed."},
    [PS_FACT_OWN_SAVING] = {"own_saving", 1,
                            .words = " Up to {0 %} could be saved, if nothing needs its results at "
                                     "start."},
    [PS_FACT_THREADS_IMPORT] = {"threads_import", .place = PS_SAID_VERDICT,
                                .words = "No single package can be named: several threads imported "
                                         "at once."},

    /* of memory snapshots */
    [PS_FACT_ALLOCATION_FAILED] =
        {"allocation_failed", 3, .place = PS_SAID_VERDICT,
         .words = "An allocation of {0 bytes of} failed on GPU {1 general}: the "
                  "driver had {2 bytes of} free."},
    [PS_FACT_DEVICE_PEAK] = {"device_peak", 2, .place = PS_SAID_VERDICT,
                             .words = "Memory peaks at {0 bytes of} on GPU {1 general}."},
    [PS_FACT_STACK_GROWS] = {"stack_grows", 2,
                             .words = " It grows: {stack} keeps {0 bytes of} more in each of {1 "
                                      "of} steps."},
    [PS_FACT_RESERVED] = {"reserved", 3,
                          .words = " PyTorch had reserved {0 bytes of}, of which {1 bytes of} were "
                                   "not in use; the largest hole was {2 bytes of}."},
    [PS_FACT_NO_STACK] = {"no_stack", 1,
                          .words = " {0 bytes of} of the allocated memory has no Python stack."},
    [PS_FACT_STACK_HOLDS] =
        {"stack_holds", 3, .place = PS_SAID_AFTER,
         .words = " {stack} holds the most{2  of the rest|}, {0 bytes of} in {1 of} {1 "
                  "allocation|allocations}",
         .next = ", {stack} {0 bytes of}", .end = "."},
    [PS_FACT_SMALL_STACKS] = {"small_stacks", .words = " No stack holds more than 5 %."},
    [PS_FACT_NO_STACKS] = {"no_stacks", .words = " The memory has no Python stack."},
    [PS_FACT_STACK] = {"stack", .words = "{stack}"},
    [PS_FACT_ALLOCATIONS] = {"allocations", 1, .words = "{0} {0 allocation|allocations}"},
    [PS_FACT_ALLOCATIONS_BY] = {"allocations_by", 2,
                                .words = "{0} {0 allocation|allocations} by {1 general} stacks"},
    [PS_FACT_ALLOCATIONS_LIVE] = {"allocations_live", 2,
                                  .words = "{0} {0 allocation|allocations}, live for {1 general} "
                                           "events (median)"},
    [PS_FACT_SEGMENTS] = {"segments", 3,
                          .words = "{0 bytes of} reserved in {1 general} {1 segment|segments}, "
                                   "largest hole {2 bytes of}"},

    /* of comparisons: changes are new - base, in the unit of the fact */
    [PS_FACT_EXPLAINS] = {"explains", 2, .place = PS_SAID_VERDICT,
                          .words = "{fact} explains {0 change} of {1 change}{per}."},
    [PS_FACT_NEW_EXPLAINS] = {"new_explains", 2, .place = PS_SAID_VERDICT,
                              .words = "{fact} is new, and explains {0 change} of "
                                       "{1 change}{per}."},
    [PS_FACT_GONE_EXPLAINS] = {"gone_explains", 2, .place = PS_SAID_VERDICT,
                               .words = "{fact} is gone, and explains {0 change} of "
                                        "{1 change}{per}."},
    [PS_FACT_EXPLAINS_MORE] = {"explains_more", 3, .place = PS_SAID_VERDICT,
                               .words = "{fact} explains {0 change}; all others {1 change}, "
                                        "together {2 change}{per}."},
    [PS_FACT_TWO_EXPLAIN] = {"two_explain", 4, .place = PS_SAID_VERDICT,
                             .words = "{fact} ({0 change}) and {other fact} ({1 change}) explain "
                                      "{2 change} of {3 change}{per}."},
    [PS_FACT_TWO_CHANGE] = {"two_change", 4, .place = PS_SAID_VERDICT,
                            .words = "{fact} changes by {0 change} and {other fact} by "
                                     "{1 change}; all together change by {3 change}{per}."},
    [PS_FACT_SPREAD_OVER] = {"spread_over", 2, .place = PS_SAID_VERDICT,
                             .words = "{0 change}{per} is spread over {1} {word}s."},
    [PS_FACT_IS_PART] = {"is_part", 2, .place = PS_SAID_VERDICT,
                         .words = " In the step this is {fact}: {0 change}{per}; the step "
                                  "changes by {1 change}."},
    [PS_FACT_MOST_OF_CHANGE] =
        {"most_of_change", 2, .place = PS_SAID_VERDICT,
         .words = "{1 Most of it|Its largest part} is at {fact}: {0 change}{per}."},
    [PS_FACT_WAITED_FOR] = {"waited_for", 2, .place = PS_SAID_VERDICT,
                            .words = " The host waits for it in {fact}: {0 change} of "
                                     "{1 change}{per}."},
    [PS_FACT_CHANGED_AT] = {"changed_at", 1, .place = PS_SAID_VERDICT,
                            .words = "It changes most at {fact}."},

    [PS_FACT_ODD_STEPS] =
        {"odd_steps", 5, .place = PS_SAID_VERDICT,
         .words = "The longest step takes {0 s of} in the base and {1 s of} in the new run, the "
                  "median step {2 s of} and {3 s of}. The mean step is like none of them: the "
                  "longest is {4 % of} of the time of all steps {word}."},

    /* ... of functions */
    [PS_FACT_IS_NEW] = {"is_new", 1, .place = PS_SAID_LISTED,
                        .words = "{subjects} is new{0 with nouns}{by other}"},
    [PS_FACT_IS_GONE] = {"is_gone", 1, .place = PS_SAID_LISTED,
                         .words = "{subjects} is gone{0 with nouns}{by other}"},
    [PS_FACT_ONLY_IN_ONE] = {"only_in_one", 1, .place = PS_SAID_LISTED,
                             .words = "{subjects} is only in the {0 new profile|base}"},
    [PS_FACT_LEFT_OUT] = {"left_out", 2, .place = PS_SAID_LISTED,
                          .words =
                              ", and the {0 base|new profile} may leave out up to {1 unit of}"},
    [PS_FACT_TAKES_TIMES] = {"takes_times", 2, .place = PS_SAID_LISTED,
                             .words = "{subjects} {1 takes|take} {0 times} as long"},
    [PS_FACT_CALLED_AS_BEFORE] = {"called_as_before", 1, .place = PS_SAID_LISTED,
                                  .words = "{subjects} is called {0} {0 time|times} as before"},
    [PS_FACT_CALLED_INSTEAD] =
        {"called_instead", 2, .place = PS_SAID_LISTED,
         .words = "{subjects} is called{by other} {0} {0 time|times} instead of {1}"},
    [PS_FACT_SAME_COST] = {"same_cost", .place = PS_SAID_LISTED,
                           .words = ", at about the same cost a call"},
    [PS_FACT_COST_TIMES] = {"cost_times", 1, .place = PS_SAID_LISTED,
                            .words = ", and a call takes {0 times} as long"},
    [PS_FACT_CHANGE] = {"change", 3, .place = PS_SAID_LISTED,
                        .words = ": {0 change}{1  with what it calls|}"},
    [PS_FACT_CHANGE_OF] = {"change_of", 3, .place = PS_SAID_LISTED,
                           .words = ": {0 change} of {2 change}{per}{1 , with what it calls|}"},
    [PS_FACT_CHANGE_WHILE] = {"change_while", 3, .place = PS_SAID_LISTED,
                              .words = ": {0 change}{1  with what it calls|}, while all {word} "
                                       "together take {2 change}{per}"},
    [PS_FACT_WAS] = {"was", .place = PS_SAID_VERDICT, .words = "{fact} is now {subjects}."},
    [PS_FACT_WAS_FILE] = {"was_file", .place = PS_SAID_VERDICT,
                          .words = "The functions of {fact} are now in {subjects}."},
    [PS_FACT_OTHER_FOLDER] = {"other_folder", .place = PS_SAID_VERDICT,
                              .words = "The functions of {subjects} are now in another folder."},
    [PS_FACT_CALLED_TIMES] =
        {"called_times", 3, .place = PS_SAID_VERDICT,
         .words = "All functions are called {0 times} as often: there was {1 more|less} to do. {2 "
                  "Beyond that,|No function changed.}"},
    [PS_FACT_ALL_TAKE_TIMES] =
        {"all_take_times", 2, .place = PS_SAID_VERDICT,
         .words = "No single function stands out: all together take {0 times} as long{1 , in as "
                  "many calls|}."},
    [PS_FACT_SAME_FUNCTIONS] =
        {"same_functions", 2, .place = PS_SAID_VERDICT,
         .words = "No function changed: {0 calls are as before, and costs of a call|times} {1 went "
                  "up and down alike, as by noise|differ by no more than noise}."},
    [PS_FACT_SAME_CALLS] = {"same_calls", 1, .place = PS_SAID_VERDICT,
                            .words = "No function changed{0 : calls are as before|}."},
    [PS_FACT_SPEED] = {"speed", 5, .place = PS_SAID_VERDICT,
                       .words = "{4 how many} functions take {0 times} as long{1 | "
                                "(median)}, as on a {2 slower|faster} machine{3 ; the times above "
                                "are without this|}."},
    [PS_FACT_SPEED_OR_WORK] =
        {"speed_or_work", 5, .place = PS_SAID_VERDICT,
         .words = "{4 how many} functions take {0 times} as long{1 | (median)}, as with {2 "
                  "more|less} to do or on a {2 slower|faster} machine{3 ; the times above are "
                  "without this|}."},

    /* ... of imports */
    [PS_FACT_BRINGS_MODULES] = {"brings_modules", 1, .place = PS_SAID_LISTED,
                                .words = "{subjects} brings {0 nouns}"},
    [PS_FACT_BRINGS_NO_MORE] = {"brings_no_more", 1, .place = PS_SAID_LISTED,
                                .words = "{subjects} no longer brings {0 nouns}"},
    [PS_FACT_REPLACES_MODULES] = {"replaces_modules", 2, .place = PS_SAID_LISTED,
                                  .words = "{subjects} brings {0 nouns} in place of {1}"},
    [PS_FACT_SAME_MODULES] = {"same_modules", .place = PS_SAID_VERDICT,
                              .words = "The same modules are imported, in about the same time."},
    [PS_FACT_SAME_IMPORTED] =
        {"same_imported", 1, .place = PS_SAID_VERDICT,
         .words = "{0 The same modules are imported.|Of the modules that both logs have,} "},
    [PS_FACT_SAME_TAKE] = {"same_take", 3, .place = PS_SAID_VERDICT,
                           .words = "{0 The same modules are imported. They|Modules that both logs "
                                    "have} take {1 change}, in no package most of it, as on a {2 "
                                    "slower|faster} machine or disk."},
    /* ... of requests to a server */
    [PS_FACT_WORST_CHANGES] = {"worst_changes", 3, .place = PS_SAID_VERDICT,
                               .words = "The {word} {2 falls|rises} from {0 s} ({fact}) to {1 s} "
                                        "({other fact})."},
    [PS_FACT_WORST_STAYS] = {"worst_stays", 3, .place = PS_SAID_VERDICT,
                             .words = "The {word} hardly changes: {0 s} ({fact}) before, {1 s} "
                                      "({other fact}) now."},
    [PS_FACT_OWN_PREFILL] = {"own_prefill", 2, .place = PS_SAID_VERDICT,
                             .words = "Without {fact}, whose own prefill takes {1 s} ({0 s} "
                                      "before)",
                             .next = " and {fact} ({1 s}, {0 s} before)", .end = ", "},
    [PS_FACT_OTHERS_CHANGE] = {"others_change", 3, .place = PS_SAID_VERDICT,
                               .words = "the longest {2 falls|rises} from {0 s} ({fact}) to {1 s} "
                                        "({other fact})."},
    [PS_FACT_OTHERS_STAY] = {"others_stay", 3, .place = PS_SAID_VERDICT,
                             .words = "the longest hardly changes: {0 s} ({fact}) before, {1 s} "
                                      "({other fact}) now."},
    [PS_FACT_REQUEST_PART] = {"request_part", 2, .place = PS_SAID_VERDICT,
                              .words = "For {fact}, {word} takes {1 s} instead of {0 s}",
                              .next = ", {word} {1 s} instead of {0 s}", .end = "."},
    [PS_FACT_PAIRS_CHANGE] =
        {"pairs_change", 5, .place = PS_SAID_VERDICT,
         .words = "Of {0} {0 request|requests}, {1} {1 has its|have their} first token sooner and "
                  "{2} later; the median change is {3 change}{4 , which is within noise|} (one run "
                  "each)."},
    [PS_FACT_NO_PAIRS] = {"no_pairs", .place = PS_SAID_VERDICT,
                          .words = "The requests are not paired: {word}."},

    /* of traces with operators or devices */
    [PS_FACT_STEP_LEFT_OUT] =
        {"step_left_out", 4, .place = PS_SAID_BEFORE,
         .words = "One step takes {0 s of}{1 , in which torch.compile compiles|}, the other {2 "
                  "general} take {3 s of} each (median). "},
    [PS_FACT_ODD_STEP] =
        {"odd_step", 4, .place = PS_SAID_BEFORE,
         .words = "{fact} takes {0 s of}{3 to prefill}, {1 % of} of the time of all steps; the "
                  "median step takes {2 s}. "},
    [PS_FACT_ODD_STEP_PART] = {"odd_step_part", 1, .place = PS_SAID_BEFORE,
                               .words = "In it {fact} takes {0 % of}", .next = ", {fact} {0 % of}",
                               .end = ". "},
    [PS_FACT_OVERHEAD] = {"overhead", 1, .place = PS_SAID_BEFORE,
                          .words = "The profiler's own work takes {0 % of}{of each}. "},
    [PS_FACT_WAITS_FOR_DATA] =
        {"waits_for_data", 1, .place = PS_SAID_VERDICT, .words = "The loop waits for data.",
         .then = " The DataLoader takes {0 s of}{of whole}, while nothing else runs."},
    [PS_FACT_WAITS_FOR_RANK] =
        {"waits_for_rank", 2, .place = PS_SAID_VERDICT, .words = "The ranks wait for rank {0 of}.",
         .then = " Communication that nothing overlaps takes {1 s other}{of whole}."},
    [PS_FACT_COMMUNICATES] = {"communicates", 1, .place = PS_SAID_VERDICT,
                              .words = "Communication does not overlap with computation.",
                              .then = " It alone takes {0 s of}{of whole}."},
    [PS_FACT_ONE_RANK] =
        {"one_rank",
         .words = " Only this rank was recorded: a wait for a later rank looks the same."},
    [PS_FACT_COPIES] = {"copies", 1, .place = PS_SAID_VERDICT,
                        .words = "Copies do not overlap with computation.",
                        .then = " They alone take {0 s of}{of whole}."},
    [PS_FACT_CAPTURES] =
        {"captures", 1, .place = PS_SAID_VERDICT,
         .words = "A graph is captured, which happens once.",
         .then = " The {device} is idle {0 s of}{of whole}, while its work is recorded."},
    [PS_FACT_HOST_TOO_SLOW] =
        {"host_too_slow", 3, .place = PS_SAID_VERDICT,
         .words = "The host is too slow for the {device}.",
         .then = " The {device} waits {0 s of}{of whole} for the CPU{2 to launch other}."},
    [PS_FACT_GPU_IDLE] =
        {"gpu_idle", 3, .place = PS_SAID_VERDICT, .words = "The {device} is idle {1 %}{of each}.",
         .then = " The {device} waits {0 s of}{of whole} for the CPU{2 to launch other}."},
    [PS_FACT_HOST_RUNS] = {"host_runs", 1,
                           .words = " Meanwhile the host runs {fact} for {0 % of} of that time."},
    [PS_FACT_HOST_OUTSIDE] =
        {"host_outside", 1,
         .words = " The host is outside of operators for {0 % of} of that time; with_stack=True "
                  "records the functions."},
    [PS_FACT_BLOCKED] =
        {"blocked", 4, .place = PS_SAID_VERDICT,
         .words =
             "The {device} is idle {0 %}{of each} because the host blocks in {code}{3 , after its "
             "last work|}.",
         .then = " It takes {1 s}{of whole} while nothing runs on the {device}, {2 s} of it in one "
                 "call{callers}."},
    [PS_FACT_EARLIER_WORK] =
        {"earlier_work", 4, .place = PS_SAID_VERDICT,
         .words =
             "The {device} works on launches from before the recording {0 %}{of each}; the host "
             "waits in {code}.",
         .then =
             " It takes {1 s}{of whole} while no recorded work runs on the {device}, {2 s} of it "
             "in one call{callers}."},
    [PS_FACT_QUEUED] =
        {"queued", 2, .place = PS_SAID_VERDICT,
         .words = "The {device} is busy with {codes} {0 %}{of each}.",
         .then = " Launched work waits behind it for {1 s}{of whole}. It was launched before the "
                 "recording, as part of a graph, or by another process."},
    [PS_FACT_STARTS_UP] =
        {"starts_up", 4, .place = PS_SAID_VERDICT,
         .words = "Start-up takes {0 %}{of each}: the host blocks {1 calls of of}{code}{2 others}.",
         .then = " The first calls start the device and load kernels; the longest takes {3 "
                 "s}{callers}."},
    [PS_FACT_AFTER_START] = {"after_start", 2,
                             .words = " Of the other {0 s of} kernels take {1 s other}."},
    [PS_FACT_WARM_UP] = {"warm_up",
                         .words = " Record after a warm-up to see how the program runs."},
    [PS_FACT_GPU_COMPUTES] = {"gpu_computes", 1, .place = PS_SAID_VERDICT,
                              .words = "The {device} computes {0 % of}{of each}."},
    [PS_FACT_PAGES_IN] =
        {"pages_in", 4, .place = PS_SAID_VERDICT,
         .words =
             "Kernels run while page faults move managed memory to the {device}, {0 %}{of each}.",
         .then =
             " It is {1 nouns of} of {2 bytes of}, during {3 %} of the time of kernels. The recording does not tell how much of that time kernels wait."},
    [PS_FACT_TOP] = {"top", 1, .words = " {fact code} takes {0 % of}{of each}."},
    [PS_FACT_PAIR] = {"pair", 1, .place = PS_SAID_VERDICT,
                      .words = "{code} and {via code} take {0 %}{of each}.",
                      .then = " They are one operation, forward and backward."},
    [PS_FACT_TOP_OPERATOR] = {"top_operator", 2, .place = PS_SAID_VERDICT,
                              .words = "{codes} takes {1 %}{of each}.",
                              .then = " All operators take {0 s of}{of whole}."},
    [PS_FACT_DRIVER_CALLS] = {"driver_calls", 1, .place = PS_SAID_VERDICT,
                              .words = "Most of the time is spent in driver calls.",
                              .then = " {code} takes {0 s}{of whole}."},
    [PS_FACT_TORCH_COMPILES] = {"torch_compiles", 2, .place = PS_SAID_VERDICT,
                                .words = "torch.compile takes {1 %}{of each}."},
    [PS_FACT_COMPILES_AGAIN] =
        {"compiles_again", 2, .place = PS_SAID_VERDICT,
         .words = "torch.compile compiles again and again, which takes {1 %}{of each}.",
         .then = " It compiles in {0 of} of the steps. TORCH_LOGS=recompiles says why; inputs of "
                 "equal shapes, or dynamic=True, avoid it."},
    [PS_FACT_OPERATORS_TAKE] = {"operators_take", 1,
                                .words = " Operators take {0 s of}{of whole}."},
    [PS_FACT_ON_DOUBLE] = {"on_double", 1, .place = PS_SAID_VERDICT,
                           .words = "Operators on float64 take {0 %}{of each}."},
    [PS_FACT_MANY_OPERATORS] =
        {"many_operators", 3, .place = PS_SAID_VERDICT,
         .words = "Many small operators take most{of each}.",
         .then = " The program calls {0} operators{a step}, of {1 s} each on average. {2 % of}{of "
                 "each} is outside of operators, as in a Python loop over elements."},
    [PS_FACT_ITEMS] = {"items", 1,
                       .words =
                           " A tensor becomes a Python number ({fact code}) {0 of} times{a step}."},
    [PS_FACT_WITH_STACK] = {"with_stack",
                            .words =
                                " Record with with_stack=True to see which function calls them."},
    [PS_FACT_OUTSIDE_OPERATORS] = {"outside_operators", 1, .place = PS_SAID_VERDICT,
                                   .words = "Most of the time is spent outside of operators.",
                                   .then = " Operators take {0 s of}{of whole}."},
    [PS_FACT_NO_WORK] = {"no_work", .place = PS_SAID_VERDICT,
                         .words = "The trace has no kernels and no operators."},
    [PS_FACT_LATE_RANK] =
        {"late_rank", 5, .place = PS_SAID_LAST,
         .words =
             " Rank {0 of} causes {1 % of} of the waiting in collectives; the other{2 if several} "
             "{2 waits|wait} {3 s of}{4  a step|} for it."},
    [PS_FACT_ITERATES] =
        {"iterates", 4, .place = PS_SAID_LAST,
         .words =
             " {fact} {2 runs|run} {0 of} times and {2 covers|cover} {1 % of}{of each}: {3 "
             "profiler.step() after each would mark it as a step, and |}{other} takes {2 it as "
             "the step|them as steps}."},
    [PS_FACT_SERVING_STEP] =
        {"serving_step", 2, .place = PS_SAID_LAST,
         .words = " A {other} step keeps the {device} busy for {0 s of}{1 for tokens of}."},
    [PS_FACT_FAMILY] = {"family", 1, .place = PS_SAID_LAST,
                        .words = " Its largest parts are {word} {0 % of}",
                        .next = ", {word} {0 % of}", .end = "."},
    [PS_FACT_UNIT_TAKES] =
        {"unit_takes", 1, .place = PS_SAID_VERDICT,
         .words = "{subjects} takes {share}{of each}{0 , in a Python loop over small operators|}."},
    [PS_FACT_UNIT_WAITS] = {"unit_waits", .place = PS_SAID_VERDICT,
                            .words = "{subjects} {word} {waits}{of each}."},
    [PS_FACT_RUNS] = {"runs", 1, .words = " In each call it runs {fact} {0 of} times."},
    [PS_FACT_CONVERTS] = {"converts", 1,
                          .words = " It converts a tensor to a number {0 of} times."},
    [PS_FACT_OUTSIDE_UNIT] =
        {"outside_unit", 1,
         .words = " In it {0 % of}{of each} is outside of operators; with_stack=True records the "
                  "functions."},
    [PS_FACT_CALLED_A_STEP] = {"called_a_step", 1, .words = " It is called {0} times a step."},
    [PS_FACT_NEXT] = {"next", 1, .place = PS_SAID_LAST, .words = " Next: {fact} {0 % of}."},

    /* of requests to a server */
    [PS_FACT_LATE_REQUESTS] =
        {"late_requests", 3, .place = PS_SAID_VERDICT,
         .words = "{0 of} of {1 of} requests {0 waits|wait} more than {2 s of} for {0 its|their} "
                  "first token."},
    [PS_FACT_ENGINE_STEPS] =
        {"engine_steps", 3, .place = PS_SAID_VERDICT,
         .words =
             "{0 of} {0 step|steps} of the engine take {1 s of} in all, the median step {2 s of}."},
    [PS_FACT_LONGEST_STEP] =
        {"longest_step", 3,
         .words =
             " The longest, {fact}, takes {0 s of}{2 to prefill}, {1 % of} of the time of all."},
    [PS_FACT_STEPS_WITHOUT_TIMES] =
        {"steps_without_times", 1, .place = PS_SAID_VERDICT,
         .words = "The log lists {0 of} {0 step|steps} of the engine, and not how long they took."},
    [PS_FACT_NONE_LATE] =
        {"none_late", 3, .place = PS_SAID_VERDICT,
         .words = "No request is late: all {0 of} have their first token within {1 s of}.",
         .then = " The longest time is {2 s of}, of {fact}."},
    [PS_FACT_WORST_REQUEST] = {"worst_request", 1, .words = " The worst, {fact}, waits {0 s of}."},
    [PS_FACT_STEP_IN_PROGRESS] = {"step_in_progress", 1,
                                  .words = " For {0 s of} {fact} is in progress."},
    [PS_FACT_STEP_OF_PROMPTS] =
        {"step_of_prompts", 2,
         .words = " For {0 s of} {fact} is in progress, which prefills {1 of} {1 token|tokens}."},
    [PS_FACT_STEP_PREFILLS] =
        {"step_prefills", 2,
         .words = " For {0 s of} {fact} is in progress, which prefills {1 of} {1 token|tokens} "
                  "of {other}."},
    [PS_FACT_STEP_WORK] = {"step_work", 1, .words = " In this step {fact} takes {0 %}",
                           .next = ", {fact} {0 %}", .end = "."},
    [PS_FACT_SLOTS_TAKEN] = {"slots_taken", 2,
                             .words = " For {0 s of} all {1 general} slots are taken."},
    [PS_FACT_TOKENS_SPENT] = {"tokens_spent", 2,
                              .words = " For {0 s of} steps spend their tokens on prompts of "
                                       "others."},
    [PS_FACT_OTHERS_SERVED] = {"others_served", 2,
                               .words = " For {0 s of} steps serve others; the recording does "
                                        "not say why."},
    [PS_FACT_NO_STEP] = {"no_step", 2, .words = " For {0 s of} no step runs."},
    [PS_FACT_COMPUTES_PROMPT] = {"computes_prompt", 2,
                                 .words = " For {0 s of} the engine prefills its own prompt of "
                                          "{1 of} {1 token|tokens}."},
    [PS_FACT_TO_ENGINE] = {"to_engine", 2,
                           .words = " For {0 s of} the request is on its way to the engine."},
    [PS_FACT_TO_CLIENT] = {"to_client", 2,
                           .words = " For {0 s of} the token is on its way to the client."},
    [PS_FACT_OUTSIDE_ENGINE] = {"outside_engine", 2,
                                .words = " For {0 s of} the request is outside the engine."},
    [PS_FACT_CAUSE_UNKNOWN] = {"cause_unknown",
                               .words = " Why is not recorded: a trace, or a log of events of the "
                                        "engine, added in one job, tells it."},
    [PS_FACT_QUEUE_GROWS] =
        {"queue_grows", 2,
         .words = " The engine falls behind: the first quarter of the requests waits {0 s of} in "
                  "it, the last {1 s of}."},
    [PS_FACT_SPLIT_AND_SLOTS_HELP] =
        {"split_and_slots_help", 3,
         .words = " {0 of} of them {0 waits|wait} for a step in progress and then for a slot: "
                  "chunked prefill alone does not help {0 it|them}. With more slots as well, up to "
                  "{1 of} could wait less than {2 s of}."},
    [PS_FACT_SPLIT_HELPS] =
        {"split_helps", 3,
         .words = " {0 of} of them {0 waits|wait} for a step in progress: with chunked prefill, up "
                  "to {1 of} could wait less than {2 s of}."},
    [PS_FACT_SLOTS_HELP] =
        {"slots_help", 3,
         .words = " {0 of} of them {0 waits|wait} for a slot: with more slots, up to {1 of} could "
                  "wait less than {2 s of}."},
    [PS_FACT_LATE_BY_ITSELF] = {"late_by_itself", 1,
                                .words = " {0 of} of them {0 is|are} late by {0 its|their} own "
                                         "long {0 prompt|prompts}."},
    [PS_FACT_TOKENS_STOP] =
        {"tokens_stop", 3, .place = PS_SAID_VERDICT,
         .words = "The tokens of {0 of} {0 request|requests} stop for {1 s of} in {fact}.",
         .then = " It prefills {2 of} tokens of {other}."},
    [PS_FACT_ALSO_STOPS] =
        {"also_stops", 3,
         .words = " In {fact} the tokens of {0 of} {0 request|requests} stop for {1 s of}, while "
                  "it prefills {2 of} tokens of {other}."},
    [PS_FACT_SPLIT_ENDS_STALLS] = {"split_ends_stalls",
                                   .words = " Chunked prefill shortens such stops."},
    [PS_FACT_SMALLER_PARTS_HELP] = {"smaller_parts_help",
                                    .words = " Smaller chunks shorten such stops."},
    [PS_FACT_TTFT] = {"ttft", 2, .place = PS_SAID_VERDICT,
                      .words = "The {word} time to the first token is {0 s of}."},
    [PS_FACT_TTFT_P99] = {"ttft_p99", 2, .place = PS_SAID_VERDICT,
                          .words = "The {word} time to the first token is {0 s of}, the 99th "
                                   "percentile {1 s of}."},
    [PS_FACT_TTFT_OF_LOADS] = {"ttft_of_loads", 3, .place = PS_SAID_VERDICT,
                               .words = "Over {0 of} loads, the 99th percentile of the time to the "
                                        "first token is {1 s of} to {2 s of}."},
    [PS_FACT_LATE_BY] = {"late_by", 1,
                         .words = "most of the time of {0} late {0 request|requests}"},

    /* of XLA */
    [PS_FACT_XLA_OUTSIDE_IN] =
        {"xla_outside_in", 2, .place = PS_SAID_VERDICT,
         .words = "No operator runs for {0 %}{of each}, while the program is in {subjects}.",
         .then = " That is {1 s of}{per}."},
    [PS_FACT_XLA_OUTSIDE] = {"xla_outside", 2, .place = PS_SAID_VERDICT,
                             .words =
                                 "No operator runs for {0 %}{of each}, and XLA does nothing else.",
                             .then = " The program does other work for {1 s of}{per}, or waits."},
    [PS_FACT_XLA_COMPILES] =
        {"xla_compiles", 3, .place = PS_SAID_VERDICT,
         .words = "JAX compiles {0 of} programs, which takes {1 %}{of each}.",
         .then = " Each new shape or type of an input, each new value of a static argument, and "
                 "each new function is compiled. Inputs padded to equal shapes, and one jax.jit "
                 "outside of the loop, are compiled once; jax.log_compiles names what is "
                 "compiled."},
    [PS_FACT_XLA_COMPILED_ONCE] =
        {"xla_compiled_once", 2, .place = PS_SAID_VERDICT,
         .words = "JAX compiles {0 of} {0 program|programs} while XLA records, which takes {1 "
                  "%}{of each}."},
    [PS_FACT_XLA_READS] =
        {"xla_reads", 2, .place = PS_SAID_VERDICT,
         .words = "The program reads {0 of} results{a step}, and waits for each.",
         .then = " No operator runs for {1 % of}{of each}. A loop that decides on the device, as "
                 "jax.lax.while_loop, or values that are read every n-th time, need fewer waits."},
    [PS_FACT_XLA_MANY_PROGRAMS] =
        {"xla_many_programs", 3, .place = PS_SAID_VERDICT,
         .words = "Many small programs are started, {0 of}{a step}.",
         .then = " Each runs operators for {1 s of} on average, and no operator runs for {2 % "
                 "of}{of each}. One jax.jit around them makes one program."},
    [PS_FACT_XLA_MOVES] = {"xla_moves", 2, .place = PS_SAID_VERDICT,
                           .words = "Values are moved to or from the device for {0 %}{of each}.",
                           .then = " No operator runs meanwhile, {1 s of}{per}."},
    [PS_FACT_XLA_LATE_DEVICE] =
        {"xla_late_device", 4, .place = PS_SAID_VERDICT, .words = "The devices wait for {codes}.",
         .then =
             " It computes for {1 s of}{per}, the others for {2 s of} on average, and they wait "
             "{3 s of} for it in collectives."},
    [PS_FACT_XLA_COLLECTIVES] =
        {"xla_collectives", 2, .place = PS_SAID_VERDICT,
         .words = "Collectives do not overlap with other operators, and take {0 %}{of each}.",
         .then = " They alone take {1 s of}{per}."},
    [PS_FACT_XLA_TOP_OPERATOR] = {"xla_top_operator", 2, .place = PS_SAID_VERDICT,
                                  .words = "{codes} takes {0 %}{of each}.",
                                  .then = " All operators take {1 % of}."},
    [PS_FACT_XLA_OPERATORS] = {"xla_operators", 1, .words = " All operators take {0 % of}."},
    [PS_FACT_XLA_IN_CALL] = {"xla_in_call", .words = " Nearly all of it is in {fact code}."},
    [PS_FACT_XLA_TRACER] = {"xla_tracer",
                            .words =
                                " The Python tracer (python_tracer_level=1), or "
                                "jax.profiler.TraceAnnotation around parts of the program, shows "
                                "what it does."},
    [PS_FACT_XLA_CALLS_BACK] =
        {"xla_calls_back",
         .words = " The operator calls {fact code} of the program. Work that is written with "
                  "jax.numpy instead runs as operators."},
    [PS_FACT_XLA_WAITS] =
        {"xla_waits", 2, .place = PS_SAID_VERDICT,
         .words = "The program waits for results while no operator runs, for {0 %}{of each}.",
         .then = " That is {1 s of}{per}, in which XLA neither starts a program nor moves values."},

    /* ... titles and evidence of their rows */
    [PS_FACT_TITLE] = {"title", .words = "{fact code}"},
    [PS_FACT_FULL_TITLE] = {"full_title", .words = "{subjects}"},
    [PS_FACT_BLOCKS_IN] = {"blocks_in", .words = "{device} idle: host blocks in {code}"},
    [PS_FACT_BLOCKS_LAST] = {"blocks_last",
                             .words = "{device} idle, after its last work: host blocks in {code}"},
    [PS_FACT_WORKED_BEFORE] = {"worked_before",
                               .words =
                                   "{device} busy with work from before the recording: {code}"},
    [PS_FACT_BUSY_WITH] = {"busy_with", .words = "{device} busy with {codes}"},
    [PS_FACT_BEHIND] = {"behind", .words = "launched work waits behind it"},
    [PS_FACT_SEE] = {"see", .words = "{link}"},
    [PS_FACT_KERNELS] = {"kernels", 1, .words = "{0 nouns of}{a step}"},
    [PS_FACT_COPY_COUNT] = {"copy_count", 2, .words = "{0 of} {0 copy|copies}{1 and nouns of}"},
    [PS_FACT_LONGEST] = {"longest", 1, .words = "longest {0 s of}{callers}"},
    [PS_FACT_ONE_CALL] = {"one_call", 1, .words = "{via code} {0 s of}{callers}"},
    [PS_FACT_OF_CALLS] = {"of_calls", 2, .words = "{0 nouns of}, the longest {1 s}{callers}"},
    [PS_FACT_IN_CALL] = {"in_call", 1, .words = "{0 s of}{callers}"},
    [PS_FACT_MIGRATIONS] =
        {"migrations", 3,
         .words = "{1 nouns of} of {2 bytes of}, during {0 % of} of the time of kernels"},
};
