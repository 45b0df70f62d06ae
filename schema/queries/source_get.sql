-- The source that is attached to the run :id as :path.
SELECT sha256, bytes, changed FROM source WHERE run = :id AND path = :path;
