SELECT count(*) FROM token;
