import { useTranslations } from 'use-intl'

/** Maximum number of titles that a confirmation names. The others are only counted. */
const namedTitles = 3

/** Returns a function that joins the first titles and the number of other titles: 「A」、「B」、「C」ほかN件. */
export function useNamedTitles(): (titles: readonly string[], total?: number) => string {
  const t = useTranslations('documents.editor')
  return (titles, total = titles.length) => {
    // Quoted, because a title may contain 、.
    const shown = titles.slice(0, namedTitles).map((title) => t('quoted', { title }))
    const named = shown.join(t('separator'))
    return total <= shown.length ? named : t('andOthers', { titles: named, count: total - shown.length })
  }
}
