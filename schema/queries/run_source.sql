-- The hash of what is attached to the run :id as :path, NULL when nothing is; no row: no such run.
SELECT (SELECT sha256 FROM source WHERE run = :id AND path = :path) FROM run WHERE id = :id;
