-- Only who leaves an app by themselves comes back with the role they had: what somebody else took is gone.
GRANT DELETE ON left_app TO imori_member;
DELETE FROM left_app USING audit_entry AS entry
  WHERE entry.space_id = left_app.space_id AND entry.object_id = left_app.member_id AND entry.act = 'member.removeFromApp'
    AND entry.outcome = 'done'
    -- Entries are written in the transaction of the act, a moment after it began.
    AND (entry.id / 4096 + 1735689600000) / 1000.0
      BETWEEN extract(epoch FROM left_app.left_at) - 0.001 AND extract(epoch FROM left_app.left_at) + 10;
