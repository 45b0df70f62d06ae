-- Whether the run :id was removed after the upload :upload was accepted.
SELECT 1 FROM removed_since WHERE upload = :upload AND run = :id;
