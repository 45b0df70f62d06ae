DELETE FROM source WHERE run = :id;
