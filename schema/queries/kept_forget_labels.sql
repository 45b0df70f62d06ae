-- What is said of runs changes with the source :sha256, which is attached to them no more.
DELETE FROM kept WHERE folder = 'labels' AND key IN (SELECT run FROM source WHERE sha256 = :sha256);
