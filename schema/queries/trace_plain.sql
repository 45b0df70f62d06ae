-- One row when the trace is not torch's.
SELECT 1 FROM meta WHERE k = 'kind' AND v IN ('trace', 'nsys');
