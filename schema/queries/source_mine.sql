-- Sources to which the run :id refers.
SELECT DISTINCT sha256 FROM source WHERE run = :id;
