-- Detaches the source :sha256 from all runs.
DELETE FROM source WHERE sha256 = :sha256;
