DELETE FROM session WHERE token = :id;
