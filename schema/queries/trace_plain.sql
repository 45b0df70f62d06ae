-- One row if the trace is not of torch.
SELECT 1 FROM meta WHERE k = 'kind' AND v IN ('trace', 'nsys', 'xla-trace');
