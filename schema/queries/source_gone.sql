-- The source :sha256 is attached to nothing any more.
DELETE FROM source WHERE sha256 = :sha256;
