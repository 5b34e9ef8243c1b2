-- Who may create spaces. NULL: everyone if sign-up is open, otherwise admins of the installation (docs/decisions/0120).
ALTER TABLE installation_setting ADD space_creation text CHECK (space_creation IN ('admins', 'everyone'));
