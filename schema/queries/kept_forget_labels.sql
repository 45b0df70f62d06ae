-- Removes the labels of runs to which the source :sha256 is attached, because the source is being detached.
DELETE FROM kept WHERE folder = 'labels' AND key IN (SELECT run FROM source WHERE sha256 = :sha256);
