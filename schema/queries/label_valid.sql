SELECT json_valid(:key);
