-- Who wrote a revision that came from elsewhere, where nobody of the space is that person: {"name", "email"}.
ALTER TABLE revision ADD COLUMN author jsonb;
