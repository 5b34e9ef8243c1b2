-- The apps of an archive are made in its order: that of the space which was exported.
ALTER TABLE move ADD COLUMN part_position int NOT NULL DEFAULT 0;
