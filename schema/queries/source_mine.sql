-- Sources that the run :id refers to.
SELECT DISTINCT sha256 FROM source WHERE run = :id;
