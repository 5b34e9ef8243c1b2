import { useTranslations } from 'use-intl'

/** Maximum number of files that are named. The others are only counted. */
const named = 10

/**
 * Lists files that are in the trash or deleted, for the confirmation before publishing. Each row shows the field and
 * the file.
 */
export function MissingAssets({ rows }: { rows: readonly { name: string; text: string }[] }) {
  const t = useTranslations('documents.editor')
  const others = rows.length - named
  return (
    <>
      <p style={{ marginTop: 0 }}>{t('missingAssetsText')}</p>
      <ul style={{ paddingLeft: '1.2em' }}>
        {rows.slice(0, named).map(({ name, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows may be equal, and they never move.
          <li key={index}>{t('missingAsset', { field: name, text })}</li>
        ))}
      </ul>
      {others > 0 && <p>{t('missingAssetsMore', { count: others })}</p>}
    </>
  )
}
