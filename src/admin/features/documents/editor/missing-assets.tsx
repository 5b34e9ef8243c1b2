import { useTranslations } from 'use-intl'

/** So many are named; of the others it says how many there are. */
const named = 10

/** Files that are in the trash or deleted, each by its field and its name, as a question before publishing says it. */
export function MissingAssets({ rows }: { rows: readonly { name: string; text: string }[] }) {
  const t = useTranslations('documents.editor')
  const others = rows.length - named
  return (
    <>
      <p style={{ marginTop: 0 }}>{t('missingAssetsText')}</p>
      <ul style={{ paddingLeft: '1.2em' }}>
        {rows.slice(0, named).map(({ name, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may read the same, and none of them moves.
          <li key={index}>{t('missingAsset', { field: name, text })}</li>
        ))}
      </ul>
      {others > 0 && <p>{t('missingAssetsMore', { count: others })}</p>}
    </>
  )
}
