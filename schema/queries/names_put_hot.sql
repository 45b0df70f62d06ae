INSERT INTO hot VALUES (:name, :seq, :self, :total, :self_share, :total_share, :place, :row_id, :line, :rows);
