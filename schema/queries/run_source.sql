-- The hash of the source that is attached to the run :id as :path; NULL: none. No row: no such run.
SELECT (SELECT sha256 FROM source WHERE run = :id AND path = :path) FROM run WHERE id = :id;
