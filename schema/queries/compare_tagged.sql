-- The newest runs with the tag :tag ("k=v"), oldest first. The limit is one more than the runs of two groups.
SELECT id FROM (SELECT r.id, r.seq FROM tag t JOIN run r ON r.id = t.run
    WHERE t.k = substr(:tag, 1, instr(:tag, '=') - 1) AND t.v = substr(:tag, instr(:tag, '=') + 1) ORDER BY r.seq DESC LIMIT 401) ORDER BY seq;
