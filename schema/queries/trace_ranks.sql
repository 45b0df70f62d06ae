-- Worker, name of the file and rank of each file of a job; number of ranks that the job had, 0 if unknown.
WITH w(worker) AS (SELECT worker FROM process UNION SELECT worker FROM step),
     h AS (SELECT max(CASE WHEN json_valid(v) THEN json_extract(v, '$.rank') END) AS rank,
                  max(CASE WHEN json_valid(v) THEN json_extract(v, '$.world_size') END) AS size
           FROM meta WHERE k = 'header.distributedInfo')
SELECT w.worker, (SELECT v FROM meta WHERE k = 'worker.' || w.worker || '.name'),
       CAST(coalesce((SELECT v FROM meta WHERE k = 'worker.' || w.worker || '.rank'), CASE WHEN w.worker = 0 THEN h.rank END) AS INTEGER),
       CAST(coalesce(h.size, 0) AS INTEGER)
FROM w, h ORDER BY w.worker;
