-- Idle gaps of devices; runs that versions before 0.3 imported have gaps of streams. A range selects the gaps that overlap it; within_us is the part of a gap inside the
-- range. Header keys: see imports.sql.
--
-- column: id number, start_ns, duration_us number: of the gap
-- column: track, stream: of the work after the gap
-- column: cause string: see below
-- column: before number?, after number?: ids of the slices around the gap
-- column: within_us number: duration of the part of the gap in the range; the sums add it up by cause
-- sort: duration_us desc duration_us
-- sort: start_ns asc start_ns
-- sort: track asc track, start_ns
-- sort: stream asc stream, start_ns
-- sort: cause asc cause, start_ns
-- sum: duration_us sum(duration_us)
-- sum: within_us sum(within_us)
-- sum: host_wait_us total(within_us) FILTER (WHERE cause = 'host wait')
-- sum: host_waits count(*) FILTER (WHERE cause = 'host wait')
-- sum: kernel_wait_us total(within_us) FILTER (WHERE cause = 'kernel wait')
-- sum: kernel_waits count(*) FILTER (WHERE cause = 'kernel wait')
-- sum: other_us total(within_us) FILTER (WHERE cause = 'other')
-- sum: others count(*) FILTER (WHERE cause = 'other')
-- of: SELECT count(*) FROM gap
SELECT g.rowid AS id, g.track, t.name AS stream, g.start_ns, (g.end_ns - g.start_ns) / 1000.0 AS duration_us,
       CASE g.cause WHEN 0 THEN 'host wait' WHEN 1 THEN 'kernel wait' ELSE 'other' END AS cause,
       nullif(g.before, 0) AS before, nullif(g.after, 0) AS after,
       (min(g.end_ns, coalesce(CAST(:to_ns AS INTEGER), g.end_ns)) - max(g.start_ns, coalesce(CAST(:from_ns AS INTEGER), g.start_ns))) / 1000.0 AS within_us
FROM gap g JOIN track t ON t.id = g.track
WHERE (:q IS NULL OR ps_words(:q, t.name))
  AND (:regex IS NULL OR t.name REGEXP :regex)
  AND (:hide IS NULL OR NOT t.name REGEXP :hide)
  AND (:from_ns IS NULL OR g.end_ns > CAST(:from_ns AS INTEGER))
  AND (:to_ns IS NULL OR g.start_ns < CAST(:to_ns AS INTEGER))
