SELECT DISTINCT session FROM upload WHERE session <> :session;
