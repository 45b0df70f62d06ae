DELETE FROM doomed WHERE owner = :owner;
