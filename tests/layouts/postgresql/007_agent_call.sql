-- Layout 7 has the table agent_call, which servers do not share.

SELECT 1;
