-- Measurements with the minimum and maximum of their group, for a shared scale. Header keys: see imports.sql.
--
-- column: id, name, grp: number, name, and group of the measurement
-- column: value, unit: the unit is `s`, `KiB`, `B`, `%`, or empty for counts
-- column: statistic: what `value` is: `mean`, `best` or `single`
-- column: n: number of samples
-- column: mean, median, stddev, min, max, q1, q3: statistics; null where they do not exist
-- column: resolution: value of the last printed digit; null if the file has all digits
-- column: group_min number?, group_max number?: smallest `min` and largest `max` of the rows of its group and unit
-- column: failed number: 1: a run of this command failed, so its time says nothing
-- column: ranked_by string, ranked_value number?: the statistic by which rows are compared, and its value: what the tool states, or the median if the mean of a row is 5 % or more away from it
-- column: ranked_spread number?: standard deviation of the samples, that of a median from the quartiles; null if unknown
-- column: alternatives string?: rows with the same text are alternatives; empty: the row stands alone; null: a part of another row
-- column: benchmark string: the name without its parameters
-- column: parameters string?: JSON object of the parameters in the order of the tool; null if there are none
-- column: metric string?: what is measured; null if the tool does not say it
-- column: better number?: -1: lower values are better, 1: higher, 0: neither
-- column: state number: 0: measured, 1: failed, 2: skipped; rows that were not measured have no value
-- column: loops number?: calls of which a sample is the mean; null if unknown or different
-- sort: id asc id
-- sort: name asc name
-- sort: group asc grp
-- sort: value desc value
-- sort: unit asc unit
-- sort: n desc n
-- sort: stddev desc stddev
-- sort: relative desc stddev / nullif(mean, 0)
-- sort: median desc median
-- sort: min desc min
-- sort: max desc max
-- rows: cached
-- of: SELECT count(*) FROM measurement
WITH
-- include: measured
judged AS (
    SELECT *, statistic = 'mean' AND median IS NOT NULL AS has_median, abs(mean - median) >= 0.05 * median AS is_skewed FROM measured),
scale AS (SELECT grp, unit, min(coalesce(min, value)) AS least, max(coalesce(max, value)) AS most FROM measurement GROUP BY grp, unit),
shape AS (
    SELECT unit, min(has_median) AND max(is_skewed) AS by_median FROM judged WHERE NOT failed AND alternatives IS NOT NULL GROUP BY unit)
SELECT m.id, m.name, m.grp, m.value, m.unit, m.statistic, m.n, m.mean, m.median, m.stddev, m.min, m.max, m.q1, m.q3, m.resolution,
       scale.least AS group_min, scale.most AS group_max,
       m.failed,
       CASE WHEN shape.by_median AND m.alternatives IS NOT NULL THEN 'median' ELSE m.statistic END AS ranked_by,
       CASE WHEN shape.by_median AND m.alternatives IS NOT NULL THEN m.median ELSE m.value END AS ranked_value,
       CASE WHEN NOT m.n > 1 THEN NULL
            WHEN shape.by_median AND m.alternatives IS NOT NULL THEN coalesce((m.q3 - m.q1) / 1.349, json_extract(m.more, '$.iqr') / 1.349, m.stddev)
            WHEN m.statistic = 'mean' THEN m.stddev END AS ranked_spread,
       m.alternatives, coalesce(m.benchmark, m.name) AS benchmark, m.parameters, m.metric,
       coalesce(m.better, CASE WHEN m.unit IN ('s', 'B', 'KiB') THEN -1 ELSE 0 END) AS better, m.state, m.loops
FROM judged m
LEFT JOIN shape ON shape.unit = m.unit
JOIN scale ON scale.grp = m.grp AND scale.unit = m.unit
WHERE (:q IS NULL OR ps_words(:q, m.name || ' ' || m.grp))
  AND (:regex IS NULL OR m.name REGEXP :regex OR m.grp REGEXP :regex)
