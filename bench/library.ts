import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { searchGrams } from '#server/features/assets/assets.repository.ts'
import { searchKey } from '#server/features/assets/search-text.ts'

const subjects = ['桜', '海', '東京タワー', '猫', '会議室', 'ロゴ', '新製品', 'メニュー', '地図', 'お知らせ']
const scenes = ['朝の', '夜の', '春の', '夏の', '雨の日の', '社内の', '表紙用の', '募集の']
const endings = [
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['mp4', 'video/mp4'],
] as const
const pick = <T>(list: readonly T[], at: number) => list[at % list.length] as T

/** Returns an id of 24 digits: `prefix`, zeros and the number `at` in hexadecimal. */
export const id = (prefix: string, at: number) => prefix + at.toString(16).padStart(24 - prefix.length, '0')

/** A stored picture that several rows can share. */
export interface LibraryContent {
  storage_key: string
  hash: Buffer
}

/**
 * Writes `count` assets with tags into a space that has no assets and no tags. Without `contents`, the assets have no
 * files.
 */
export async function fillLibrary(
  db: Db,
  spaceId: number,
  count: number,
  contents?: readonly LibraryContent[],
): Promise<void> {
  await sql`INSERT INTO tag (space_id, id, name, name_key)
    SELECT ${spaceId}, ${'a'.repeat(4)} || lpad(to_hex(n), 20, '0'), 'タグ' || n, 'たぐ' || n FROM generate_series(0, 19) AS n`.execute(
    db,
  )
  for (let start = 0; start < count; start += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - start) }, (_, offset) => {
      const at = start + offset
      const [ending, media_type] = pick(endings, at % 7 < 3 ? 0 : at)
      const fileName = `${pick(scenes, at * 7)}${pick(subjects, at * 3)}-${at}.${ending}`
      const alt = at % 3 === 0 ? '' : `${pick(scenes, at)}${pick(subjects, at)}の写真です`
      const text = [fileName, alt].filter(Boolean).map(searchKey).join('\n')
      return {
        space_id: spaceId,
        id: id('', at),
        file_name: fileName,
        media_type,
        size: 1000 + ((at * 7919) % 5_000_000),
        ...(contents
          ? pick(contents, at)
          : {
              storage_key: `1/aa/${at}`,
              hash: Buffer.from(String(at % 50 === 0 ? at : at - (at % 100 === 1 ? 1 : 0))),
            }),
        width: 1600,
        height: 1200,
        placeholder: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
        metadata: JSON.stringify({
          colors: ['#aabbcc', '#112233', '#445566'],
          exif: { Make: 'Camera', Model: 'X100' },
        }),
        alt_text: alt,
        created_by: id('c', at % 20),
        updated_by: id('c', at % 7),
        created_at: new Date(Date.UTC(2020, 0, 1) + at * 3_600_000),
        search_text: text,
        grams: searchGrams(text),
      }
    })
    await db.insertInto('asset').values(rows).execute()
    const tagged = rows.flatMap((row, at) =>
      at % 2
        ? []
        : [
            {
              space_id: spaceId,
              asset_id: row.id,
              tag_id: `aaaa${(at % 20).toString(16).padStart(20, '0')}`,
            },
          ],
    )
    await db.insertInto('asset_tag').values(tagged).execute()
  }
  await sql`VACUUM ANALYZE asset`.execute(db)
  await sql`VACUUM ANALYZE asset_tag`.execute(db)
}
