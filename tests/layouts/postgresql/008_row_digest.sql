-- Layout 8 has the table row_digest, which servers do not share.

SELECT 1;
