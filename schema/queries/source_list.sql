-- What is attached to a run. :id
SELECT path, changed FROM source WHERE run = :id ORDER BY path;
