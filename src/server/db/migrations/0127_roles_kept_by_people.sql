-- Sessions from before a directory made somebody a member again are not good for that membership.
ALTER TABLE space_member ADD signed_in_after moment;

-- Roles that came with groups are not kept any more: the groups of the return give them. Which of those kept until now did is not
-- known; a role that some group brings is taken for one (docs/decisions/0102).
UPDATE scim_user SET kept = jsonb_build_object(
  'role', CASE WHEN EXISTS (SELECT FROM group_role WHERE group_role.space_id = scim_user.space_id
    AND group_role.role = kept->>'role') THEN 'null' ELSE kept->'role' END,
  'apps', (SELECT coalesce(jsonb_agg(app), '[]') FROM jsonb_array_elements(kept->'apps') AS app
    WHERE NOT EXISTS (SELECT FROM group_app_role WHERE group_app_role.space_id = scim_user.space_id
      AND group_app_role.app_id = (app->>0)::int AND group_app_role.role = app->>1)))
WHERE kept IS NOT NULL;
