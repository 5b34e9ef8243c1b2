import { sql } from 'kysely'
import { newId } from '#server/lib/ids.ts'
import type { TestInstallation } from './server.ts'

/**
 * Adds a template that was saved from the app, without documents. The app itself follows it, with an update that can be
 * undone. The template belongs to this account. Returns its `_id`.
 */
export async function addTemplate(
  { database }: TestInstallation,
  spaceUid: string,
  appUid: string,
  createdBy: string,
): Promise<string> {
  const id = newId()
  const parts = {
    app: {
      uid: appUid,
      name: '保存したアプリ',
      description: '',
      icon: null,
      cover: null,
      accessSettings: { visibility: 'open', defaultRole: 'app-Subscriber' },
    },
    customFieldTypes: [],
    models: [],
    views: [],
    roles: [],
  }
  await sql`INSERT INTO app_template (space_id, id, version, app_id, name, description, has_documents, parts, counts, storage, created_by)
    SELECT space.id, ${id}, 1, app.id, '保存したアプリ', '', false, ${JSON.stringify(parts)}::jsonb, '{}', 'local', ${createdBy}
    FROM space JOIN app ON app.space_id = space.id
    WHERE space.uid = ${spaceUid} AND app.uid = ${appUid} AND app.deleted_at IS NULL`.execute(database.kysely)
  const undo = {
    at: new Date().toISOString(),
    version: null,
    base: parts,
    before: parts,
    after: parts,
    fieldIds: {},
    changes: {},
  }
  await sql`INSERT INTO app_origin (space_id, app_id, template, version, language, carry_id, parts, undo)
    SELECT space.id, app.id, ${id}, 1, 'ja', ${newId()}, ${JSON.stringify(parts)}::jsonb, ${JSON.stringify(undo)}::jsonb
    FROM space JOIN app ON app.space_id = space.id
    WHERE space.uid = ${spaceUid} AND app.uid = ${appUid} AND app.deleted_at IS NULL`.execute(database.kysely)
  return id
}
