-- Numbers of calls in a range: copies and sets of devices, driver calls, waits for data, collectives of
-- the host (those of slices/roles.c), and NVTX ranges.
SELECT total(o.calls) FILTER (WHERE o.kind = 7), total(o.calls) FILTER (WHERE o.kind = 8),
       total(o.calls) FILTER (WHERE o.kind = 4),
       total(o.calls) FILTER (WHERE n.text LIKE 'enumerate(DataLoader)%'),
       total(o.calls) FILTER (WHERE substr(n.text, 1, 5) IN ('gloo:', 'nccl:') AND substr(n.text, 6) IN
           ('broadcast', 'reduce', 'all_reduce', 'all_gather', 'reduce_scatter')),
       total(o.calls) FILTER (WHERE o.kind = 12)
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name;
