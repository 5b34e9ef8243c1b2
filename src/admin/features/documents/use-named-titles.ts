import { useTranslations } from 'use-intl'

/** How many titles a question names; of the others it says how many there are. */
const namedTitles = 3

/** Makes 「A」、「B」、「C」ほかN件 of the first titles and the number of all. */
export function useNamedTitles(): (titles: readonly string[], total?: number) => string {
  const t = useTranslations('documents.editor')
  return (titles, total = titles.length) => {
    // In quotes: a 、 may be part of a title.
    const shown = titles.slice(0, namedTitles).map((title) => t('quoted', { title }))
    const named = shown.join(t('separator'))
    return total <= shown.length ? named : t('andOthers', { titles: named, count: total - shown.length })
  }
}
