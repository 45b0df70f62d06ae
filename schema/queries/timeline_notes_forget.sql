DELETE FROM timeline_note WHERE run = :id;
