-- Runs that may have measured source lines, newest first; :kinds as ",pstats,scalene,".
SELECT id, kind, name, created_at FROM run WHERE instr(:kinds, ',' || kind || ',') ORDER BY seq DESC LIMIT :limit;
