-- Sums of all idle gaps by cause, including gaps that are not in the table gap.
WITH causes(cause, word, ns, n) AS (
    VALUES (0, 'host wait', '$.gaps_host_wait_ns', '$.gaps_host_wait'),
           (1, 'kernel wait', '$.gaps_kernel_wait_ns', '$.gaps_kernel_wait'),
           (2, 'other', '$.gaps_other_ns', '$.gaps_other'))
SELECT c.word, coalesce(json_extract(m.v, c.ns), 0), coalesce(json_extract(m.v, c.n), 0)
FROM causes c, meta m WHERE m.k = 'summary' ORDER BY c.cause;
