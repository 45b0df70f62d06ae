-- Sources that are attached to the run :id.
SELECT path, changed FROM source WHERE run = :id ORDER BY path;
