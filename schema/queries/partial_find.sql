SELECT file FROM partial WHERE id = :id AND who = :who;
